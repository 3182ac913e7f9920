package dev.jobs.dashboard;

import dev.jobs.admin.FailureGroups;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.Order;
import dev.jobs.admin.Page;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.ScanBudget;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Lists of jobs. */
final class JobsApi {

    private record Group(
            String job,
            String cause,
            long count,
            @Nullable Long first,
            @Nullable Long last,
            Views.JobView sample) {}

    private record Groups(List<Group> groups, boolean partial, long looked, long total) {}

    private final JobsAdmin admin;
    private final Views views;

    JobsApi(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/jobs", Route.look(this::list),
                "GET api/count", Route.look(this::count),
                "GET api/failures", Route.look(this::failures));
    }

    private Object list(ApiRequest request) {
        JobLocation place = JobLocation.of(request);
        JobSet set = place.set();
        Predicate<JobRecord> wanted = Filter.of(request, set == null).on(views);
        long from = request.number("from", 0, 0, Long.MAX_VALUE / 2);
        int size = (int) request.number("size", 25, 1, 100);
        Order order =
                request.word("order", "oldest", "newest").equals("newest") ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
        Page<PlacedJob> page = set != null
                ? admin.sets().jobs(set, wanted, from, size, ScanBudget.standard())
                : admin.queues().jobs(place.queue(), order, wanted, from, size, ScanBudget.standard());
        return views.jobs(page, size);
    }

    private Object count(ApiRequest request) {
        JobLocation place = JobLocation.of(request);
        JobSet set = place.set();
        Predicate<JobRecord> wanted = Filter.of(request, set == null).on(views);
        return set != null
                ? admin.sets().count(set, wanted, ScanBudget.standard())
                : admin.queues().count(place.queue(), wanted, ScanBudget.standard());
    }

    private Object failures(ApiRequest request) {
        JobSet set = request.word("place", "retries", "dead").equals("dead") ? JobSet.DEAD : JobSet.RETRY;
        FailureGroups found = views.failures(admin.sets(), set);
        return new Groups(
                found.groups().stream().map(this::group).toList(), found.partial(), found.looked(), found.total());
    }

    private Group group(FailureGroups.Group group) {
        return new Group(
                Views.cut(group.name(), JobLocation.MOST_NAME),
                Views.cut(group.cause(), JobLocation.MOST_NAME),
                group.count(),
                Views.millis(group.first()),
                Views.millis(group.last()),
                views.job(group.sample()));
    }
}
