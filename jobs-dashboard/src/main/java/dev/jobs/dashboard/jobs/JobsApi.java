package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.admin.FailureGroups;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.SetPart;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lists of jobs. */
@Internal
public final class JobsApi {

    private record Group(
            String job,
            String cause,
            long count,
            @Nullable Long first,
            @Nullable Long last,
            Views.JobView sample) {}

    private record Groups(List<Group> groups, boolean partial, long looked, long total) {}

    private record Neighbour(Views.@Nullable JobView job) {}

    private static final int MOST_KEY = 100;

    private final JobsAdmin admin;
    private final Views views;
    private final Finder finder;

    public JobsApi(JobsAdmin admin, Views views, Finder finder) {
        this.admin = admin;
        this.views = views;
        this.finder = finder;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/jobs", Route.look(this::list),
                "GET api/count", Route.look(this::count),
                "GET api/job/neighbour", Route.look(this::neighbour),
                "GET api/failures", Route.look(this::failures));
    }

    private Object list(ApiRequest request) {
        JobPlace place = JobPlace.of(request);
        JobSet set = place.set();
        Filter filter = Filter.of(request, set == null);
        long from = request.number("from", 0, 0, Long.MAX_VALUE / 2);
        int size = (int) request.number("size", 25, 1, 100);
        if (set != null) {
            boolean turned = request.word("order", "usual", "turned").equals("turned");
            return views.jobs(
                    admin.sets()
                            .jobs(
                                    part(set, filter, turned),
                                    filter.atAnyTime().on(views),
                                    from,
                                    size,
                                    ScanBudget.standard()),
                    size);
        }
        Order order =
                request.word("order", "oldest", "newest").equals("newest") ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
        return views.jobs(
                admin.queues().jobs(place.queue(), order, filter.on(views), from, size, ScanBudget.standard()), size);
    }

    private static SetPart part(JobSet set, Filter filter, boolean turned) {
        return new SetPart(set, filter.since(), filter.until(), turned);
    }

    private Object count(ApiRequest request) {
        JobPlace place = JobPlace.of(request);
        JobSet set = place.set();
        Filter filter = Filter.of(request, set == null);
        return set != null
                ? admin.sets()
                        .count(part(set, filter, false), filter.atAnyTime().on(views), ScanBudget.standard())
                : admin.queues().count(place.queue(), filter.on(views), ScanBudget.standard());
    }

    /** The job before or behind another one in its place, also if that one has left it by now. */
    private Object neighbour(ApiRequest request) {
        JobPlace place = JobPlace.of(request);
        JobSet set = place.set();
        boolean next = request.word("step", "next", "previous").equals("next");
        Finder.Position position = finder.position(place, request.text("key", MOST_KEY));
        long wanted = next ? position.index() + (position.there() ? 1 : 0) : position.index() - 1;
        if (wanted < 0) {
            return new Neighbour(null);
        }
        Page<ListedJob> page = set != null
                ? admin.sets().jobs(set, job -> true, wanted, 1, ScanBudget.standard())
                : admin.queues().jobs(place.queue(), Order.OLDEST_FIRST, job -> true, wanted, 1, ScanBudget.standard());
        boolean beyond = page.from() != wanted || page.items().isEmpty();
        return new Neighbour(beyond ? null : views.job(page.items().get(0)));
    }

    private Object failures(ApiRequest request) {
        JobSet set = request.word("place", "retries", "dead").equals("dead") ? JobSet.DEAD : JobSet.RETRY;
        FailureGroups found = views.failures(admin.sets(), set);
        return new Groups(
                found.groups().stream().map(this::group).toList(), found.partial(), found.looked(), found.total());
    }

    private Group group(FailureGroups.Group group) {
        return new Group(
                Shown.cut(group.name(), ApiRequest.MOST_NAME),
                Shown.cut(group.cause(), ApiRequest.MOST_NAME),
                group.count(),
                Shown.millis(group.first()),
                Shown.millis(group.last()),
                views.job(group.sample()));
    }
}
