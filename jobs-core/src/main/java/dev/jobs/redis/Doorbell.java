package dev.jobs.redis;

import dev.jobs.JobStoreException;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.push.PushMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells at once that something happened to a queue, to the scheduled or retry set, or to a recurring job, by the server's tracking of key changes (RESP3). Only
 * ever a hint: a proxy may swallow it, so whoever listens must also look from time to time. Costs the data nothing, and foreign producers
 * need not know of it.
 *
 * <p>Confined to one thread, but for the callback, which comes on a thread of the connection.
 */
public final class Doorbell implements AutoCloseable {

    /** Hears the rings. */
    @FunctionalInterface
    public interface Listener {
        /** @param queue what rang: the name of a queue, or null for the scheduled or retry set */
        void rang(@Nullable String queue);

        /** Somebody stored, changed, fired or deleted a recurring job. */
        default void recurringChanged() {}
    }

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final String name;
    private final Supplier<Set<String>> queues;
    private final Listener listener;
    private final String queuePrefix;

    private @Nullable StatefulConnection<byte[], byte[]> tracked;
    private volatile Set<String> watched = Set.of();
    private volatile CountDownLatch probe = new CountDownLatch(1);

    /**
     * @param connection used for nothing else
     * @param name an id that no other doorbell has
     * @param queues the names of the queues to ring for, asked for at each check: each ring costs the server a message and somebody a
     *     wake-up, whoever is to take the job
     */
    public Doorbell(
            RedisConnection connection, RedisKeys keys, String name, Supplier<Set<String>> queues, Listener listener) {
        this.connection = connection;
        this.keys = keys;
        this.name = name;
        this.queues = queues;
        this.listener = listener;
        this.queuePrefix = Bytes.text(keys.queue(""));
    }

    /**
     * Makes sure that the bell rings for those queues and can be heard: rings it and waits. A deaf one is replaced by a new connection,
     * and so is one to a server that takes no writes any more: a replica still tells of changes, but late, and only as long as it follows
     * the primary. After a change the listener hears of everything, since nobody told what happened meanwhile.
     *
     * @return whether it was heard; false also where the server or a proxy can't do it
     */
    public boolean check(Duration patience) {
        try {
            StatefulConnection<byte[], byte[]> known = tracked;
            if (known != null && known == connection.connection()) {
                if (!watched.equals(queues.get())) {
                    connection.run(commands -> commands.clientTracking(TrackingArgs.Builder.enabled(false)));
                    track();
                    tellOfEverything();
                }
                if (ring(patience)) {
                    return true;
                }
                connection.drop(known);
            }
            if (!(connection.connection() instanceof StatefulRedisConnection<byte[], byte[]> fresh)) {
                return false; // in a cluster each node tells of its own keys only
            }
            track();
            fresh.addListener(this::heard);
            tracked = fresh;
            tellOfEverything();
            return ring(patience);
        } catch (JobStoreException e) {
            return false;
        }
    }

    private void track() {
        Set<String> now = Set.copyOf(queues.get());
        List<String> prefixes = new ArrayList<>(List.of(
                Bytes.text(keys.schedule()), Bytes.text(keys.retry()), keys.cronPrefix(), Bytes.text(keys.bell(name))));
        now.stream()
                .filter(queue -> now.stream().noneMatch(other -> isBeginning(other, queue)))
                .forEach(queue -> prefixes.add(queuePrefix + queue));
        connection.run(commands -> commands.clientTracking(
                TrackingArgs.Builder.enabled(true).bcast().prefixes(prefixes.toArray(String[]::new))));
        watched = now;
    }

    private void tellOfEverything() {
        watched.forEach(listener::rang);
        listener.rang(null);
        listener.recurringChanged();
    }

    /** The server refuses prefixes that overlap. */
    private static boolean isBeginning(String other, String queue) {
        return !other.equals(queue) && queue.startsWith(other);
    }

    /** Whether it rings for this queue, as far as is known. Thread-safe. */
    public boolean ringsFor(String queue) {
        return watched.contains(queue);
    }

    private boolean ring(Duration patience) {
        CountDownLatch heard = new CountDownLatch(1);
        probe = heard;
        connection.run(commands -> commands.psetex(keys.bell(name), 1_000, Bytes.of(1)));
        try {
            return heard.await(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void heard(PushMessage message) {
        if (!"invalidate".equals(message.getType())) {
            return;
        }
        List<Object> content = message.getContent();
        if (content.size() > 1 && content.get(1) instanceof List<?> changed) {
            for (Object key : changed) {
                heard(key instanceof byte[] bytes ? Bytes.text(bytes) : decode(key));
            }
        }
    }

    private static String decode(@Nullable Object key) {
        if (key instanceof java.nio.ByteBuffer buffer) {
            return java.nio.charset.StandardCharsets.UTF_8
                    .decode(buffer.duplicate())
                    .toString();
        }
        return String.valueOf(key);
    }

    private void heard(String key) {
        if (key.startsWith(queuePrefix)) {
            listener.rang(key.substring(queuePrefix.length()));
        } else if (key.equals(Bytes.text(keys.bell(name)))) {
            probe.countDown();
        } else if (key.startsWith(keys.cronPrefix())) {
            if (!key.endsWith(RedisKeys.CRON_SLOTS) && !key.endsWith(RedisKeys.CRON_HISTORY)) {
                listener.recurringChanged();
            }
        } else {
            listener.rang(null);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
