package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.admin.Found;
import dev.jobs.admin.JobAddress;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WorkInfo;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.limits.LimitedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds jobs by their addresses, or by their ids if they are no longer there, all within a bounded time. */
@Internal
public final class Finder {

    private static final int MOST_KEY = 100;
    private static final int DIGEST = 40;
    private static final int QUEUES_SEARCHED = 10;
    private static final int MOST_FOUND = 20;
    private static final int MOST_WORK = 2_000;

    /** For all places together, so that the page comes within a tenth of a second. Each is looked at, if briefly. */
    private static final Duration SEARCH = Duration.ofMillis(70);

    private static final int IN_SET = 5_000;
    private static final int IN_QUEUE = 2_000;

    /**
     * Where a job was found.
     *
     * @param key its address there
     * @param limit of a job that is parked, the name of its limit
     * @param of its key at that limit
     */
    public record Hit(
            String place,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String name,
            @Nullable String limit,
            @Nullable String of,
            @Nullable String process,
            @Nullable String thread,
            @Nullable Long since) {}

    /** Where jobs were found, and whether the search ran out of time. */
    public record Hits(List<Hit> found, boolean partial) {}

    /**
     * Jobs that are still at their addresses.
     *
     * @param missing the number of addresses without such a job
     * @param partial whether the search ran out of time, so that missing jobs may still be there
     */
    public record Selection(List<ListedJob> jobs, long missing, boolean partial) {}

    private final JobsAdmin admin;
    private final Views views;

    public Finder(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    /** The jobs at the addresses that are still there; those of a queue in the order in which they can be deleted. */
    public Selection all(JobPlace place, List<String> keys) {
        JobSet set = place.set();
        Map<Object, JobAddress> addresses = new LinkedHashMap<>();
        for (String key : keys) {
            JobAddress address = parse(key, set != null);
            // in a set each job exists once, whatever its stated position
            addresses.put(set == null ? address : List.of(address.score(), address.digest()), address);
        }
        Found<ListedJob> found = set != null
                ? admin.sets().findAt(set, addresses.values(), ScanBudget.standard())
                : admin.queues().findAt(place.queue(), addresses.values(), ScanBudget.standard());
        return new Selection(found.items(), addresses.size() - found.items().size(), found.partial());
    }

    /**
     * The position of a job, or the one at which it was seen last.
     *
     * @param there whether it is still there
     */
    record Position(long index, boolean there) {}

    /** Where a job is, by its address. */
    Position position(JobPlace place, String key) {
        JobAddress address = parse(key, place.set() != null);
        return all(place, List.of(key)).jobs().stream()
                .findFirst()
                .map(listed -> new Position(listed.index(), true))
                .orElseGet(() -> new Position(address.index(), false));
    }

    /** {@code score_place_digest} in a set, {@code place_digest} in a queue. */
    private static JobAddress parse(String key, boolean inSet) {
        String[] parts = key.length() <= MOST_KEY ? key.split("_", -1) : new String[0];
        int last = parts.length - 1;
        try {
            if (last >= 1 && last <= (inSet ? 2 : 1) && parts[last].length() == DIGEST) {
                double score = inSet ? Double.parseDouble(parts[0]) : 0;
                // a set's address works without a position, too
                long index = inSet && last == 1 ? 0 : Long.parseLong(parts[last - 1]);
                if (!Double.isNaN(score) && index >= 0) {
                    return new JobAddress(score, index, parts[last]);
                }
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw Problem.badParameter("key", "that of a job in a list");
    }

    /** Where jobs with this id are: running, in a set, parked at a limit, or in one of the largest queues. */
    public Hits byId(String jid) {
        long began = System.nanoTime();
        List<Hit> found = new ArrayList<>();
        boolean partial = false;
        for (WorkInfo work : admin.processes().work(admin.processes().all(), MOST_WORK)) {
            if (jid.equals(work.job().jid())) {
                found.add(new Hit(
                        "running",
                        work.queue(),
                        null,
                        views.name(work.job()),
                        null,
                        null,
                        work.process(),
                        work.thread(),
                        Shown.millis(work.runAt())));
            }
        }
        Map<String, Long> sizes = admin.queues().sizes();
        List<String> queues = sizes.entrySet().stream()
                .filter(queue -> queue.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(QUEUES_SEARCHED)
                .map(Map.Entry::getKey)
                .toList();
        partial |= sizes.values().stream().filter(size -> size > 0).count() > queues.size();
        Duration left = SEARCH.minusNanos(System.nanoTime() - began);
        SharedTime time = new SharedTime(left, JobSet.values().length + 1 + queues.size(), System::nanoTime);
        for (JobSet set : JobSet.values()) {
            Found<ListedJob> result = admin.sets().findById(set, jid, time.next(IN_SET));
            partial |= result.partial();
            result.items().forEach(listed -> found.add(hit(listed)));
        }
        Found<LimitedJob> parked = admin.limits().findById(jid, time.next(IN_SET));
        partial |= parked.partial();
        parked.items().forEach(each -> found.add(hit(each)));
        for (String queue : queues) {
            Found<ListedJob> result = admin.queues().findById(queue, jid, time.next(IN_QUEUE));
            partial |= result.partial();
            result.items().forEach(listed -> found.add(hit(listed)));
        }
        return new Hits(found.stream().limit(MOST_FOUND).toList(), partial);
    }

    private Hit hit(ListedJob listed) {
        JobRecord job = listed.job();
        JobPlace place = JobPlace.of(job);
        return new Hit(
                place.name(),
                job.queue(),
                JobPlace.key(listed, job.digest()),
                views.name(job),
                null,
                null,
                null,
                null,
                null);
    }

    private Hit hit(LimitedJob parked) {
        JobRecord job = parked.job();
        return new Hit(
                Views.PARKED,
                job.queue(),
                parked.address(),
                views.name(job),
                parked.limit(),
                parked.key(),
                null,
                null,
                null);
    }
}
