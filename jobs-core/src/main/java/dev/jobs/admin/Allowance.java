package dev.jobs.admin;

/** What is left of a budget. Confined to one thread. */
final class Allowance {

    private static final int STEP = 100;

    private final long start = System.nanoTime();
    private final long nanos;
    private int entries;

    Allowance(ScanBudget budget) {
        this.entries = budget.entries();
        this.nanos = budget.time().toNanos();
    }

    /** Takes the entries of one step. */
    int next() {
        return next(STEP);
    }

    /** Takes the entries of a step of at most so many, and of at most a hundred. */
    int next(int most) {
        int count = Math.min(Math.min(STEP, most), entries);
        entries -= count;
        return count;
    }

    /** Gives back what a step didn't look at. */
    void giveBack(int count) {
        entries += Math.max(0, count);
    }

    boolean lasts() {
        return entries > 0 && System.nanoTime() - start < nanos;
    }
}
