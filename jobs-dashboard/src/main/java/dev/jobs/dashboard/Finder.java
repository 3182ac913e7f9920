package dev.jobs.dashboard;

import dev.jobs.admin.FoundJobs;
import dev.jobs.admin.FoundLimitedJobs;
import dev.jobs.admin.JobAddress;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.LimitedJob;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WorkInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds jobs by their addresses, or by their ids if they are no longer there, all within a bounded time. */
final class Finder {

    private static final int MOST_KEY = 100;
    private static final int DIGEST = 40;
    private static final int QUEUES_SEARCHED = 10;
    private static final int MOST_FOUND = 20;
    private static final int MOST_WORK = 2_000;

    /** Half of a page's time for all places together. */
    private static final ScanBudget IN_SET = new ScanBudget(5_000, Duration.ofMillis(50));

    private static final ScanBudget IN_QUEUE = new ScanBudget(2_000, Duration.ofMillis(15));

    /**
     * Where a job was found.
     *
     * @param key its address there; of a job that is parked at a limit, its key there
     * @param limit the name of that limit
     */
    record Hit(
            String place,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String name,
            @Nullable String limit,
            @Nullable String process,
            @Nullable String thread,
            @Nullable Long since) {}

    /** Where jobs were found, and whether the search ran out of time. */
    record Hits(List<Hit> found, boolean partial) {}

    /**
     * Jobs that are still at their addresses.
     *
     * @param missing the number of addresses without such a job
     * @param partial whether the search ran out of time, so that missing jobs may still be there
     */
    record Selection(List<PlacedJob> jobs, long missing, boolean partial) {}

    private final JobsAdmin admin;
    private final Views views;

    Finder(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    /** The jobs at the addresses that are still there; those of a queue in the order in which they can be deleted. */
    Selection all(JobLocation place, List<String> keys) {
        JobSet set = place.set();
        Map<Object, JobAddress> addresses = new LinkedHashMap<>();
        for (String key : keys) {
            JobAddress address = parse(key, set != null);
            // in a set each job exists once, whatever its stated position
            addresses.put(set == null ? address : List.of(address.score(), address.digest()), address);
        }
        FoundJobs found = set != null
                ? admin.sets().findAt(set, addresses.values(), ScanBudget.standard())
                : admin.queues().findAt(place.queue(), addresses.values(), ScanBudget.standard());
        return new Selection(found.jobs(), addresses.size() - found.jobs().size(), found.partial());
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
    Hits byId(String jid) {
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
                        work.process(),
                        work.thread(),
                        Views.millis(work.runAt())));
            }
        }
        for (JobSet set : JobSet.values()) {
            FoundJobs result = admin.sets().findById(set, jid, IN_SET);
            partial |= result.partial();
            result.jobs().forEach(placed -> found.add(hit(placed)));
        }
        FoundLimitedJobs parked = admin.limits().findById(jid, IN_SET);
        partial |= parked.partial();
        parked.jobs().forEach(each -> found.add(hit(each)));
        List<String> queues = admin.queues().sizes().entrySet().stream()
                .filter(queue -> queue.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
        partial |= queues.size() > QUEUES_SEARCHED;
        for (String queue : queues.subList(0, Math.min(QUEUES_SEARCHED, queues.size()))) {
            FoundJobs result = admin.queues().findById(queue, jid, IN_QUEUE);
            partial |= result.partial();
            result.jobs().forEach(placed -> found.add(hit(placed)));
        }
        return new Hits(found.stream().limit(MOST_FOUND).toList(), partial);
    }

    private Hit hit(PlacedJob placed) {
        JobRecord job = placed.job();
        JobLocation place = JobLocation.of(job);
        return new Hit(
                place.name(),
                job.queue(),
                JobLocation.key(placed, job.digest()),
                views.name(job),
                null,
                null,
                null,
                null);
    }

    private Hit hit(LimitedJob parked) {
        JobRecord job = parked.job();
        return new Hit("parked", job.queue(), parked.key(), views.name(job), parked.limit(), null, null, null);
    }
}
