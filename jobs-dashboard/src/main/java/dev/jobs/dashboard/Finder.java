package dev.jobs.dashboard;

import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.Order;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.ScanResult;
import dev.jobs.admin.Slice;
import dev.jobs.admin.WorkInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds jobs by their addresses, and those that are at their address no more by their ids, all within a bounded time. */
final class Finder {

    private static final int MOST_KEY = 100;
    private static final int DIGEST = 40;
    private static final int QUEUES_SEARCHED = 10;
    private static final int MOST_FOUND = 20;

    /** Half a page's time for all places together. */
    private static final ScanBudget IN_SET = new ScanBudget(5_000, Duration.ofMillis(50));

    private static final ScanBudget IN_QUEUE = new ScanBudget(2_000, Duration.ofMillis(15));

    /** Where a job was found. */
    record Location(
            String place,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String name,
            @Nullable String process,
            @Nullable String thread,
            @Nullable Long since) {}

    /** Where jobs were found, and whether there was no time to look everywhere. */
    record Found(List<Location> found, boolean partial) {}

    private record Key(double score, long index, String digest) {}

    private final JobsAdmin admin;

    Finder(JobsAdmin admin) {
        this.admin = admin;
    }

    /** The job of an address, or null if it is no longer there. */
    @Nullable PlacedJob one(Place place, String key) {
        List<PlacedJob> found = all(place, List.of(key));
        return found.isEmpty() ? null : found.get(0);
    }

    /** The jobs of some addresses, as far as they are still there. */
    List<PlacedJob> all(Place place, List<String> keys) {
        JobSet set = place.set();
        List<Key> wanted = keys.stream().map(each -> parse(each, set != null)).toList();
        if (set == null) {
            Set<String> digests = new HashSet<>();
            long highest = 0;
            for (Key key : wanted) {
                digests.add(key.digest());
                highest = Math.max(highest, key.index());
            }
            return admin.browse().find(place.queue(), highest, digests, ScanBudget.standard());
        }
        Map<Double, Set<String>> byScore = new HashMap<>();
        wanted.forEach(key ->
                byScore.computeIfAbsent(key.score(), score -> new HashSet<>()).add(key.digest()));
        List<PlacedJob> found = new ArrayList<>();
        byScore.forEach(
                (score, digests) -> found.addAll(admin.browse().find(set, score, digests, ScanBudget.standard())));
        return found;
    }

    private static Key parse(String key, boolean inSet) {
        int line = key.indexOf('_');
        try {
            if (key.length() <= MOST_KEY && line > 0 && key.length() == line + 1 + DIGEST) {
                String number = key.substring(0, line);
                String digest = key.substring(line + 1);
                double score = inSet ? Double.parseDouble(number) : 0;
                if (!Double.isNaN(score)) {
                    return new Key(score, inSet ? 0 : Long.parseLong(number), digest);
                }
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw Problem.badParameter("key", "that of a job in a list");
    }

    /** Where jobs of that id are: in the hands of a process, in a set, or in one of the largest queues. */
    Found byId(String jid) {
        List<Location> found = new ArrayList<>();
        boolean partial = false;
        for (WorkInfo work : admin.work()) {
            if (jid.equals(work.job().jid())) {
                found.add(new Location(
                        "running",
                        work.queue(),
                        null,
                        work.job().name(),
                        work.process(),
                        work.thread(),
                        Views.millis(work.runAt())));
            }
        }
        for (JobSet set : JobSet.values()) {
            ScanResult result = admin.find(set, jid, IN_SET);
            partial |= result.partial();
            result.jobs().forEach(job -> found.add(location(new PlacedJob(job, 0))));
        }
        List<QueueInfo> queues = admin.queues().stream()
                .filter(queue -> queue.size() > 0)
                .sorted(Comparator.comparingLong(QueueInfo::size).reversed())
                .toList();
        partial |= queues.size() > QUEUES_SEARCHED;
        for (QueueInfo queue : queues.subList(0, Math.min(QUEUES_SEARCHED, queues.size()))) {
            Slice<PlacedJob> slice = admin.browse()
                    .list(
                            queue.name(),
                            Order.OLDEST_FIRST,
                            job -> job.contains(jid) && jid.equals(job.jid()),
                            0,
                            MOST_FOUND,
                            IN_QUEUE);
            partial |= slice.partial();
            slice.items().forEach(placed -> found.add(location(placed)));
        }
        return new Found(found.stream().limit(MOST_FOUND).toList(), partial);
    }

    private static Location location(PlacedJob placed) {
        JobRecord job = placed.job();
        Place place = Place.of(job);
        return new Location(place.name(), job.queue(), Place.key(placed), job.name(), null, null, null);
    }
}
