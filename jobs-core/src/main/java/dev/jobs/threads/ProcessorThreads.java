package dev.jobs.threads;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a pool. Each is started when work needs it, up to the most, and stays, unless it is replaced.
 * Thread-safe.
 */
@Internal
public final class ProcessorThreads {

    private final String name;
    private final int most;
    private final ThreadFactory factory;
    private final Runnable work;
    private final Supplier<List<ThreadGuard>> guards;

    // Guarded by this.
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable Thread prepared;
    private boolean ended;

    /** The number of threads, which each claimed job is compared with. */
    private volatile int started;

    /**
     * @param name what the names of the threads begin with
     * @param most how many threads there may be
     * @param work what each thread does
     * @param guards of those that share the threads
     */
    public ProcessorThreads(
            String name, int most, ThreadFactory factory, Runnable work, Supplier<List<ThreadGuard>> guards) {
        this.name = name;
        this.most = most;
        this.factory = factory;
        this.work = work;
        this.guards = guards;
    }

    /**
     * Makes the first thread, unless there is one, so that a factory that can't make any is noticed before there is work.
     *
     * @throws RuntimeException if the factory can't make one
     */
    public synchronized void prepare() {
        if (threads.isEmpty() && prepared == null) {
            prepared = thread(0, work);
        }
    }

    /** A thread whose end by something thrown makes the process lame. */
    private Thread thread(int index, Runnable all) {
        Thread thread = factory.newThread(() -> {
            try {
                all.run();
            } catch (Throwable e) {
                String what = Thread.currentThread().getName() + " has ended";
                guards.get().forEach(guard -> guard.lame(what, e));
            }
        });
        thread.setName(name + (index + 1)); // short: logs often show its last 15 characters
        return thread;
    }

    /** Starts threads until there are as many as needed, or as many as there may be. */
    public void need(int threads) {
        if (threads > started && started < most) {
            addUpTo(Math.min(threads, most));
        }
    }

    /** What can't be started is reported, and jobs wait for the threads that there are, or for the next attempt. */
    private synchronized void addUpTo(int wanted) {
        try {
            while (started < wanted && !ended) {
                add();
            }
        } catch (Throwable e) {
            guards.get().forEach(guard -> guard.failed(name + (started + 1), e));
        }
    }

    private void add() {
        Thread thread = prepared == null ? thread(started, work) : prepared;
        prepared = null;
        thread.start();
        threads.add(thread);
        started = threads.size();
    }

    /**
     * Replaces a thread that doesn't come back from its work by a new one of the same name.
     *
     * @param first what the new thread does before its work
     * @return whether it is one of these threads
     */
    public synchronized boolean replace(Thread abandoned, Runnable first) {
        int index = threads.indexOf(abandoned);
        if (index < 0) {
            return false;
        }
        Thread thread = thread(index, () -> {
            first.run();
            work.run();
        });
        abandoned.setName(thread.getName() + "-abandoned"); // whatever its job called it
        thread.start();
        threads.set(index, thread);
        return true;
    }

    /** From now on no thread is started, except in the place of another one. */
    public synchronized void end() {
        ended = true;
    }

    /** Those that were started, without the replaced ones. */
    public synchronized List<Thread> all() {
        return List.copyOf(threads);
    }
}
