package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.server.Installation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The threads on which calls of the API wait for Redis in a WebFlux application. Each installation has its own, from
 * its first call, so that one whose Redis doesn't answer holds up no other. Thread-safe.
 */
final class ReactiveCalls implements AutoCloseable {

    /** Of one installation. They share one connection, so more would not be faster. */
    private static final int THREADS = 16;

    private static final int MOST_WAITING = 100;
    private static final int SECONDS_IDLE = 10;

    private final Map<String, Scheduler> byName = new ConcurrentHashMap<>();
    private final ThreadFactory threads;

    ReactiveCalls(ThreadFactory threads) {
        this.threads = threads;
    }

    Scheduler of(Installation installation) {
        return byName.computeIfAbsent(
                installation.name(),
                name -> Schedulers.newBoundedElastic(THREADS, MOST_WAITING, threads, SECONDS_IDLE));
    }

    @Override
    public void close() {
        byName.values().forEach(Scheduler::dispose);
    }
}
