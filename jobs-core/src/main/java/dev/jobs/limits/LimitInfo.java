package dev.jobs.limits;

import dev.jobs.admin.JobRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limit at one moment; see {@link dev.jobs.limits.Limit}.
 *
 * @param concurrency how many jobs with the same key may run at once; null if nobody says, so that any number may
 * @param rate how many of them may start in a time; null if nobody says
 * @param changed whether one of these was set by {@link LimitsAdmin#set} and not by the workers
 * @param held jobs that have a permit, those of all keys together
 * @param waiting jobs that are parked
 * @param longestWait how long the parked job has waited that was enqueued first; zero if none waits. With more than 200
 *     keys that have parked jobs it is that of some of them
 */
public record LimitInfo(
        String name,
        @Nullable Integer concurrency,
        @Nullable LimitRate rate,
        boolean changed,
        long held,
        long waiting,
        Duration longestWait) {

    /**
     * A key for which jobs are parked.
     *
     * @param held jobs with this key that have a permit
     * @param waiting jobs with this key that are parked
     * @param longestWait how long ago the first of them was enqueued
     * @param nextStart how long until one of them may start by the limit's rate; zero if it may now, or if there is no
     *     rate
     */
    public record Key(String key, long held, long waiting, Duration longestWait, Duration nextStart) {}

    /**
     * A job that has a permit.
     *
     * @param process the worker that runs it
     * @param queue the queue from which it was taken
     * @param job null if it ended meanwhile
     */
    public record Holder(
            String process, String queue, @Nullable JobRecord job) {}
}
