package dev.jobs.engine;

import dev.jobs.JobDefinitionException;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.redis.DeployMarks;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an engine works.
 *
 * @param capsules at least one, with different names
 * @param shutdownTimeout how long jobs may go on when the engine stops, 0 to 1 hour
 * @param lease after so long without a beat a process is given up, 2 seconds to 10 minutes; may differ between processes on one Redis
 * @param pollInterval how often each process looks for due jobs on average, as a safety net, 100 ms to 10 minutes
 * @param maxAttempts how often a failed job is retried unless it says otherwise, 0 to 1,000
 * @param dead how much the dead set keeps
 * @param maxRecoveries how often a job may outlive its worker within 72 hours before it is buried, 1 to 100
 * @param tag shown beside the process in user interfaces; may be empty
 * @param maxIterationRuntime how long an execution of an iterable job may run before others get their turn, 1 ms to 365 days; null for as
 *     long as it takes
 * @param times how times are written into payloads
 * @param deployLabel what each start marks as a deployment in Sidekiq's metrics, 1 to 200 characters; empty to mark none
 * @param recurring how it deals with recurring jobs
 */
public record EngineConfig(
        List<CapsuleConfig> capsules,
        Duration shutdownTimeout,
        Duration lease,
        Duration pollInterval,
        int maxAttempts,
        DeadSetLimits dead,
        int maxRecoveries,
        String tag,
        @Nullable Duration maxIterationRuntime,
        PayloadTimes times,
        String deployLabel,
        RecurringConfig recurring) {

    public EngineConfig {
        capsules = List.copyOf(capsules);
        Set<String> names = new HashSet<>();
        for (CapsuleConfig capsule : capsules) {
            if (!names.add(capsule.name())) {
                throw new JobDefinitionException(
                        "Two capsules have the name '" + capsule.name() + "'", "Give each capsule a name of its own.");
            }
        }
        check(!capsules.isEmpty(), "capsules", "at least one", "none");
        within("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofHours(1));
        within("lease", lease, Duration.ofSeconds(2), Duration.ofMinutes(10));
        within("pollInterval", pollInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
        check(maxAttempts >= 0 && maxAttempts <= 1_000, "maxAttempts", "0 to 1000", maxAttempts);
        check(dead.maxJobs() >= 1, "dead.maxJobs", "at least 1", dead.maxJobs());
        check(dead.retention().toSeconds() >= 1, "dead.retention", "at least 1 second", dead.retention());
        check(maxRecoveries >= 1 && maxRecoveries <= 100, "maxRecoveries", "1 to 100", maxRecoveries);
        if (maxIterationRuntime != null) {
            within("maxIterationRuntime", maxIterationRuntime, Duration.ofMillis(1), Duration.ofDays(365));
        }
        check(
                deployLabel.isEmpty() || DeployMarks.isLabel(deployLabel),
                "deployLabel",
                "1 to 200 characters without control characters, or empty",
                "'" + deployLabel + "'");
    }

    /**
     * With iterable jobs that run as long as they take, times in milliseconds, no mark of a deployment and
     * {@link RecurringConfig#defaults()}.
     */
    public EngineConfig(
            List<CapsuleConfig> capsules,
            Duration shutdownTimeout,
            Duration lease,
            Duration pollInterval,
            int maxAttempts,
            DeadSetLimits dead,
            int maxRecoveries,
            String tag) {
        this(
                capsules,
                shutdownTimeout,
                lease,
                pollInterval,
                maxAttempts,
                dead,
                maxRecoveries,
                tag,
                null,
                PayloadTimes.MILLISECONDS,
                "",
                RecurringConfig.defaults());
    }

    private static void within(String name, Duration value, Duration least, Duration most) {
        check(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, name, least + " to " + most, value);
    }

    private static void check(boolean holds, String name, String expected, Object actual) {
        if (!holds) {
            throw new JobDefinitionException(
                    "'" + name + "' must be " + expected + " but was " + actual, "Correct the value.");
        }
    }

    /** One capsule named {@code default} and Sidekiq's defaults for all else. */
    public static EngineConfig of(int concurrency, String... queues) {
        return new EngineConfig(
                List.of(CapsuleConfig.of("default", concurrency, List.of(queues))),
                Duration.ofSeconds(25),
                Duration.ofSeconds(20),
                Duration.ofSeconds(5),
                25,
                new DeadSetLimits(10_000, Duration.ofDays(180)),
                3,
                "");
    }

    /** The same with a longest time for an execution of an iterable job; null for as long as it takes. */
    public EngineConfig withMaxIterationRuntime(@Nullable Duration longest) {
        return with(longest, times, deployLabel, recurring);
    }

    /** The same with another form of times in payloads. */
    public EngineConfig withTimes(PayloadTimes other) {
        return with(maxIterationRuntime, other, deployLabel, recurring);
    }

    /** The same with another label to mark; empty to mark none. */
    public EngineConfig withDeployLabel(String other) {
        return with(maxIterationRuntime, times, other, recurring);
    }

    /** The same with another way to deal with recurring jobs. */
    public EngineConfig withRecurring(RecurringConfig other) {
        return with(maxIterationRuntime, times, deployLabel, other);
    }

    private EngineConfig with(@Nullable Duration longest, PayloadTimes form, String label, RecurringConfig way) {
        return new EngineConfig(
                capsules,
                shutdownTimeout,
                lease,
                pollInterval,
                maxAttempts,
                dead,
                maxRecoveries,
                tag,
                longest,
                form,
                label,
                way);
    }

    /** The number of jobs that run at once at most. */
    public int concurrency() {
        return capsules.stream().mapToInt(CapsuleConfig::concurrency).sum();
    }
}
