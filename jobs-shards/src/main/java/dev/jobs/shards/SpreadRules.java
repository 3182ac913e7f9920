package dev.jobs.shards;

import dev.jobs.InvalidJobException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.PayloadRules;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.UniqueRule;
import java.util.HashSet;

/**
 * What the shards of an application can't keep, and therefore refuse: a queue that is in none of them, and what would
 * need an agreement between several.
 */
final class SpreadRules {

    private SpreadRules() {}

    /**
     * Checks that a job has a place in the shards.
     *
     * @param registry knows the limits that the code gives to a job
     * @throws InvalidJobException if it has none
     */
    static void check(ShardMap map, Payload payload, JobRegistry registry) {
        String queue = String.valueOf(payload.queue());
        if (!map.isKnown(queue)) {
            throw refused(
                    payload,
                    "its queue '" + queue + "' is " + map.whereIs(queue) + "; add it to the queues of one of them");
        }
        String retryQueue = payload.text("retry_queue");
        if (retryQueue != null && !retryQueue.equals(queue)) {
            checkRetries(map, payload, queue, retryQueue);
        }
        if (map.isSpread(queue)) {
            checkSpread(map, payload, queue, registry);
        }
    }

    /** A failed job stays in its shard. */
    private static void checkRetries(ShardMap map, Payload payload, String queue, String retryQueue) {
        if (!map.isKnown(retryQueue) || !new HashSet<>(map.of(retryQueue)).containsAll(map.of(queue))) {
            throw refused(
                    payload,
                    "its queue '" + queue + "' is " + map.whereIs(queue) + ", and the queue '" + retryQueue
                            + "' of its retries is " + map.whereIs(retryQueue)
                            + "; put both into one shard, or let it be retried in its own queue");
        }
    }

    private static void checkSpread(ShardMap map, Payload payload, String queue, JobRegistry registry) {
        boolean unique = payload.has(UniqueRule.LOCK);
        if (unique || payload.has(Debounce.KEY)) {
            throw refused(
                    payload,
                    "it is " + (unique ? "unique or throttled" : "debounced")
                            + ", and locks hold within one shard, but its queue '" + queue + "' is spread over "
                            + map.of(queue) + "; use a queue that lives in one shard");
        }
        boolean limited = payload.has(LimitRule.MEMBER)
                || registry.find(payload.jobName())
                        .map(job -> !LimitRules.of(job).isEmpty())
                        .orElse(false);
        if (limited) {
            throw refused(
                    payload,
                    "it has a limit, and limits count within one shard, but its queue '" + queue + "' is spread over "
                            + map.of(queue) + "; use a queue that lives in one shard");
        }
    }

    /** See {@link dev.jobs.recurring.LocalQueues#checkIsHere}. */
    static void checkIsHere(OneShard here, CheckedJob job, JobRegistry registry, String owner, String instead) {
        check(here.map(), job.payload(), registry);
        if (!here.holds(job.queue())) {
            throw refused(
                    job.payload(),
                    "its queue '" + job.queue() + "' is " + here.map().whereIs(job.queue()) + ", and " + owner
                            + " in shard '" + here.name() + "'; " + instead);
        }
    }

    private static InvalidJobException refused(Payload payload, String reason) {
        return PayloadRules.refused(payload.jobName(), reason, null);
    }
}
