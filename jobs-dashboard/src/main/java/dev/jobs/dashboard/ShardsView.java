package dev.jobs.dashboard;

import dev.jobs.JobDefinitionException;
import dev.jobs.dashboard.Assembly.Means;
import dev.jobs.shards.ShardMap;
import dev.jobs.spring.JobShards;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The shards of the application's jobs in the dashboard: each has all pages, as another installation has, and there is
 * a view over all of them. Nothing of that is there if home is the only one.
 */
final class ShardsView {

    /** The segment of its path. */
    static final String NAME = "shards";

    static final Set<String> PAGES = Set.of("", "busy", "queues", "scheduled", "retries", "dead");

    /** All shards, home first, and which one holds which queue. */
    record Parts(List<ShardPart> all, ShardMap map) {}

    private ShardsView() {}

    /**
     * The names of the shards, home first; none if that is the only one.
     *
     * @param installations the names of the other installations
     * @throws JobDefinitionException if another one than home can't have a path of its own
     */
    static List<String> names(JobShards shards, Set<String> installations) {
        List<String> names = shards.all().stream().map(JobShards.Shard::name).toList();
        if (names.size() < 2) {
            return List.of();
        }
        for (String name : names.subList(1, names.size())) {
            if (!DashboardProperties.isSegment(name)) {
                throw new JobDefinitionException(
                        "The shard '" + name + "' can't have pages of its own in the dashboard: its name is a part of"
                                + " their path, and is not 1 to 40 lower-case letters, digits and"
                                + " hyphens, or is that of a page",
                        "Choose another name, such as s1, or set jobs.dashboard.enabled=false.");
            }
            if (installations.contains(name)) {
                throw new JobDefinitionException(
                        "'" + name + "' is the name of a shard and of an installation in "
                                + "jobs.dashboard.installations, and both would have the path /" + name + "/",
                        "Choose another name for the installation.");
            }
        }
        return names;
    }

    /** Where the Redis of a shard is, and on a cluster the node that has it. */
    static String address(JobShards.Shard shard) {
        String node = shard.node();
        return node == null || shard.address().contains(node) ? shard.address() : shard.address() + ", on " + node;
    }

    /** What home is looked at and acted on with: as with any shard, what is enqueued from its pages is stored in it. */
    static Means home(JobShards shards) {
        JobShards.Shard home = shards.all().get(0);
        return means(shards, home);
    }

    private static Means means(JobShards shards, JobShards.Shard shard) {
        return new Means(
                shard.admin(),
                shard.client(),
                shard.recurring(),
                shard.batches(),
                new ShardQueues(shards.map(), shard.name()));
    }

    /** The pages of each shard but home, and those over all of them. */
    static List<Installation> installations(
            JobShards shards, Assembly assembly, SideBySide sideBySide, Sampler home, LiveStream own) {
        List<Installation> installations = new ArrayList<>();
        List<ShardPart> parts = new ArrayList<>();
        for (JobShards.Shard shard : shards.all()) {
            if (parts.isEmpty()) {
                parts.add(assembly.part(shard, "", home));
                continue;
            }
            LiveStream stream = own.beside();
            ShardPart part = assembly.part(shard, shard.name(), assembly.sampler(shard.admin(), stream));
            parts.add(part);
            installations.add(assembly.shard(part, means(shards, shard), stream));
        }
        installations.add(assembly.shards(new Parts(List.copyOf(parts), shards.map()), sideBySide, own.beside()));
        return installations;
    }
}
