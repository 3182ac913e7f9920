package dev.jobs.admin;

import java.util.List;

/**
 * Reads through jobs in steps, no further than a budget reaches. The size of jobs is not known before they are read, so it reads one
 * first, then more and more as long as they add up to no more than a few megabytes. Confined to one thread.
 */
final class BudgetedScan {

    private static final int MOST = 100;
    private static final int GROWTH = 4;
    private static final long BYTES = 4L * 1_024 * 1_024;

    /** Reads a part of a list. */
    interface Pages {
        List<JobRecord> read(long from, int count);
    }

    /** Looks at one job. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean visit(JobRecord job, long index);
    }

    private final long nanos;
    private long end;
    private boolean begun;
    private int entries;
    private int fitting = 1;

    BudgetedScan(ScanBudget budget) {
        this.entries = budget.entries();
        this.nanos = budget.time().toNanos();
    }

    /** How many jobs to read at once, whatever the budget says. */
    int fitting() {
        return fitting;
    }

    /** Reports what a read returned. */
    void took(int jobs, long bytes) {
        long small = jobs * BYTES / Math.max(1, bytes);
        fitting = (int) Math.max(1, Math.min(Math.min(MOST, (long) GROWTH * Math.max(1, jobs)), small));
    }

    /** Takes the entries of one step from the budget: at most so many, and at most a hundred. */
    int next(int most) {
        int count = Math.min(Math.min(MOST, most), entries);
        entries -= count;
        return count;
    }

    /** Takes the entries of one step from the budget. */
    int next() {
        return next(MOST);
    }

    /** Corrects the budget after a step, which may look at fewer jobs than it took from the budget, or at more. */
    void spent(int taken, int looked) {
        entries += taken - looked;
    }

    /** Whether the budget allows another step. Its time begins after the first one, which may have had to connect. */
    boolean lasts() {
        if (!begun) {
            begun = true;
            end = System.nanoTime() + nanos;
        }
        return entries > 0 && System.nanoTime() - end < 0;
    }

    /**
     * Goes through a list.
     *
     * @param from the place of the first job
     * @param few jobs after which the visitor may have had enough, so that no more are read before that
     * @return the place after the last job that was looked at, or -1 if the list has ended
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
}
