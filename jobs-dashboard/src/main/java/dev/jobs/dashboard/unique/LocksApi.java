package dev.jobs.dashboard.unique;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.unique.HeldLock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The locks of unique jobs. */
@Internal
public final class LocksApi {

    /** The page shows so many; of more, one is looked up by its key. */
    private static final ScanBudget SHOWN = new ScanBudget(200, Duration.ofMillis(250));

    private static final int MOST_TEXT = 500;
    private static final int MOST_ID = 200;

    /** The first to expire first, in the same order each time. */
    private static final Comparator<LockView> SOONEST = Comparator.comparing(
                    LockView::left, Comparator.nullsLast(Comparator.<Long>naturalOrder()))
            .thenComparing(LockView::holder);

    /** @param digest null if it would tell of hidden arguments */
    private record LockView(
            @Nullable String digest,
            String holder,
            @Nullable Long left) {}

    private record LocksView(List<LockView> items, boolean partial) {}

    private final JobsAdmin admin;
    private final ArgumentMasking masking;

    public LocksApi(JobsAdmin admin, ArgumentMasking masking) {
        this.admin = admin;
        this.masking = masking;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/locks", Route.look(this::list),
                "POST api/lock/release", Route.act(this::release));
    }

    /** All locks, or that of a key if the request names a job. */
    private Object list(ApiRequest request) {
        String job = request.textOrNull("job", MOST_TEXT);
        if (job == null || job.isEmpty()) {
            Found<HeldLock> found = admin.locks().all(SHOWN);
            return new LocksView(
                    found.items().stream().map(this::view).sorted(SOONEST).toList(), found.partial());
        }
        // who tries key after key learns what a hidden argument is
        if (request.role() != DashboardRole.OPERATOR && masking.mayHide(Payload.of(Map.of("class", job)))) {
            throw new Problem(403, "read-only", "The key of this job may be made of masked arguments");
        }
        return new LocksView(find(request, job).map(this::view).stream().toList(), false);
    }

    private Optional<HeldLock> find(ApiRequest request, String job) {
        String key = request.textOrNull("key", MOST_TEXT);
        return admin.locks().find(job, key == null ? "" : key, digest -> masking.storedDigest(job, digest));
    }

    private LockView view(HeldLock lock) {
        Duration left = lock.left();
        return new LockView(
                masking.mayHideKeys() ? null : lock.digest(), lock.holder(), left == null ? null : left.toMillis());
    }

    /** By its digest, by the job and the key that it was found with, or by its holder, which then is looked for. */
    private Object release(ApiRequest request) {
        String digest = request.textOrNull("digest", MOST_ID);
        String job = request.textOrNull("job", MOST_TEXT);
        String holder = request.text("holder", MOST_ID);
        String named = digest == null ? "the lock" : "lock " + digest;
        return Map.of("changed", Audit.changing(request, "release " + named + " of job " + holder, () -> {
            Optional<HeldLock> lock = digest != null
                    ? Optional.of(new HeldLock(digest, holder, null))
                    : job != null ? find(request, job) : heldBy(holder);
            return lock.filter(each -> each.holder().equals(holder))
                    .map(admin.locks()::unlock)
                    .orElse(false);
        }));
    }

    private Optional<HeldLock> heldBy(String holder) {
        Found<HeldLock> found = admin.locks().all(ScanBudget.standard());
        Optional<HeldLock> lock = found.items().stream()
                .filter(each -> each.holder().equals(holder))
                .findFirst();
        if (lock.isEmpty() && found.partial()) {
            throw new Problem(409, "not-found-in-time", "The search ran out of time: look for the key of the lock");
        }
        return lock;
    }
}
