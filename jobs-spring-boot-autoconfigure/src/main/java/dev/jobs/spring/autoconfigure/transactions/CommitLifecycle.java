package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.Internal;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Waits for the jobs of committed transactions before the connections to Redis end. */
@Internal
public final class CommitLifecycle implements BackgroundLifecycle {

    private final Supplier<Stream<RedisJobClient>> clients;

    private volatile boolean running;

    public CommitLifecycle(Supplier<Stream<RedisJobClient>> clients) {
        this.clients = clients;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        clients.get().forEach(RedisJobClient::awaitCommitted);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the connection factories of Spring Data, which have phase 0. */
    @Override
    public int getPhase() {
        return 1;
    }
}
