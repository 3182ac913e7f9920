package dev.jobs.dashboard;

import dev.jobs.JobDefinition;
import dev.jobs.JobOrder;
import dev.jobs.Payload;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.unique.UniqueRule;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which queues an installation may get jobs in: a shard only those that live there, where somebody takes them. */
final class QueuePlaces {

    /** All queues, as without shards. */
    static final QueuePlaces ALL = new QueuePlaces(null, "");

    private final @Nullable ShardMap map;
    private final String shard;

    private QueuePlaces(@Nullable ShardMap map, String shard) {
        this.map = map;
        this.shard = shard;
    }

    static QueuePlaces of(ShardMap map, String shard) {
        return new QueuePlaces(map, shard);
    }

    /** @throws Problem if the queue lives in other shards */
    void require(String queue) {
        if (map != null && !(map.isKnown(queue) && map.of(queue).contains(shard))) {
            throw new Problem(
                    409,
                    "other-shard",
                    map.isKnown(queue)
                            ? "The queue " + queue + " lives in " + String.join(", ", map.of(queue)) + ": do it there"
                            : "The queue " + queue + " lives in no shard");
        }
    }

    /**
     * An id with which a job of a queue that lives here belongs here.
     *
     * @param ids new ones
     */
    String id(String queue, Supplier<String> ids) {
        Spread spread = map == null ? null : map.spread(queue);
        String id = ids.get();
        while (map != null && spread != null && spread.by() == SpreadBy.JID && !isHere(map, queue, id, null)) {
            id = ids.get();
        }
        return id;
    }

    /**
     * Checks a new job of a queue that lives here, as the application's client would.
     *
     * @param definition null if this application doesn't know the job
     * @throws Problem if its key belongs in another shard, or if it has a lock or a limit, which hold in one shard only
     */
    void require(Payload job, @Nullable JobDefinition definition) {
        String queue = String.valueOf(job.queue());
        Spread spread = map == null ? null : map.spread(queue);
        if (map == null || spread == null) {
            return;
        }
        boolean bound = job.has(LimitRule.MEMBER)
                || definition != null
                        && (definition.rule(UniqueRule.class) != null
                                || !LimitRules.of(definition).isEmpty());
        if (bound) {
            throw new Problem(
                    409,
                    "spread",
                    "The job is unique or has a limit, which holds within one shard, but the queue " + queue
                            + " is spread over " + String.join(", ", map.of(queue)));
        }
        String key = definition != null && definition.isKeyed() && !job.has(JobOrder.KEY)
                ? definition.key(job.args())
                : JobOrder.key(job);
        if (spread.by() == SpreadBy.KEY && !isHere(map, queue, "", key)) {
            throw new Problem(
                    409,
                    "other-shard-key",
                    "Jobs of the queue " + queue + " with this key belong in " + map.of(queue, "", key)
                            + ": do it there");
        }
    }

    private boolean isHere(ShardMap shards, String queue, String jid, @Nullable String key) {
        return shards.of(queue, jid, key).equals(shard);
    }
}
