package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up clients while the rest of the application starts: otherwise the request that enqueues the first job waits for
 * a connection, and for most of the classes behind it. A thread does it, which then ends.
 */
@Internal
public final class ClientWarmUp implements BackgroundLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ClientWarmUp.class);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Supplier<Stream<RedisJobClient>> clients;

    private volatile @Nullable Thread thread;

    public ClientWarmUp(Supplier<Stream<RedisJobClient>> clients) {
        this.clients = clients;
    }

    @Override
    public void start() {
        List<RedisJobClient> all = clients.get().toList(); // here: Spring may have to create them
        Thread warmUp = new Thread(() -> all.forEach(ClientWarmUp::warmUp), "jobs-warm-up");
        warmUp.setDaemon(true);
        warmUp.start();
        thread = warmUp;
    }

    /** The first job meets whatever fails here, and tells its caller. */
    private static void warmUp(RedisJobClient client) {
        try {
            client.warmUp();
        } catch (RuntimeException | LinkageError e) {
            log.debug("The client was not warmed up", e);
        }
    }

    /** Gives up an attempt to connect. */
    @Override
    public void stop() {
        Thread warmUp = thread;
        if (warmUp != null) {
            warmUp.interrupt();
            Threads.join(warmUp, GRACE);
        }
        thread = null;
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    /** Starts behind the connection factories of Spring Data, which have phase 0, and stops before them. */
    @Override
    public int getPhase() {
        return 1;
    }
}
