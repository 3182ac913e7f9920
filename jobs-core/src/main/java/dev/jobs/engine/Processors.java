package dev.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * The threads of a capsule that run jobs. One is there from the start; each further one is started when jobs need it,
 * up to the concurrency, and stays, unless it is abandoned after a timeout. Thread-safe.
 */
final class Processors {

    private final String name;
    private final int most;
    private final ThreadFactory factory;
    private final ThreadGuard guard;

    // Guarded by this.
    private final List<Thread> threads = new ArrayList<>();
    private Runnable work = () -> {};
    private boolean ended;

    /** The number of threads, which each claimed job is compared with. */
    private volatile int started;

    /**
     * @param name what the names of the threads begin with
     * @param most how many threads there may be
     */
    Processors(String name, int most, ThreadFactory factory, ThreadGuard guard) {
        this.name = name;
        this.most = most;
        this.factory = factory;
        this.guard = guard;
    }

    /**
     * Starts the first thread.
     *
     * @param work what each thread does
     * @throws RuntimeException if no thread can be started
     */
    synchronized void start(Runnable work) {
        this.work = guard.watched(work);
        add();
    }

    /** Starts threads until there are as many as needed, or as many as there may be. */
    void need(int threads) {
        if (threads > started && started < most) {
            addUpTo(Math.min(threads, most));
        }
    }

    /** What can't be started is reported, and jobs wait for the threads that there are. */
    private synchronized void addUpTo(int wanted) {
        try {
            while (started < wanted && !ended) {
                add();
            }
        } catch (Throwable e) {
            guard.failed(name + (started + 1), e);
        }
    }

    private void add() {
        Thread thread = factory.newThread(work);
        thread.setName(name + (started + 1)); // short: logs often show its last 15 characters
        thread.start();
        threads.add(thread);
        started = threads.size();
    }

    /**
     * Gives the place and the name of a thread that doesn't come back from its work to a new one.
     *
     * @param first what the new thread does before its work
     * @return whether it is one of these threads
     */
    synchronized boolean replace(Thread abandoned, Runnable first) {
        int place = threads.indexOf(abandoned);
        if (place < 0) {
            return false;
        }
        Runnable usual = work;
        Thread thread = factory.newThread(guard.watched(() -> {
            first.run();
            usual.run();
        }));
        thread.setName(abandoned.getName());
        abandoned.setName(abandoned.getName() + "-abandoned");
        thread.start();
        threads.set(place, thread);
        return true;
    }

    /** From now on no thread is started, except in the place of another one. */
    synchronized void end() {
        ended = true;
    }

    synchronized List<Thread> all() {
        return List.copyOf(threads);
    }
}
