package dev.jobs.admin;

import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobSets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Reads queues and sets for people: in parts, filtered by any condition, and never further than a budget reaches, so that no page takes
 * longer because there are more jobs. {@link JobsAdmin#browse} has it. Thread-safe; throws what {@link JobsAdmin} throws.
 *
 * <p>What it reads may move while it reads. A job may then be missed or found twice, never made up.
 */
public final class JobBrowser {

    private static final int MOST_ON_PAGE = 200;

    /** Jobs that may have come before one since its place was told, as when a process hands its jobs back. */
    private static final int DRIFT = 200;

    /** What a count found. */
    public record Count(long count, long total, boolean partial) {}

    private final JobQueues queues;
    private final JobSets sets;

    JobBrowser(JobQueues queues, JobSets sets) {
        this.queues = queues;
        this.sets = sets;
    }

    /**
     * Jobs of a set that are wanted: scheduled and failed ones soonest first, dead ones newest first.
     *
     * @param from the place to begin at, 0 or more
     * @param size jobs at most, 1 to 200
     */
    public Slice<PlacedJob> list(
            JobSet set, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        return slice(pages(set), sets.size(set.stored()), wanted, from, size, budget);
    }

    /** Jobs of a queue that are wanted; otherwise as {@link #list(JobSet, Predicate, long, int, ScanBudget)}. */
    public Slice<PlacedJob> list(
            String queue, Order order, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        long total = queues.size(queue);
        Slice<PlacedJob> slice = slice(pages(queue, order), total, wanted, from, size, budget);
        if (order == Order.OLDEST_FIRST) {
            return slice;
        }
        List<PlacedJob> placed = slice.items().stream()
                .map(each -> new PlacedJob(each.job(), Math.max(0, total - 1 - each.index())))
                .toList();
        return new Slice<>(placed, slice.from(), slice.next(), total, slice.partial());
    }

    private static Slice<PlacedJob> slice(
            Walk.Pages pages, long total, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        if (from < 0) {
            throw new IllegalArgumentException("'from' must be at least 0 but was " + from);
        }
        if (size < 1 || size > MOST_ON_PAGE) {
            throw new IllegalArgumentException("'size' must be 1 to " + MOST_ON_PAGE + " but was " + size);
        }
        long begin = from < total ? from : Math.max(0, (total - 1) / size * size);
        List<PlacedJob> found = new ArrayList<>();
        long next = Walk.through(pages, begin, size, budget, (job, index) -> {
            if (wanted.test(job)) {
                found.add(new PlacedJob(job, index));
            }
            return found.size() < size;
        });
        boolean more = next >= 0 && next < total;
        return new Slice<>(found, begin, more ? next : -1, total, more && found.size() < size);
    }

    /** How many jobs of a set are wanted. */
    public Count count(JobSet set, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        return count(pages(set), sets.size(set.stored()), wanted, budget);
    }

    /** How many jobs of a queue are wanted. */
    public Count count(String queue, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        return count(pages(queue, Order.OLDEST_FIRST), queues.size(queue), wanted, budget);
    }

    private static Count count(Walk.Pages pages, long total, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        AtomicLong count = new AtomicLong();
        long next = Walk.through(pages, 0, MOST_ON_PAGE, budget, (job, index) -> {
            if (wanted.test(job)) {
                count.incrementAndGet();
            }
            return true;
        });
        return new Count(count.get(), total, next >= 0 && next < total);
    }

    /** The jobs of a set by what they are called and what they failed of. */
    public FailureGroups failures(JobSet set, ScanBudget budget) {
        FailureGroups.Builder groups = new FailureGroups.Builder();
        long total = sets.size(set.stored());
        long next = Walk.through(pages(set), 0, MOST_ON_PAGE, budget, groups);
        return groups.build(total, next >= 0 && next < total);
    }

    /** Those jobs of a set with exactly that score whose {@link JobRecord#digest} is among the given ones. */
    public List<PlacedJob> find(JobSet set, double score, Set<String> digests, ScanBudget budget) {
        Walk.Pages sameScore = (from, count) -> sets.between(set.stored(), score, score, from, count).stream()
                .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                .toList();
        return find(sameScore, 0, digests, budget);
    }

    /**
     * Those jobs of a queue whose {@link JobRecord#digest} is among the given ones. Jobs only come nearer to the front, but for a few that a
     * process hands back, so the search goes from a little behind their old place to the front.
     *
     * @param place the highest place at which one of them stood
     */
    public List<PlacedJob> find(String queue, long place, Set<String> digests, ScanBudget budget) {
        long last = Math.min(Math.max(0, place) + DRIFT, queues.size(queue) - 1);
        Walk.Pages towardsFront = (from, count) -> {
            long back = last - from;
            long front = Math.max(0, back - count + 1);
            return back < 0 ? List.of() : read(queue, -back - 1, -front - 1);
        };
        return find(towardsFront, 0, digests, budget).stream()
                .map(found -> new PlacedJob(found.job(), last - found.index()))
                .toList();
    }

    private static List<PlacedJob> find(Walk.Pages pages, long from, Set<String> digests, ScanBudget budget) {
        List<PlacedJob> found = new ArrayList<>();
        Walk.through(pages, from, MOST_ON_PAGE, budget, (job, index) -> {
            if (digests.contains(job.digest())) {
                found.add(new PlacedJob(job, index));
            }
            return found.size() < digests.size();
        });
        return found;
    }

    private Walk.Pages pages(JobSet set) {
        return (from, count) -> (set == JobSet.DEAD
                        ? sets.highest(set.stored(), from, count)
                        : sets.lowest(set.stored(), from, count))
                .stream()
                        .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                        .toList();
    }

    private Walk.Pages pages(String queue, Order order) {
        return (from, count) -> {
            if (order == Order.NEWEST_FIRST) {
                return read(queue, from, from + count - 1);
            }
            List<JobRecord> jobs = new ArrayList<>(read(queue, -from - count, -from - 1));
            Collections.reverse(jobs);
            return jobs;
        };
    }

    private List<JobRecord> read(String queue, long first, long last) {
        return queues.range(queue, first, last).stream()
                .map(stored -> JobRecord.inQueue(queue, stored))
                .toList();
    }
}
