package dev.jobs.test;

/** What happens to the jobs that a test enqueues. */
public enum JobsMode {

    /**
     * Jobs are recorded and wait; {@link TestJobs#drain} runs them. Needs no Redis. Batches and {@code JobsAdmin} need
     * one, and throw.
     */
    RECORDING,

    /**
     * Jobs run at once on the thread that enqueues them; those that a job enqueues run when it has ended. A failure is
     * thrown to the caller as a {@link JobRunException}. A job with a delay, and the retry of a failed one, run when
     * the {@link TestClock} reaches their time. Needs no Redis. Batches and {@code JobsAdmin} need one, and throw.
     */
    INLINE,

    /** A worker runs the jobs on its own threads, on a Redis that is started for the test. */
    WORKER
}
