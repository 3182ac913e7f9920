package dev.jobs.redis;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Notes in a key that a feature is used, so that others look for it. Thread-safe. */
@Internal
public final class UseNote {

    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

    private final RedisConnection connection;
    private final byte[] key;
    private final AtomicLong noted = new AtomicLong(System.nanoTime() - AGAIN_NANOS);

    public UseNote(RedisConnection connection, byte[] key) {
        this.connection = connection;
        this.key = key;
    }

    /** Sets the key. Asks Redis once a minute, since all keys may have been removed. */
    public void set() {
        long last = noted.get();
        long now = System.nanoTime();
        if (now - last >= AGAIN_NANOS) {
            connection.run(commands -> commands.set(key, Bytes.of(1)));
            noted.compareAndSet(last, now);
        }
    }
}
