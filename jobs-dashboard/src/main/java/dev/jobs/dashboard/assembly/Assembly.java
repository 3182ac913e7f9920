package dev.jobs.dashboard.assembly;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.dashboard.actions.ActionsApi;
import dev.jobs.dashboard.actions.EnqueueApi;
import dev.jobs.dashboard.actions.MovesApi;
import dev.jobs.dashboard.actions.TargetQueues;
import dev.jobs.dashboard.batches.BatchesApi;
import dev.jobs.dashboard.deaths.LastWordApi;
import dev.jobs.dashboard.installations.SessionApi;
import dev.jobs.dashboard.installations.Systems;
import dev.jobs.dashboard.job.JobApi;
import dev.jobs.dashboard.job.JobSearch;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobsApi;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.limiters.LimitersApi;
import dev.jobs.dashboard.limits.LimitsApi;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.metrics.MetricApi;
import dev.jobs.dashboard.metrics.MetricsApi;
import dev.jobs.dashboard.overview.OverviewApi;
import dev.jobs.dashboard.processes.BusyApi;
import dev.jobs.dashboard.queues.QueuesApi;
import dev.jobs.dashboard.recurring.RecurringApi;
import dev.jobs.dashboard.results.ProgressApi;
import dev.jobs.dashboard.retries.RetriesApi;
import dev.jobs.dashboard.server.Installation;
import dev.jobs.dashboard.trash.TrashApi;
import dev.jobs.dashboard.unique.LocksApi;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.FeaturePages;
import dev.jobs.dashboard.web.Route;
import dev.jobs.engine.JobRoutes;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.redis.OtherInstallation;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts the operations of an installation together: the same for the application's own and for others. */
@Internal
public final class Assembly {

    /**
     * What an installation is looked at and acted on with.
     *
     * @param client null if nothing is enqueued by hand
     * @param recurring null if there are no recurring jobs
     * @param batches null if nothing is done with batches
     * @param targets the queues that may get jobs
     */
    public record Means(
            JobsAdmin admin,
            @Nullable JobClient client,
            @Nullable RecurringJobs recurring,
            @Nullable Batches batches,
            TargetQueues targets) {}

    private final Systems systems;
    private final JobRegistry registry;
    private final JobHooks hooks;
    private final ArgumentMasking masking;
    private final Clock clock;
    private final List<FeaturePages> further;
    private final Set<String> pages;

    /** @param further features whose pages are found as beans */
    Assembly(
            Systems systems,
            JobRegistry registry,
            JobHooks hooks,
            ArgumentMasking masking,
            Clock clock,
            List<FeaturePages> further) {
        this.systems = systems;
        this.registry = registry;
        this.hooks = hooks;
        this.masking = masking;
        this.clock = clock;
        this.further = further;
        this.pages = Segments.pages(further);
    }

    /**
     * The application's own installation; home, if there are further ones.
     *
     * @param more parts that only this one has
     */
    Installation own(Means means, Sampler sampler, LiveStream stream, List<Feature> more) {
        Map<String, Route> routes = routes("", true, means, sampler, more);
        return new Installation("", systems.home(), pages, routes, sampler.pulse(), stream);
    }

    /** @param own the stream of the application's own one, with which it shares the number of viewers */
    Installation other(String name, OtherInstallation jobs, LiveStream own) {
        LiveStream stream = own.beside();
        Means means = new Means(jobs.admin(), jobs.client(), jobs.recurring(), jobs.batches(), TargetQueues.ALL);
        return installation(name, false, means, new Sampler(jobs.admin(), clock, stream), stream);
    }

    /**
     * A further one of this application: its jobs are the application's own, so its parts come with the application's
     * hooks.
     *
     * @param at the segment of its path
     */
    public Installation further(String at, Means means, Sampler sampler, LiveStream stream) {
        return installation(at, true, means, sampler, stream);
    }

    private Installation installation(String name, boolean ours, Means means, Sampler sampler, LiveStream stream) {
        Map<String, Route> routes = routes(name, ours, means, sampler, List.of());
        return new Installation(name, name, pages, routes, sampler.pulse(), stream);
    }

    /** What a page needs to start, below a segment that is no installation of its own. */
    public Map<String, Route> session(String at) {
        return new SessionApi(systems, at, List.of(), List.of(), clock).routes();
    }

    /** @param ours whether its jobs are those of this application */
    private Map<String, Route> routes(String name, boolean ours, Means means, Sampler sampler, List<Feature> more) {
        JobsAdmin admin = means.admin();
        Views views = new Views(masking);
        Finder finder = new Finder(admin, views);
        TrashApi trash = new TrashApi(admin, views);
        KnownJobs known = new KnownJobs(admin, registry, ours);
        JobRegistry own = ours ? registry : null;
        JobRoutes ways = ours ? new JobRoutes(registry, registry.codec()) : null;
        List<Feature> features = Stream.of(
                        Stream.ofNullable(means.recurring()).map(each -> new RecurringApi(each, known, masking, clock)),
                        Stream.ofNullable(means.client())
                                .map(each -> new EnqueueApi(admin, each, known, views, finder, means.targets(), clock)),
                        more.stream())
                .<Feature>flatMap(each -> each)
                .toList();
        Stream<Map<String, Route>> always = Stream.of(
                new SessionApi(systems, name, features, further, clock).routes(),
                new OverviewApi(admin, sampler, clock).routes(),
                new QueuesApi(admin, trash).routes(),
                new JobsApi(admin, views, finder).routes(),
                new JobApi(admin, registry, ways, views, finder, new JobSearch(admin, finder)).routes(),
                new ProgressApi(admin).routes(),
                new RetriesApi(own, hooks).routes(),
                new LastWordApi(own).routes(),
                new ActionsApi(admin, views, finder, trash).routes(),
                new MovesApi(admin, views, finder, means.targets()).routes(),
                new MetricsApi(admin, sampler, clock).routes(),
                new MetricApi(admin, clock).routes(),
                new BatchesApi(admin, means.batches(), views, clock).routes(),
                new LimitsApi(admin, views).routes(),
                new LimitersApi(admin).routes(),
                new LocksApi(admin, masking).routes(),
                trash.routes(),
                new BusyApi(admin, views, clock).routes());
        Stream<Map<String, Route>> found = further.stream().map(each -> each.routes(admin));
        return Route.merge(
                Stream.of(always, features.stream().map(Feature::routes), found).flatMap(each -> each));
    }
}
