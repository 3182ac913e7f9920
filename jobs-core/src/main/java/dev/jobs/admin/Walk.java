package dev.jobs.admin;

import java.util.List;

/** Goes through a list step by step, no further than a budget reaches. */
final class Walk {

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
     * @param few jobs after which the visitor may have had enough, so that no more are read before that
     * @return the place after the last job that was looked at, or -1 if the list has ended
     */
    static long through(Pages pages, long from, int few, ScanBudget budget, Visitor visitor) {
        Allowance allowance = new Allowance(budget);
        Pace pace = new Pace();
        long at = from;
        do {
            long looked = at - from;
            int count = allowance.next(looked < few ? (int) Math.min(pace.next(), few - looked) : pace.next());
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
            pace.took(jobs.size(), bytes);
        } while (allowance.lasts());
        return at;
    }
}
