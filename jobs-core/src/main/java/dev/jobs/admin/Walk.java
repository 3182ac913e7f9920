package dev.jobs.admin;

import java.util.List;

/** Goes through a list step by step, no further than a budget reaches, in steps that are small where jobs are large. */
final class Walk {

    private static final int FIRST_STEP = 25;
    private static final int STEP = 100;
    private static final long BYTES_OF_STEP = 4L * 1_024 * 1_024;

    /** Reads a part of the list. */
    interface Pages {
        List<JobRecord> read(long from, int count);
    }

    /** Looks at one job. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean visit(JobRecord job, long index);
    }

    private Walk() {}

    /**
     * @param from the place of the first job
     * @param most jobs in a step, at first: nobody knows yet how large they are
     * @return the place after the last job that was looked at, or -1 if the list has ended
     */
    static long through(Pages pages, long from, int most, ScanBudget budget, Visitor visitor) {
        Allowance allowance = new Allowance(budget);
        long at = from;
        int step = Math.min(FIRST_STEP, most);
        do {
            int count = allowance.next(step);
            List<JobRecord> jobs = pages.read(at, count);
            long bytes = 1;
            for (JobRecord job : jobs) {
                bytes += job.size();
                if (!visitor.visit(job, at++)) {
                    return at;
                }
            }
            if (jobs.size() < count) {
                return -1;
            }
            step = (int) Math.max(1, Math.min(STEP, count * BYTES_OF_STEP / bytes));
        } while (allowance.lasts());
        return at;
    }
}
