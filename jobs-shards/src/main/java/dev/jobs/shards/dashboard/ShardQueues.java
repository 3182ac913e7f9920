package dev.jobs.shards.dashboard;

import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.dashboard.actions.TargetQueues;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.ordered.JobOrder;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.unique.UniqueRule;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A shard gets jobs only in the queues that live there, where somebody takes them. */
final class ShardQueues implements TargetQueues {

    private final ShardMap map;
    private final String shard;

    ShardQueues(ShardMap map, String shard) {
        this.map = map;
        this.shard = shard;
    }

    @Override
    public void require(String queue) {
        if (!(map.isKnown(queue) && map.of(queue).contains(shard))) {
            throw new Problem(
                    409,
                    "other-shard",
                    map.isKnown(queue)
                            ? "The queue " + queue + " lives in " + String.join(", ", map.of(queue)) + ": do it there"
                            : "The queue " + queue + " lives in no shard");
        }
    }

    @Override
    public String id(String queue, Supplier<String> ids) {
        Spread spread = map.spread(queue);
        String id = ids.get();
        while (spread != null && spread.by() == SpreadBy.JID && !isHere(queue, id, null)) {
            id = ids.get();
        }
        return id;
    }

    @Override
    public void require(Payload job, @Nullable JobDefinition definition) {
        String queue = String.valueOf(job.queue());
        Spread spread = map.spread(queue);
        if (spread == null) {
            return;
        }
        boolean bound = job.has(LimitRule.MEMBER)
                || job.has(UniqueRule.LOCK)
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
        String key = JobOrder.key(job, definition);
        if (spread.by() == SpreadBy.KEY && !isHere(queue, "", key)) {
            throw new Problem(
                    409,
                    "other-shard-key",
                    "Jobs of the queue " + queue + " with this key belong in " + map.of(queue, "", key)
                            + ": do it there");
        }
    }

    private boolean isHere(String queue, String jid, @Nullable String key) {
        return map.of(queue, jid, key).equals(shard);
    }
}
