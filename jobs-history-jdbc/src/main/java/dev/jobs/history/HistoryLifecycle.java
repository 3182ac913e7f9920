package dev.jobs.history;

import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import dev.jobs.threads.BackgroundLoop;
import java.util.List;
import java.util.function.Supplier;

/** Starts the threads of the history before the workers, and stops them after these. */
final class HistoryLifecycle implements BackgroundLifecycle {

    private final Supplier<List<BackgroundLoop>> create;

    // Guarded by this.
    private List<BackgroundLoop> threads = List.of();

    /** @param create new threads for each start */
    HistoryLifecycle(Supplier<List<BackgroundLoop>> create) {
        this.create = create;
    }

    @Override
    public synchronized void start() {
        if (threads.isEmpty()) {
            threads = create.get();
            threads.forEach(BackgroundLoop::start);
        }
    }

    @Override
    public synchronized void stop() {
        threads.forEach(BackgroundLoop::signalStop);
        threads.forEach(BackgroundLoop::awaitEnd);
        threads = List.of();
    }

    @Override
    public synchronized boolean isRunning() {
        return !threads.isEmpty();
    }

    /** Stops before the connection factories of Spring Data, which have phase 0. */
    @Override
    public int getPhase() {
        return 1;
    }
}
