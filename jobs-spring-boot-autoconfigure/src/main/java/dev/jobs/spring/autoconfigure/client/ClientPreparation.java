package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares clients while the rest of the application starts, so that the request that enqueues the first job waits
 * neither for a connection nor for classes. A thread of its own does it, which then ends.
 */
@Internal
public final class ClientPreparation implements BackgroundLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ClientPreparation.class);

    private final Supplier<Stream<RedisJobClient>> clients;

    private volatile @Nullable Thread thread;

    public ClientPreparation(Supplier<Stream<RedisJobClient>> clients) {
        this.clients = clients;
    }

    @Override
    public void start() {
        List<RedisJobClient> all = clients.get().toList(); // here: Spring may have to create them
        Thread preparing = new Thread(() -> all.forEach(ClientPreparation::prepare), "jobs-preparation");
        preparing.setDaemon(true);
        preparing.start();
        thread = preparing;
    }

    /** The first job meets whatever fails here, and tells its caller. */
    private static void prepare(RedisJobClient client) {
        try {
            client.prepare();
        } catch (RuntimeException e) {
            log.debug("The first job was not prepared", e);
        }
    }

    /** Returns when the thread has ended, which it does soon: an attempt to connect is given up. */
    @Override
    public void stop() {
        Thread preparing = thread;
        if (preparing != null) {
            preparing.interrupt();
            try {
                preparing.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        thread = null;
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    /** First of all but {@link FreshIds}, beside which nothing may use the clients. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE + 1;
    }
}
