package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.PayloadTimes;
import dev.jobs.batches.BatchRetention;
import dev.jobs.ends.TimeoutConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineFeature;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.limits.LimitConfig;
import dev.jobs.metrics.DeployMarks;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.store.DeadSetBounds;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an engine works.
 *
 * @param capsules at least one, with different names
 * @param shutdownTimeout how long jobs may go on when the engine stops, 0 to 1 hour
 * @param lease how long a process may send no beat before it is given up, 2 seconds to 10 minutes; may differ between
 *     processes on one Redis
 * @param pollInterval how often each process polls for due jobs on average, as a safety net, 100 ms to 10 minutes
 * @param maxAttempts how often a failed job is retried unless its own options say otherwise, 0 to 1,000
 * @param dead the bounds of the dead set
 * @param maxRecoveries how often a job may outlive its worker within 72 hours before it is buried, 1 to 100
 * @param tag shown beside the process in user interfaces; may be empty
 * @param maxIterationRuntime how long an execution of an iterable job may run before it lets other jobs run, 1 ms to
 *     365 days; null for any time
 * @param times how times are written into payloads
 * @param deployLabel the label with which each start marks a deployment in Sidekiq's metrics, 1 to 200 characters;
 *     empty to mark none
 * @param recurring the settings for recurring jobs
 * @param batches how long batches are kept after their end, at least a minute each
 * @param unknownJobWait how long a job that this version of the application can't run waits for a worker of another
 *     version before it fails, 0 to 7 days; zero if it fails at once
 * @param timeouts how long executions may take
 * @param limiters what becomes of jobs that are over a limit
 * @param limits how many jobs may run at once, over all workers
 * @param features what else takes part in the run of jobs, in order
 */
@Internal
public record EngineConfig(
        List<CapsuleConfig> capsules,
        Duration shutdownTimeout,
        Duration lease,
        Duration pollInterval,
        int maxAttempts,
        DeadSetBounds dead,
        int maxRecoveries,
        String tag,
        @Nullable Duration maxIterationRuntime,
        PayloadTimes times,
        String deployLabel,
        RecurringConfig recurring,
        BatchRetention batches,
        Duration unknownJobWait,
        TimeoutConfig timeouts,
        LimiterConfig limiters,
        LimitConfig limits,
        List<EngineFeature> features) {

    public EngineConfig {
        capsules = List.copyOf(capsules);
        features = List.copyOf(features);
        Set<String> names = new HashSet<>();
        for (CapsuleConfig capsule : capsules) {
            if (!names.add(capsule.name())) {
                throw new JobDefinitionException(
                        "Two capsules have the name '" + capsule.name() + "'", "Give each capsule its own name.");
            }
        }
        check(!capsules.isEmpty(), "capsules", "at least one", "none");
        within("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofHours(1));
        within("lease", lease, Duration.ofSeconds(2), Duration.ofMinutes(10));
        within("pollInterval", pollInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
        within("unknownJobWait", unknownJobWait, Duration.ZERO, Duration.ofDays(7));
        within("batches.plain", batches.plain(), Duration.ofMinutes(1), Duration.ofDays(3_650));
        within("batches.withDead", batches.withDead(), Duration.ofMinutes(1), Duration.ofDays(3_650));
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

    private static void within(String name, Duration value, Duration least, Duration most) {
        check(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, name, least + " to " + most, value);
    }

    private static void check(boolean holds, String name, String expected, Object actual) {
        if (!holds) {
            throw new JobDefinitionException(
                    "'" + name + "' must be " + expected + " but was " + actual, "Correct the value.");
        }
    }

    /** One capsule named {@code default}, and the defaults of {@link Values}. */
    public static EngineConfig of(int concurrency, String... queues) {
        return of(List.of(CapsuleConfig.of("default", concurrency, List.of(queues))));
    }

    /** These capsules, and the defaults of {@link Values}. */
    public static EngineConfig of(List<CapsuleConfig> capsules) {
        Values values = new Values();
        values.capsules = capsules;
        return values.config();
    }

    /**
     * This configuration with other values.
     *
     * @param change sets them
     * @throws JobDefinitionException if one is not allowed
     */
    public EngineConfig with(Consumer<Values> change) {
        Values values = new Values();
        values.capsules = capsules;
        values.shutdownTimeout = shutdownTimeout;
        values.lease = lease;
        values.pollInterval = pollInterval;
        values.maxAttempts = maxAttempts;
        values.dead = dead;
        values.maxRecoveries = maxRecoveries;
        values.tag = tag;
        values.maxIterationRuntime = maxIterationRuntime;
        values.times = times;
        values.deployLabel = deployLabel;
        values.recurring = recurring;
        values.batches = batches;
        values.unknownJobWait = unknownJobWait;
        values.timeouts = timeouts;
        values.limiters = limiters;
        values.limits = limits;
        values.features = features;
        change.accept(values);
        return values.config();
    }

    /** How many jobs run at once at most. */
    public int concurrency() {
        return capsules.stream().mapToInt(CapsuleConfig::concurrency).sum();
    }

    /**
     * The values of a configuration that is to be made, at first the defaults, which are Sidekiq's where Sidekiq has the
     * setting.
     */
    public static final class Values {

        public List<CapsuleConfig> capsules = List.of();
        public Duration shutdownTimeout = Duration.ofSeconds(25);
        public Duration lease = Duration.ofSeconds(20);
        public Duration pollInterval = Duration.ofSeconds(5);
        public int maxAttempts = 25;
        public DeadSetBounds dead = DeadSetBounds.defaults();
        public int maxRecoveries = 3;
        public String tag = "";
        public @Nullable Duration maxIterationRuntime;
        public PayloadTimes times = PayloadTimes.MILLISECONDS;
        public String deployLabel = "";
        public RecurringConfig recurring = RecurringConfig.defaults();
        public BatchRetention batches = BatchRetention.defaults();
        public Duration unknownJobWait = Duration.ofMinutes(10);
        public TimeoutConfig timeouts = TimeoutConfig.defaults();
        public LimiterConfig limiters = LimiterConfig.defaults();
        public LimitConfig limits = LimitConfig.defaults();
        public List<EngineFeature> features = List.of();

        private Values() {}

        private EngineConfig config() {
            return new EngineConfig(
                    capsules,
                    shutdownTimeout,
                    lease,
                    pollInterval,
                    maxAttempts,
                    dead,
                    maxRecoveries,
                    tag,
                    maxIterationRuntime,
                    times,
                    deployLabel,
                    recurring,
                    batches,
                    unknownJobWait,
                    timeouts,
                    limiters,
                    limits,
                    features);
        }
    }
}
