package dev.jobs.dashboard;

import dev.jobs.admin.FoundLocks;
import dev.jobs.admin.HeldLock;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.ScanBudget;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The locks of unique jobs. */
final class LocksApi {

    /** The page shows so many; of more, one is looked up by its key. */
    private static final ScanBudget SHOWN = new ScanBudget(200, Duration.ofMillis(250));

    private static final int MOST_TEXT = 500;
    private static final int MOST_ID = 200;

    /** The first to expire first, in the same order each time. */
    private static final Comparator<LockView> SOONEST = Comparator.comparing(
                    LockView::left, Comparator.nullsLast(Comparator.<Long>naturalOrder()))
            .thenComparing(LockView::digest);

    private record LockView(
            String digest, String holder, @Nullable Long left) {

        static LockView of(HeldLock lock) {
            Duration left = lock.left();
            return new LockView(lock.digest(), lock.holder(), left == null ? null : left.toMillis());
        }
    }

    private record LocksView(List<LockView> items, boolean partial) {}

    private final JobsAdmin admin;

    LocksApi(JobsAdmin admin) {
        this.admin = admin;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/locks", Route.look(this::list),
                "POST api/lock/release", Route.act(this::release));
    }

    /** All locks, or that of a key if the request names a job. */
    private Object list(ApiRequest request) {
        String job = request.textOrNull("job", MOST_TEXT);
        if (job == null || job.isEmpty()) {
            FoundLocks found = admin.locks().all(SHOWN);
            return new LocksView(
                    found.locks().stream().map(LockView::of).sorted(SOONEST).toList(), found.partial());
        }
        String key = request.textOrNull("key", MOST_TEXT);
        return new LocksView(
                admin.locks().find(job, key == null ? "" : key).map(LockView::of).stream()
                        .toList(),
                false);
    }

    private Object release(ApiRequest request) {
        String digest = request.text("digest", MOST_ID);
        String holder = request.text("holder", MOST_ID);
        return Map.of(
                "changed", Audit.changing(request, "release lock " + digest + " of job " + holder, () -> admin.locks()
                        .unlock(new HeldLock(digest, holder, null))));
    }
}
