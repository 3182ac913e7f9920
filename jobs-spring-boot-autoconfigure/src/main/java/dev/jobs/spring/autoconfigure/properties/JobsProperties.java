package dev.jobs.spring.autoconfigure.properties;

import dev.jobs.Internal;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.spring.autoconfigure.batches.BatchProperties;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import dev.jobs.spring.autoconfigure.encryption.EncryptionProperties;
import dev.jobs.spring.autoconfigure.ends.TimeoutProperties;
import dev.jobs.spring.autoconfigure.iterations.IterationProperties;
import dev.jobs.spring.autoconfigure.limiters.LimiterProperties;
import dev.jobs.spring.autoconfigure.limits.LimitProperties;
import dev.jobs.spring.autoconfigure.limits.QueueLimitProperties;
import dev.jobs.spring.autoconfigure.ordered.OrderedQueueProperties;
import dev.jobs.spring.autoconfigure.recurring.RecurringProperties;
import dev.jobs.spring.autoconfigure.results.ResultProperties;
import dev.jobs.spring.autoconfigure.versions.UnknownJobProperties;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * The properties of Jobs. {@code spring.data.redis} says where Redis is. A time without a unit is in seconds, as in
 * Sidekiq's configuration, so that 30 can't mean 30 milliseconds.
 *
 * @param enabled Whether this application runs jobs and reports on them. If false, there is no worker, health, metrics,
 *     endpoint or dashboard, and Redis is not contacted by itself, but the beans for enqueueing and administration are
 *     there and work. For the worker alone, see "jobs.worker.enabled".
 * @param worker Worker of this application.
 * @param concurrency Number of jobs from the queues that run at once, 1 to 10000.
 * @param queues Queues that this application serves. Plain names mean strict order; "name,weight" prefers queues by
 *     weight; weights that are all 1 mean random order.
 * @param capsules Additional groups of queues by name, each with its own concurrency.
 * @param shutdownTimeout Time that running jobs have to finish when the application stops, up to 1 hour. Jobs still
 *     running then are handed back to their queues.
 * @param lease Time without a heartbeat after which a worker is given up, 2 seconds to 10 minutes. Its jobs run again
 *     within about another third of that time. May differ between workers on one Redis.
 * @param keyPrefix Prefix of all keys in Redis. Without one, the keys are Sidekiq's. On a Redis Cluster it must contain
 *     a hash tag, as in "{shop}:".
 * @param retry Retries of failed jobs.
 * @param dead Dead set, which holds jobs that are not tried again.
 * @param pollInterval Average time between two polls for due jobs, 100 milliseconds to 10 minutes. A safety net, since
 *     due jobs are timed.
 * @param maxPayload Largest job that can be enqueued, as JSON in Redis, 1000 bytes to 500000000 bytes.
 * @param transactions When jobs are stored that are enqueued in a transaction of Spring.
 * @param poison Jobs that keep ending their worker.
 * @param unknownJobs Jobs that this version of the application can't run.
 * @param iteration Jobs that work through many elements.
 * @param timeout How long executions may take.
 * @param limiters What becomes of jobs that have used up what a limiter allows.
 * @param limits Limits on how many jobs run at once or start in a time, by name.
 * @param queueLimits Limits on how many jobs of a queue run at once, by the name of the queue.
 * @param orderedQueues Queues whose jobs take turns by key, or are ordered by priority, by name. The same in every
 *     application that enqueues or shows their jobs, and in every worker, whatever its queues.
 * @param results Results of jobs.
 * @param deployLabel Label, such as a version, with which each worker start marks a deployment in Sidekiq's metrics, at
 *     most 200 characters. None by default.
 * @param sidekiq Sharing Redis with Ruby.
 * @param recurring Recurring jobs.
 * @param batches Batches.
 * @param encryption Encryption of arguments.
 * @param context What jobs take along from the thread that enqueues them.
 * @param tracing Traces.
 */
