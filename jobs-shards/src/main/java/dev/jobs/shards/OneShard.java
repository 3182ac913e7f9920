package dev.jobs.shards;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.client.CheckedJob;
import dev.jobs.recurring.LocalQueues;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * One shard of a map, for what lives there as a whole: its batches, its recurring jobs, its engine. Immutable.
 *
 * @param name of a shard of the map
 * @param leaving queues that are being moved to another shard: jobs of theirs are still here, and run here
 */
@Internal
public record OneShard(ShardMap map, String name, Set<String> leaving) implements LocalQueues {

    public OneShard {
        leaving = Set.copyOf(leaving);
        if (!map.shards().contains(name)) {
            throw new JobDefinitionException(
                    "There is no shard '" + name + "' among " + map.shards(), "Name one of them.");
        }
    }

    /** One that no queue leaves. */
    public OneShard(ShardMap map, String name) {
        this(map, name, Set.of());
    }

    @Override
    public String shard() {
        return name;
    }

    @Override
    public boolean holds(String queue) {
        return leaving.contains(queue) || map.isKnown(queue) && map.of(queue).contains(name);
    }

    /**
     * {@inheritDoc} It is so in the queue's only shard, or in one of several, home if it is among them. The order of
     * the map has no part in it: that may differ between processes.
     */
    @Override
    public boolean declares(String queue) {
        if (!holds(queue)) {
            return false;
        }
        List<String> all = map.of(queue);
        return name.equals(all.contains(map.home()) ? map.home() : Collections.min(all));
    }

    @Override
    public boolean misses(String queue) {
        return !map.isKnown(queue) && name.equals(map.home());
    }

    @Override
    public String whereIs(String queue) {
        return map.whereIs(queue);
    }

    @Override
    public void checkIsHere(CheckedJob job, JobRegistry registry, String owner, String instead) {
        SpreadRules.checkIsHere(this, job, registry, owner, instead);
    }
}
