package dev.jobs;

/** What a running job may ask about itself. Thread-safe; valid while the job runs. */
public interface JobContext {

    /** The job's id, the same through all its retries. */
    String jid();

    /** The job's wire name; for a job that Ruby's Active Job stored, that of the job inside its envelope. */
    String name();

    /** The queue that the job was taken from. */
    String queue();

    /** The payload as it is stored in Redis. */
    Payload payload();

    /** Which execution by policy this is: 1 for the first, 2 for the first retry. Recoveries do not count. */
    int attempt();

    /** How often this job outlived its worker in the last 72 hours and was put back: at least so many executions may have begun before. */
    int recoveries();

    /**
     * Whether the worker is shutting down. A long job should save its progress and throw {@link JobInterruptedException}: it is put at the
     * back of its queue at once, instead of being interrupted at the deadline.
     */
    boolean isStopping();

    /**
     * Whether the job is still this worker's. It is not after the process froze for longer than its lease: then the job runs elsewhere, and
     * whatever this execution does from here on is a duplicate.
     */
    boolean holdsLease();
}
