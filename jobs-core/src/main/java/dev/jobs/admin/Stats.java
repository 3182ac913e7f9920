package dev.jobs.admin;

import org.jspecify.annotations.Nullable;

/**
 * The most important numbers.
 *
 * @param processed executions since the last reset, failed ones included
 * @param failed executions that failed
 * @param enqueued jobs in all queues, those in order included
 * @param parked jobs that wait at limits, outside their queues
 * @param scheduled jobs that wait for their time
 * @param retries failed jobs that wait for a retry
 * @param dead jobs in the dead set
 * @param busy jobs that run now, as the processes last published
 * @param processes processes with a heartbeat within the last minute
 * @param books the ledger of claimed jobs, or null if it can't be read, for example because its key was overwritten
 */
public record Stats(
        long processed,
        long failed,
        long enqueued,
        long parked,
        long scheduled,
        long retries,
        long dead,
        long busy,
        int processes,
        @Nullable Books books) {}
