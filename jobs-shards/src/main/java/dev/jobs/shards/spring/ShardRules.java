package dev.jobs.shards.spring;

import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.shards.ShardMap;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.TransactionMode;
import dev.jobs.unique.UniqueRule;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks that what an application uses can be done with its shards. */
final class ShardRules {

    private final ShardMap map;
    private final JobsProperties properties;
    private final JobRegistry registry;

    ShardRules(ShardMap map, JobsProperties properties, JobRegistry registry) {
        this.map = map;
        this.properties = properties;
        this.registry = registry;
    }

    /** @throws JobDefinitionException if something can't; the first that is found */
    void check() {
        if (properties.transactions() == TransactionMode.OUTBOX) {
            throw new JobDefinitionException(
                    "jobs.transactions is 'outbox', and there are the shards " + map.shards()
                            + ": the outbox moves all jobs to one Redis",
                    "Set jobs.transactions to after-commit, or leave the jobs in one shard.");
        }
        if (properties.enabled() && properties.worker().enabled()) {
            checkServed("jobs.queues", properties.queues());
            properties
                    .capsules()
                    .forEach((name, capsule) -> checkServed("jobs.capsules." + name + ".queues", capsule.queues()));
        }
        properties.queueLimits().keySet().forEach(this::checkQueueLimit);
        registry.definitions().forEach(this::checkJob);
        checkLimits();
    }

    /**
     * Checks what the configuration declares to recur, which can't be read before all beans exist.
     *
     * @throws JobDefinitionException if the queue of one is in no shard
     */
    static void checkSchedules(ShardMap map, ConfiguredSchedules schedules) {
        schedules
                .declared()
                .recurring()
                .forEach(each -> checkKnown(map, each.queue(), "of the recurring job " + each.shown()));
    }

    private void checkServed(String property, List<String> entries) {
        for (String entry : entries) {
            checkKnown(map, entry.split(",", -1)[0].strip(), "in " + property);
        }
    }

    /** @param where it is named */
    private static void checkKnown(ShardMap map, String queue, String where) {
        if (!map.isKnown(queue)) {
            throw new JobDefinitionException(
                    "The queue '" + queue + "' " + where + " is in none of the shards " + map.shards(),
                    "Add it to jobs.shards.NAME.queues of one of them, or to jobs.spread-queues.");
        }
    }

    private void checkQueueLimit(String queue) {
        checkServed("jobs.queue-limits", List.of(queue));
        if (map.isSpread(queue)) {
            throw new JobDefinitionException(
                    "jobs.queue-limits has a limit for the queue '" + queue + "', which is spread over the shards "
                            + map.of(queue) + ": each of them counts for itself",
                    "Remove the limit, or let the queue live in one shard.");
        }
    }

    private void checkJob(JobDefinition job) {
        String queue = ShardLayout.queueOf(job);
        checkKnown(map, queue, "of the @Job method " + job.qualifiedMethodName());
        checkRetries(job, queue);
        boolean unique = job.rule(UniqueRule.class) != null;
        if (map.isSpread(queue) && (unique || !LimitRules.of(job).isEmpty())) {
            throw new JobDefinitionException(
                    "The @Job method " + job.qualifiedMethodName() + " "
                            + (unique ? "is unique" : "has a limit on how many run at once")
                            + ", and its queue '" + queue + "' is spread over the shards " + map.of(queue)
                            + ": none of them knows the jobs of the others",
                    "Give the job a queue that lives in one shard, or remove " + (unique ? "@Unique." : "the limit."));
        }
    }

    /** A failed job stays in its shard. */
    private void checkRetries(JobDefinition job, String queue) {
        Object retryQueue = job.options().get("retry_queue");
        if (!(retryQueue instanceof String other) || other.equals(queue)) {
            return;
        }
        if (!map.isKnown(other) || !new HashSet<>(map.of(other)).containsAll(map.of(queue))) {
            throw new JobDefinitionException(
                    "The queue '" + queue + "' of the @Job method " + job.qualifiedMethodName() + " is "
                            + map.whereIs(queue)
                            + ", and its retryQueue '" + other + "' is " + map.whereIs(other)
                            + ": a failed job stays in its shard",
                    "Put both queues into one shard, or leave out retryQueue.");
        }
    }

    private void checkLimits() {
        Map<String, JobDefinition> first = new HashMap<>();
        for (JobDefinition job : registry.definitions()) {
            Stream<String> names = LimitRules.of(job).stream().map(LimitRule::name);
            names.forEach(limit -> {
                JobDefinition other = first.putIfAbsent(limit, job);
                if (other != null && !shard(other).equals(shard(job))) {
                    throw new JobDefinitionException(
                            "The limit '" + limit + "' is that of " + other.qualifiedMethodName() + " in the shard '"
                                    + shard(other)
                                    + "' and of " + job.qualifiedMethodName() + " in the shard '" + shard(job)
                                    + "': each shard counts for itself",
                            "Give both jobs queues in one shard, or the limits different names.");
                }
            });
        }
    }

    private String shard(JobDefinition job) {
        return map.of(ShardLayout.queueOf(job)).get(0);
    }
}