@ConfigurationProperties("jobs")
@Internal
public record JobsProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Worker worker,
        @DefaultValue("10") int concurrency,
        @DefaultValue("default") List<String> queues,
        @DefaultValue Map<String, Capsule> capsules,

        @DefaultValue("25s") @DurationUnit(ChronoUnit.SECONDS)
        Duration shutdownTimeout,

        @DefaultValue("20s") @DurationUnit(ChronoUnit.SECONDS)
        Duration lease,

        @DefaultValue("") String keyPrefix,
        @DefaultValue Retry retry,
        @DefaultValue Dead dead,

        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration pollInterval,

        @DefaultValue("1MB") DataSize maxPayload,

        @DefaultValue("after-commit") TransactionMode transactions,
        @DefaultValue Poison poison,
        @DefaultValue @NestedConfigurationProperty UnknownJobProperties unknownJobs,
        @DefaultValue @NestedConfigurationProperty IterationProperties iteration,
        @DefaultValue @NestedConfigurationProperty TimeoutProperties timeout,
        @DefaultValue @NestedConfigurationProperty LimiterProperties limiters,
        @DefaultValue Map<String, LimitProperties> limits,
        @DefaultValue Map<String, QueueLimitProperties> queueLimits,
        @DefaultValue Map<String, OrderedQueueProperties> orderedQueues,
        @DefaultValue @NestedConfigurationProperty ResultProperties results,

        @DefaultValue("") String deployLabel,

        @DefaultValue Sidekiq sidekiq,
        @DefaultValue @NestedConfigurationProperty RecurringProperties recurring,
        @DefaultValue @NestedConfigurationProperty BatchProperties batches,
        @DefaultValue @NestedConfigurationProperty EncryptionProperties encryption,
        @DefaultValue Context context,
        @DefaultValue Tracing tracing) {

    private static final int MOST_JOBS_AT_ONCE = 10_000;

    /** @throws IllegalArgumentException if values are out of their ranges; it names all of them */
    public JobsProperties {
        PropertyRules rules = PropertyRules.of("jobs")
                .within("concurrency", concurrency, 1, MOST_JOBS_AT_ONCE)
                .check("queues", queues, !queues.isEmpty(), "must not be empty")
                .within("shutdown-timeout", shutdownTimeout, "0s", "1h")
                .within("lease", lease, "2s", "10m")
                .within("poll-interval", pollInterval, "100ms", "10m")
                .within("max-payload", maxPayload, "1000B", "500000000B")
                .check(
                        "deploy-label",
                        deployLabel,
                        isText(deployLabel, 200),
                        "must be at most 200 characters, none of them a control character");
        capsules.forEach((name, capsule) -> capsule.check("capsules[" + name + "].", rules));
        retry.check(rules);
        dead.check(rules);
        poison.check(rules);
        unknownJobs.check(rules);
        iteration.check(rules);
        timeout.check(rules);
        limiters.check(rules);
        limits.forEach((name, limit) -> limit.check(name, rules));
        queueLimits.forEach((queue, limit) -> limit.check(queue, rules));
        orderedQueues.forEach((queue, order) -> order.check(queue, rules));
        results.check(rules);
        recurring.check(rules);
        batches.check(rules);
        encryption.check(rules);
        context.check(rules);
        rules.enforce();
    }

    /** The names of all keys in Redis. */
    public RedisKeys keys() {
        return new RedisKeys(keyPrefix, OrderedQueueProperties.rules(orderedQueues));
    }

    private static boolean isText(String text, int most) {
        return text.length() <= most && text.chars().noneMatch(Character::isISOControl);
    }

    /** When jobs are stored that are enqueued in a transaction. */
    public enum TransactionMode {
        /** After the commit; a rollback drops them. */
        AFTER_COMMIT,
        /** With the commit, in a table of its database, from which they are moved to Redis; needs jobs-outbox-jdbc. */
        OUTBOX,
        /** At once, as outside a transaction. */
        OFF
    }

    /**
     * Traces.
     *
     * @param links Which executions begin a trace of their own, with a link to the call that enqueued the job: none,
     *     all, or retries, which are all but the first attempt. The others belong to the trace of that call.
     */
    public record Tracing(@DefaultValue("none") Links links) {

        /** Which executions begin a trace. */
        public enum Links {
            NONE,
            RETRIES,
            ALL
        }
    }

    /**
     * The worker of this application.
     *
     * @param enabled Whether this application runs jobs. Without a worker it still enqueues them, and has health,
     *     metrics and dashboard.
     * @param tag Label of this application's process in user interfaces. Defaults to the application name.
     */
    public record Worker(
            @DefaultValue("true") boolean enabled, @Nullable String tag) {}

    /**
     * A group of queues.
     *
     * @param concurrency Number of jobs from these queues that run at once, 1 to 10000. Defaults to that of the main
     *     queues.
     * @param queues Queues of the group, written as the main queues are.
     */
    public record Capsule(
            @Nullable Integer concurrency, @DefaultValue List<String> queues) {

        private void check(String prefix, PropertyRules rules) {
            if (concurrency != null) {
                rules.within(prefix + "concurrency", concurrency, 1, MOST_JOBS_AT_ONCE);
            }
            rules.check(prefix + "queues", queues, !queues.isEmpty(), "must not be empty");
        }
    }

    /**
     * Retries of failed jobs.
     *
     * @param maxAttempts Number of times that a failed job is retried unless the job says otherwise, 0 to 1000.
     */
    public record Retry(@DefaultValue("25") int maxAttempts) {

        private void check(PropertyRules rules) {
            rules.within("retry.max-attempts", maxAttempts, 0, 1_000);
        }
    }

    /**
     * The dead set.
     *
     * @param maxJobs Number of jobs to which the dead set is trimmed whenever a job dies, 1 or more.
     * @param retention Time that a dead job is kept, 1 second or more.
     */
    public record Dead(
            @DefaultValue("10000") int maxJobs,

            @DefaultValue("180d") @DurationUnit(ChronoUnit.SECONDS)
            Duration retention) {

        private void check(PropertyRules rules) {
            rules.check("dead.max-jobs", maxJobs, maxJobs >= 1, "must be 1 or more")
                    .within("dead.retention", retention, "1s", "36500d");
        }
    }

    /**
     * Sharing Redis with Ruby.
     *
     * @param floatSeconds Whether to write times into jobs in seconds with a fraction, as Sidekiq 6 and 7 do, instead
     *     of in milliseconds, as Sidekiq 8 does. Needed while Sidekiq 6 or 7 reads these jobs.
     */
    public record Sidekiq(@DefaultValue("false") boolean floatSeconds) {

        public PayloadTimes times() {
            return floatSeconds ? PayloadTimes.FLOAT_SECONDS : PayloadTimes.MILLISECONDS;
        }
    }

    /**
     * Jobs that keep ending their worker.
     *
     * @param maxRecoveries Number of times within 72 hours that a job may outlive its worker before it goes to the dead
     *     set, 1 to 100.
     */
    public record Poison(@DefaultValue("3") int maxRecoveries) {

        private void check(PropertyRules rules) {
            rules.within("poison.max-recoveries", maxRecoveries, 1, 100);
        }
    }

    /**
     * What jobs take along from the thread that enqueues them.
     *
     * @param mdcKeys MDC entries that jobs take along, at most 20. Values of more than 200 characters stay behind.
     * @param locale Whether jobs take along the locale of the request.
     * @param accessors Keys of the ThreadLocalAccessors whose texts jobs take along, such as the tenant, at most 20.
     */
    public record Context(
            @DefaultValue List<String> mdcKeys,

            @DefaultValue("false") boolean locale,
            @DefaultValue List<String> accessors) {

        private void check(PropertyRules rules) {
            checkKeys("context.mdc-keys", mdcKeys, rules);
            checkKeys("context.accessors", accessors, rules);
        }

        private static void checkKeys(String name, List<String> keys, PropertyRules rules) {
            rules.check(name, keys, keys.size() <= 20, "must have at most 20 entries");
            for (int i = 0; i < keys.size(); i++) {
                String key = keys.get(i);
                rules.check(
                        name + "[" + i + "]",
                        key,
                        !key.isEmpty() && isText(key, 100),
                        "must be 1 to 100 characters, none of them a control character");
            }
        }
    }
}
