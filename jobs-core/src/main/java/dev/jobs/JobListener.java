package dev.jobs;

import dev.jobs.limiters.OverLimitException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of client and engine, for metrics and the like. With Spring, every bean of this type is called.
 *
 * <pre>{@code
 * @Component
 * class SlowJobs implements JobListener {
 *
 *     private static final Logger log = LoggerFactory.getLogger(SlowJobs.class);
 *
 *     @Override
 *     public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
 *         if (took.toSeconds() >= 60) {
 *             log.warn("Job {} took {} s: {}", job.name(), took.toSeconds(), ending);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Called by many threads, each time on the thread that caused the event unless a method says otherwise, also on hot
 * paths, so it must be quick. An exception is logged and ignored; an {@link OutOfMemoryError} is rethrown and ends a
 * worker.
 */
public interface JobListener {

    /** How an execution ended. */
    enum Ending {
        /** The job succeeded. */
        DONE,
        /** The job failed and waits in the retry set. */
        RETRIED,
        /** The job went to the dead set. */
        DEAD,
        /** The job failed and is kept nowhere. */
        DISCARDED,
        /** The job ended with a {@link JobFailedException} and is kept nowhere. */
        FAILED,
        /** The job was not run, or gave up its run, since its batch is cancelled. */
        SKIPPED,
        /** The job was not run, or gave up its run, since it was cancelled, and is kept nowhere. */
        CANCELLED,
        /** The job was not run, since it had expired, and is kept nowhere. */
        EXPIRED,
        /** The job was not run, since a later one with the key of its lock took its place, and is kept nowhere. */
        REPLACED,
        /**
         * The job is in its queue again: it stopped itself with {@link JobInterruptedException}, an iteration had to
         * leave, or it has not begun since Redis could not say whether it is cancelled.
         */
        INTERRUPTED,
        /**
         * The job was not run, since this version of the application can't: it waits in the scheduled set for a worker
         * of another version.
         */
        POSTPONED,
        /**
         * The job has used up what a limiter allows, and waits in the scheduled set until there is room; see
         * {@link OverLimitException}.
         */
        OVER_LIMIT,
        /** The worker stopped: the job is in its queue again. */
        HANDED_BACK,
        /** The worker's lease had expired: the job runs elsewhere, and the outcome of this execution is ignored. */
        LOST
    }

    /** State of the engine as a whole. */
    enum EngineState {
        STARTED,
        /** Claims no more jobs; running jobs continue. */
        QUIET,
        STOPPED
    }

    /**
     * Jobs were stored, all with the same name and queue. For jobs of a committed transaction it is called on another
     * thread than that of the transaction.
     *
     * @param count how many, at least 1
     * @param scheduled whether they wait in the scheduled set rather than in the queue
     */
    default void enqueued(String name, String queue, int count, boolean scheduled) {}

    /**
     * Jobs of a committed transaction could not be stored in time, and are given up. Their jids are in the log.
     *
     * @param count how many of this name and queue, at least 1
     */
    default void notStored(String name, String queue, int count) {}

    /**
     * Jobs were refused because others hold the locks of their keys: they are not stored, or went to the dead set.
     * Jobs that replace others, or wait for the end of a lock, are {@link #enqueued}.
     *
     * @param count how many of this name and queue, at least 1
     * @param holder the jid of the job that holds the lock of the first of them
     */
    default void duplicates(String name, String queue, int count, String holder) {}

    /** An execution begins, on the thread that runs the job. */
    default void started(JobContext job) {}

    /**
     * An execution has taken four fifths of its {@linkplain Job#timeout() timeout}. Called once, on the thread that
     * watches all timeouts, which must not be kept.
     *
     * @param stack where the job's thread is, innermost frame first
     */
    default void slow(JobContext job, List<StackTraceElement> stack) {}

    /**
     * An execution did not end in the grace after its timeout, so it is given up and its thread is left behind. Called
     * on the thread that takes its place, before error handlers are called and {@link #finished} is, there too. What
     * {@link #started} gave to the thread that is left behind stays there as long as that runs.
     */
    default void abandoned(JobContext job) {}

    /**
     * An execution ended. Also called, without a preceding {@link #started}, for a claimed entry that is not a job or
     * can't be run; if it is not even a JSON object, {@link JobContext#payload()} throws, and name and jid are empty.
     *
     * <p>Called on the thread that ran the job. If that did not end in the grace after its timeout, it is called on the
     * thread that takes its place.
     *
     * @param took the time since this worker's thread began with the job, middleware included
     * @param failure what the job threw; null if it threw nothing
     */
    default void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {}

    /**
     * A due job moved from the scheduled or retry set to its queue.
     *
     * @param lateness how long after its due time
     */
    default void promoted(String name, String queue, Duration lateness) {}

    /**
     * The jobs of a dead worker were recovered.
     *
     * @param recovered number of jobs put back into their queues
     * @param poisoned number of jobs buried because they outlived their workers too often
     */
    default void recovered(int recovered, int poisoned) {}

    /**
     * One call to Redis settled jobs, claimed jobs, or did both. Not reported for calls that wait in Redis until a job
     * arrives.
     *
     * @param settled number of jobs whose outcome was sent
     * @param claimed number of jobs claimed
     */
    default void exchanged(int settled, int claimed, Duration took) {}

    /**
     * A limiter had no room at once: a caller has waited for it, or got an {@link OverLimitException}.
     *
     * @param limiter the name of the limiter
     * @param waited how long the caller waited
     * @param refused whether there was still no room
     */
    default void limited(String limiter, Duration waited, boolean refused) {}

    /**
     * Settlements came too late: the jobs had been taken away from this worker.
     *
     * @param count number of jobs
     */
    default void settlementRefused(int count) {}

    /** The engine reached a new state. */
    default void engineChanged(EngineState state) {}
}
