package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.ScanStep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads a list of jobs in steps until a budget is used up. The sizes of jobs are unknown before they are read, so the
 * first step reads one job, and the steps grow while they stay below a few megabytes. Confined to one thread.
 */
@Internal
public final class BudgetedScan {

    static final int MOST_ON_PAGE = 200;

    private static final int MOST = 100;
    private static final int GROWTH = 4;
    private static final long BYTES = 4L * 1_024 * 1_024;

    /** Reads a part of a list. */
    interface Pages {
        List<JobRecord> read(long from, int count);
    }

    /** Receives one job after another. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean visit(JobRecord job, long index);
    }

    private final long nanos;
    private long end;
    private boolean begun;
    private int entries;
    private int fitting = 1;

    public BudgetedScan(ScanBudget budget) {
        this.entries = budget.entries();
        this.nanos = budget.time().toNanos();
    }

    /** How many jobs to read at once, regardless of the budget. */
    int fitting() {
        return fitting;
    }

    /** Adapts the next step to the size of the last one. */
    void took(int jobs, long bytes) {
        long small = jobs * BYTES / Math.max(1, bytes);
        fitting = (int) Math.max(1, Math.min(Math.min(MOST, (long) GROWTH * Math.max(1, jobs)), small));
    }

    /**
     * Makes the steps of a scan.
     *
     * @param found receives each entry that was found
     * @return whether it came to the end
     */
    public <T> boolean scan(ScanStep.Steps<T> steps, Consumer<? super T> found) {
        return scan(steps, found, () -> false);
    }

    /**
     * The same.
     *
     * @param enough asked after each step whether to stop
     */
    <T> boolean scan(ScanStep.Steps<T> steps, Consumer<? super T> found, BooleanSupplier enough) {
        ScanStep<T> step;
        String cursor = EntryReader.FIRST;
        do {
            int count = next();
            step = steps.next(cursor, count);
            spent(count, Math.max(step.looked(), step.found().size()));
            cursor = step.cursor();
            step.found().forEach(found);
        } while (!step.last() && !enough.getAsBoolean() && lasts());
        return step.last();
    }

    /** Takes the entries of one step from the budget: at most {@code most}, and at most a hundred. */
    public int next(int most) {
        int count = Math.min(Math.min(MOST, most), entries);
        entries -= count;
        return count;
    }

    /** Takes the entries of one step from the budget. */
    public int next() {
        return next(MOST);
    }

    /** Corrects the budget after a step that looked at fewer or more jobs than it took from the budget. */
    public void spent(int taken, int looked) {
        entries += taken - looked;
    }

    /** Whether the budget allows another step. Its time begins after the first one, which may have had to connect. */
    public boolean lasts() {
        if (!begun) {
            begun = true;
            end = System.nanoTime() + nanos;
        }
        return entries > 0 && System.nanoTime() - end < 0;
    }

    /**
     * Reads through a list.
     *
     * @param from the position of the first job
     * @param few jobs after which the visitor may stop; no more are read before that
     * @return the position after the last job visited, or -1 at the end of the list
     */
    long through(Pages pages, long from, int few, Visitor visitor) {
        long at = from;
        do {
            long looked = at - from;
            int count = next(looked < few ? (int) Math.min(fitting, few - looked) : fitting);
            List<JobRecord> jobs = pages.read(at, count);
            long bytes = 0;
            for (JobRecord job : jobs) {
                bytes += job.size();
                if (!visitor.visit(job, at++)) {
                    return at;
                }
            }
            if (jobs.size() < count) {
                return -1;
            }
            took(jobs.size(), bytes);
        } while (lasts());
        return at;
    }

    /**
     * Where a page begins: at the last one if the list has become shorter.
     *
     * @param from as a caller of the administration gave it, and so is {@code size}
     * @param total jobs in the list
     */
    public static long begin(long from, int size, long total) {
        if (from < 0) {
            throw new IllegalArgumentException("'from' must be at least 0 but was " + from);
        }
        if (size < 1 || size > MOST_ON_PAGE) {
            throw new IllegalArgumentException("'size' must be 1 to " + MOST_ON_PAGE + " but was " + size);
        }
        return from < total ? from : Math.max(0, (total - 1) / size * size);
    }

    /**
     * The matching jobs of a list.
     *
     * @param total jobs in the list
     * @param from as {@link #begin} takes it, and so is {@code size}
     */
    Page<ListedJob> page(Pages pages, long total, Predicate<? super JobRecord> wanted, long from, int size) {
        long begin = begin(from, size, total);
        List<ListedJob> found = new ArrayList<>();
        AtomicLong bytes = new AtomicLong();
        long next = through(pages, begin, size, (job, index) -> {
            if (wanted.test(job)) {
                found.add(new ListedJob(job, index));
                bytes.addAndGet(job.size());
            }
            return found.size() < size && bytes.get() < EntryReader.PAGE_BYTES;
        });
        boolean more = next >= 0 && next < total;
        return new Page<>(found, begin, more ? next : -1, total, more && found.size() < size);
    }

    /** How many jobs of a list match. */
    JobCount count(Pages pages, long total, Predicate<? super JobRecord> wanted) {
        AtomicLong count = new AtomicLong();
        long next = through(pages, 0, MOST_ON_PAGE, (job, index) -> {
            if (wanted.test(job)) {
                count.incrementAndGet();
            }
            return true;
        });
        return new JobCount(count.get(), total, next >= 0 && next < total);
    }
}
