package dev.jobs.shards.dashboard;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.assembly.Assembly;
import dev.jobs.dashboard.assembly.Assembly.Means;
import dev.jobs.dashboard.assembly.Divisions;
import dev.jobs.dashboard.assembly.Segments;
import dev.jobs.dashboard.job.JobSearch;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.server.Installation;
import dev.jobs.dashboard.web.Route;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.shards.spring.SideBySide;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The shards of the application's jobs in the dashboard: each has all pages, as another installation has, and there is
 * a view over all of them. Nothing of that is there if home is the only one.
 */
final class ShardsView implements Divisions {

    private static final String NAME = "shards";

    private static final Map<String, String> PAGES = Map.of(
            "", "page-shards",
            "busy", "page-shards-busy",
            "queues", "page-shards-queues",
            "scheduled", "page-shards-set",
            "retries", "page-shards-set",
            "dead", "page-shards-set");

    private static final String REMEDY = "Choose another name, such as s1, or set jobs.dashboard.enabled=false.";

    private final JobShards shards;
    private final SideBySide sideBySide;
    private final ArgumentMasking masking;
    private final Clock clock;

    ShardsView(JobShards shards, SideBySide sideBySide, ArgumentMasking masking, Clock clock) {
        this.shards = shards;
        this.sideBySide = sideBySide;
        this.masking = masking;
        this.clock = clock;
    }

    @Override
    public String view() {
        return NAME;
    }

    @Override
    public Map<String, String> pages() {
        return PAGES;
    }

    @Override
    public List<String> names(Set<String> taken) {
        List<String> names = shards.all().stream().map(JobShards.Shard::name).toList();
        if (names.size() < 2) {
            return List.of();
        }
        for (String name : names.subList(1, names.size())) {
            if (!Segments.isFree(name) || name.equals(NAME)) {
                throw new JobDefinitionException(
                        "The shard '" + name + "' can't have pages of its own in the dashboard: its name is a part of"
                                + " their path, and is not 1 to 40 lower-case letters, digits and"
                                + " hyphens, or is that of a page",
                        REMEDY);
            }
            if (taken.contains(name)) {
                throw new JobDefinitionException(
                        "'" + name + "' is the name of a shard and of an installation in "
                                + "jobs.dashboard.installations, and both would have the path /" + name + "/",
                        "Choose another name for the installation.");
            }
        }
        return names;
    }

    @Override
    public JobDefinitionException nameOfAPage(String name) {
        return new JobDefinitionException(
                "The shard '" + name + "' can't have pages of its own in the dashboard: its name is that of a page",
                REMEDY);
    }

    /** Where the Redis of a shard is, and on a cluster the node that has it. */
    static String address(JobShards.Shard shard) {
        String node = shard.node();
        return node == null || shard.address().contains(node) ? shard.address() : shard.address() + ", on " + node;
    }

    /** As with any shard, what is enqueued from its pages is stored in it. */
    @Override
    public Means home() {
        return means(shards.all().get(0));
    }

    private Means means(JobShards.Shard shard) {
        return new Means(
                shard.admin(),
                shard.client(),
                shard.recurring(),
                shard.batches(),
                new ShardQueues(shards.map(), shard.name()));
    }

    @Override
    public List<Installation> installations(Assembly assembly, Sampler home, LiveStream own) {
        List<Installation> installations = new ArrayList<>();
        List<ShardPart> parts = new ArrayList<>();
        for (JobShards.Shard shard : shards.all()) {
            if (parts.isEmpty()) {
                parts.add(part(shard, "", home));
                continue;
            }
            LiveStream stream = own.beside();
            ShardPart part = part(shard, shard.name(), new Sampler(shard.admin(), clock, stream));
            parts.add(part);
            installations.add(assembly.further(part.at(), means(shard), part.sampler(), stream));
        }
        installations.add(overAll(new AllShards(parts, sideBySide), assembly.session(NAME), own.beside()));
        return installations;
    }

    /** A shard as the view over all of them asks it; both have the same numbers. */
    private ShardPart part(JobShards.Shard shard, String at, Sampler sampler) {
        JobsAdmin admin = shard.admin();
        JobSearch search = new JobSearch(admin, new Finder(admin, new Views(masking)));
        return new ShardPart(shard.name(), at, shard.address(), () -> address(shard), admin, sampler, search);
    }

    private Installation overAll(AllShards all, Map<String, Route> session, LiveStream stream) {
        ShardsSampler sampler = new ShardsSampler(all, clock, stream);
        Map<String, Route> routes = Route.merge(Stream.of(
                session,
                new ShardsOverviewApi(sampler).routes(),
                new ShardsQueuesApi(all, shards.map()).routes(),
                new ShardsBusyApi(all).routes(),
                new ShardsJobsApi(all, new Views(masking)).routes()));
        return new Installation(NAME, NAME, PAGES.keySet(), routes, sampler.pulse(), stream);
    }
}
