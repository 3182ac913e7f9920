package dev.jobs.faults;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Enqueues one job after the other whatever happens, and records which calls failed and how long they took. */
final class ContinuousEnqueuer implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Runnable enqueueOne;
    private final Thread thread = new Thread(this::run, "enqueuer");
    private final Map<Kind, Integer> failures = new TreeMap<>();
    private volatile boolean ended;
    private int accepted;
    private Duration slowest = Duration.ZERO;
    private @Nullable RuntimeException unexpected;

    /** @param enqueueOne enqueues one job */
    ContinuousEnqueuer(Runnable enqueueOne) {
        this.enqueueOne = enqueueOne;
        thread.start();
    }

    private void run() {
        while (!ended) {
            long started = System.nanoTime();
            try {
                enqueueOne.run();
                count(null);
            } catch (JobStoreException e) {
                count(e.kind());
            } catch (RuntimeException e) {
                unexpected = e; // reported when this is closed
                return;
            }
            took(Duration.ofNanos(System.nanoTime() - started));
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private synchronized void count(@Nullable Kind failure) {
        if (failure == null) {
            accepted++;
        } else {
            failures.merge(failure, 1, Integer::sum);
        }
    }

    private synchronized void took(Duration time) {
        slowest = slowest.compareTo(time) < 0 ? time : slowest;
    }

    /** The number of successful calls so far. */
    synchronized int accepted() {
        return accepted;
    }

    /** The number of failed calls so far, by the exception's kind. */
    synchronized Map<Kind, Integer> failures() {
        return Map.copyOf(failures);
    }

    synchronized int failed() {
        return failures.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The duration of the longest call so far. */
    synchronized Duration slowest() {
        return slowest;
    }

    /** Makes the current call the last, without waiting for its end. */
    void end() {
        ended = true;
    }

    /** Returns when the last call is over. */
    @Override
    public void close() {
        end();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        if (unexpected != null) {
            throw new AssertionError("A call failed with something else than a JobStoreException", unexpected);
        }
    }
}
