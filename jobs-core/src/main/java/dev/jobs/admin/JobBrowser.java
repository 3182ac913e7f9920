package dev.jobs.admin;

import dev.jobs.ArgumentMasking;
import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobSets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * Reads queues and sets for people: in parts, filtered by any condition, and never further than a budget reaches, so that no page takes
 * longer because there are more jobs. {@link JobsAdmin#browse} has it. Thread-safe; throws what {@link JobsAdmin} throws.
 *
 * <p>What it reads may move while it reads. A job may then be missed or found twice, never made up.
 */
public final class JobBrowser {

    private static final int MOST_ON_PAGE = 200;

    /** So many hundred jobs may have come before one since its place was told, as when a process hands its jobs back. */
    private static final long BLOCKS_OF_DRIFT = 2;

    /** What a count found. */
    public record Count(long count, long total, boolean partial) {}

    /**
     * A job that was seen, and where.
     *
     * @param score its score in a set, any number but NaN; not looked at in a queue
     * @param index its place, as {@link PlacedJob#index} tells it; a wrong one costs time only
     * @param digest {@link JobRecord#digest}
     */
    public record Address(double score, long index, String digest) {}

    /**
     * What is still there of some jobs.
     *
     * @param partial whether there was no time to look everywhere, so that those that weren't found may be there all the same
     */
    public record Found(List<PlacedJob> jobs, boolean partial) {

        public Found {
            jobs = List.copyOf(jobs);
        }
    }

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
            BudgetedScan.Pages pages,
            long total,
            Predicate<? super JobRecord> wanted,
            long from,
            int size,
            ScanBudget budget) {
        if (from < 0) {
            throw new IllegalArgumentException("'from' must be at least 0 but was " + from);
        }
        if (size < 1 || size > MOST_ON_PAGE) {
            throw new IllegalArgumentException("'size' must be 1 to " + MOST_ON_PAGE + " but was " + size);
        }
        long begin = from < total ? from : Math.max(0, (total - 1) / size * size);
        List<PlacedJob> found = new ArrayList<>();
        long next = new BudgetedScan(budget).through(pages, begin, size, (job, index) -> {
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

    private static Count count(
            BudgetedScan.Pages pages, long total, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        AtomicLong count = new AtomicLong();
        long next = new BudgetedScan(budget).through(pages, 0, MOST_ON_PAGE, (job, index) -> {
            if (wanted.test(job)) {
                count.incrementAndGet();
            }
            return true;
        });
        return new Count(count.get(), total, next >= 0 && next < total);
    }

    /** The jobs of a set by what they are called and what they failed of. */
    public FailureGroups failures(JobSet set, ScanBudget budget) {
        return failures(set, new FailureGroups.Builder(null), budget);
    }

    /** The same by names in which nothing stands that is hidden. */
    public FailureGroups failures(JobSet set, ArgumentMasking masking, ScanBudget budget) {
        return failures(set, new FailureGroups.Builder(masking), budget);
    }

    private FailureGroups failures(JobSet set, FailureGroups.Builder groups, ScanBudget budget) {
        long total = sets.size(set.stored());
        long next = new BudgetedScan(budget).through(pages(set), 0, MOST_ON_PAGE, groups);
        return groups.build(total, next >= 0 && next < total);
    }

    /** Says where a job of a set stands now; at its beginning if it is there no more. */
    public PlacedJob placed(JobSet set, JobRecord job) {
        Long rank = sets.rank(set.stored(), job.stored(), set == JobSet.DEAD);
        return new PlacedJob(job, rank == null ? 0 : rank);
    }

    /**
     * The jobs of a set that were at these addresses, as far as they are still in it with the same score: around the places at which they
     * stood, the nearest first.
     */
    public Found find(JobSet set, Collection<Address> addresses, ScanBudget budget) {
        NearbySearch search = new NearbySearch(budget);
        Map<Double, List<Address>> byScore = new LinkedHashMap<>();
        addresses.forEach(each -> byScore.computeIfAbsent(each.score(), score -> new ArrayList<>())
                .add(each));
        List<PlacedJob> found = new ArrayList<>();
        byScore.forEach((score, sought) -> found.addAll(find(set, score, sought, search)));
        return new Found(found, search.isPartial());
    }

    /** Counts places from the first job of that score, so that what happens to others moves none of them. */
    private List<PlacedJob> find(JobSet set, double score, List<Address> sought, NearbySearch search) {
        boolean highestFirst = set == JobSet.DEAD;
        JobSets.Span span = sets.span(set.stored(), score, highestFirst);
        LongUnaryOperator turned = place -> highestFirst ? span.count() - 1 - place : place;
        BudgetedScan.Pages sameScore = (from, count) -> sets.between(set.stored(), score, score, from, count).stream()
                .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                .toList();
        List<Address> there = sought.stream()
                .map(each -> new Address(score, turned.applyAsLong(each.index() - span.before()), each.digest()))
                .toList();
        List<PlacedJob> found = search.look(sameScore, span.count(), Long.MAX_VALUE, there);
        if (found.size() < there.size()
                && sets.span(set.stored(), score, highestFirst).count() != span.count()) {
            search.mayHaveMissed();
        }
        return found.stream()
                .map(each -> new PlacedJob(each.job(), span.before() + turned.applyAsLong(each.index())))
                .toList();
    }

    /**
     * The jobs of a queue that were at these addresses, as far as they are still in it, those farthest from the front first. Jobs only come
     * nearer to the front, but for a few that a process hands back, so each is looked for from a little behind its old place to the front.
     * Of equal ones any is found, and as many as are asked for.
     */
    public Found find(String queue, Collection<Address> addresses, ScanBudget budget) {
        NearbySearch search = new NearbySearch(budget);
        List<PlacedJob> found = search.look(
                pages(queue, Order.OLDEST_FIRST), queues.size(queue), BLOCKS_OF_DRIFT, List.copyOf(addresses));
        return new Found(
                found.stream()
                        .sorted(Comparator.comparingLong(PlacedJob::index).reversed())
                        .toList(),
                search.isPartial());
    }

    private BudgetedScan.Pages pages(JobSet set) {
        return (from, count) -> (set == JobSet.DEAD
                        ? sets.highest(set.stored(), from, count)
                        : sets.lowest(set.stored(), from, count))
                .stream()
                        .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                        .toList();
    }

    private BudgetedScan.Pages pages(String queue, Order order) {
        return (from, count) -> (order == Order.NEWEST_FIRST
                        ? queues.newest(queue, from, count)
                        : queues.oldest(queue, from, count))
                .stream().map(stored -> JobRecord.inQueue(queue, stored)).toList();
    }
}
