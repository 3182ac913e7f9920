package dev.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A submitted job, through which its end can be awaited. Thread-safe; may be dropped at any time.
 *
 * @param <V> what the job returns
 */
public interface JobHandle<V extends @Nullable Object> {

    /** The job's id; also of one that was refused. */
    String jid();

    /** Whether the job was stored, or will be after the commit of its transaction. */
    boolean isAccepted();

    /**
     * Waits for the end of the job. A job that ended before is noticed at once, as long as its result is kept. While
     * the job has failed and waits for a retry, the wait goes on.
     *
     * <p>When the time is over, the result is {@link JobResult.State#PENDING}, or {@link JobResult.State#RETRIED} if
     * the last execution failed. A connection that is lost meanwhile is opened again; if Redis doesn't answer, the call
     * may take a command timeout longer.
     *
     * <p>While a job waits, it keeps its thread of a worker from other jobs, so a wait within a job is logged, once for
     * each client. If all threads wait for jobs in their own queue, none of these runs.
     *
     * @param atMost how long to wait; zero or less looks once
     * @throws JobsException in the transaction that the job waits for: it is stored after the commit
     * @throws JobStoreException if Redis couldn't be asked by the end of the time, or the client was closed meanwhile
     * @throws InterruptedException if the thread is interrupted
     */
    JobResult<V> await(Duration atMost) throws InterruptedException;

    /**
     * Waits for the ends of several jobs, together at most for a time, as {@link #await} does for each. When the time
     * is over, each of the others is looked at once.
     *
     * @return the results in the order of the handles
     */
    static <V extends @Nullable Object> List<JobResult<V>> awaitAll(
            List<? extends JobHandle<V>> handles, Duration atMost) throws InterruptedException {
        long begin = System.nanoTime();
        List<JobResult<V>> results = new ArrayList<>(handles.size());
        for (JobHandle<V> handle : handles) {
            results.add(handle.await(atMost.minusNanos(System.nanoTime() - begin)));
        }
        return results;
    }
}
