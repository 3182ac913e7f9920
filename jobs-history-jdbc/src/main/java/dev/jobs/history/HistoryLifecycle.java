package dev.jobs.history;

import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/** Starts the threads of the history before the workers, and stops them after these. */
final class HistoryLifecycle implements SmartLifecycle {

    private final Supplier<List<HistoryThread>> create;

    // Guarded by this.
    private List<HistoryThread> threads = List.of();

    /** @param create new threads for each start */
    HistoryLifecycle(Supplier<List<HistoryThread>> create) {
        this.create = create;
    }

    @Override
    public synchronized void start() {
        if (threads.isEmpty()) {
            threads = create.get();
            threads.forEach(HistoryThread::start);
        }
    }

    @Override
    public synchronized void stop() {
        threads.forEach(HistoryThread::signalStop);
        threads.forEach(HistoryThread::awaitEnd);
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
