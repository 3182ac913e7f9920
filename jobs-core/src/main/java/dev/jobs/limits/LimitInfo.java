package dev.jobs.limits;

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
        Duration longestWait) {}
