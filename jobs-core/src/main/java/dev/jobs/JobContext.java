package dev.jobs;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a running job can find out about itself. Thread-safe; valid while the job runs.
 *
 * <pre>{@code
 * @Job("build-report")
 * void build(long reportId, JobContext job) {
 *     for (int day = firstMissingDay(reportId); day < 365; day++) {
 *         if (job.isStopping()) {
 *             throw new JobInterruptedException("Report " + reportId + " continues at day " + day);
 *         }
 *         addDay(reportId, day);
 *     }
 * }
 * }</pre>
 */
public interface JobContext {

    /** The job's id (jid), the same for all its executions. */
    String jid();

    /** The job's wire name; for a job stored by Ruby's Active Job, the name of the job inside the envelope. */
    String name();

    /** The queue from which the job was claimed. */
    String queue();

    /** The payload as stored in Redis. */
    Payload payload();

    /** The number of this execution: 1 for the first, 2 for the first retry. Recoveries don't count. */
    int attempt();

    /**
     * How often this job was put back because its worker died, within the last 72 hours. At least this many earlier
     * executions may have begun.
     */
    int recoveries();

    /**
     * Whether the worker is shutting down. A long job should save its progress and throw
     * {@link JobInterruptedException}: it then goes to the back of its queue at once instead of being interrupted at
     * the deadline.
     */
    boolean isStopping();

    /**
     * Whether this worker still owns the job. It no longer does after its process froze for longer than its lease: the
     * job then runs elsewhere, and whatever this execution does from here on is a duplicate.
     */
    boolean holdsLease();

    /**
     * Whether the job or its batch is cancelled. A long job should then throw {@link JobInterruptedException}, or
     * anything else: it ends as cancelled or skipped, which is no failure. If it returns, it is done. Workers notice a
     * cancellation within about two seconds. Also true once the job's {@linkplain Job#timeout() timeout} is over: what
     * it throws then is a failure.
     */
    default boolean isCancelled() {
        return false;
    }

    /**
     * How long this execution may still take; zero once its time is over, empty for a job without a
     * {@linkplain Job#timeout() timeout}.
     */
    default Optional<Duration> remaining() {
        return Optional.empty();
    }

    /**
     * Adds a message that people see with the job in its batch. At most 20 for each execution, each cut at 500
     * characters. Sent about once a second and with the end of the job. Without effect outside a batch.
     */
    default void message(String message) {}

    /**
     * Tells how far the job has come, for people. Sent about once a second while the job runs, and with its end; kept
     * for a day after that. If this worker has lost the job, nothing is kept.
     *
     * @param done number of steps that are done
     * @param total number of all steps; 0 if it is unknown
     */
    default void progress(long done, long total) {}

    /**
     * Adds a line to the job's log, which people see with the job. The last 200 lines of all executions are kept, each
     * cut at 1,000 bytes and without line breaks; sent and kept as {@link #progress} is. Hidden arguments are masked in
     * it.
     */
    default void log(String text) {}

    /**
     * Values that middleware, listeners and the job share within this execution, each under a name of its owner's
     * choice. Empty when {@link JobListener#started} is called, kept until {@link JobListener#finished} has returned,
     * and gone after that: the next attempt begins with an empty map. The map may be used by several threads and takes
     * no nulls.
     */
    default Map<String, Object> attributes() {
        throw new UnsupportedOperationException("This JobContext keeps no attributes");
    }

    /** What a feature offers to the job, such as its batch; empty if the job has nothing to do with it. */
    @Internal
    default <F> Optional<F> feature(Class<F> type) {
        return Optional.empty();
    }
}
