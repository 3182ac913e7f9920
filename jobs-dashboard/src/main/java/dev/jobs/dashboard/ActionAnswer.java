package dev.jobs.dashboard;

import dev.jobs.JobsException;
import dev.jobs.admin.JobRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of jobs that something was to be done to.
 *
 * @param gone those that were there no more
 * @param kept those that stay though they were meant
 * @param restorable how many of the deleted ones are in the trash
 * @param undo what takes them back, or null
 * @param cursor where the next step goes on, or null after the last one
 * @param reasons why some stay
 */
record ActionAnswer(
        long done,
        long gone,
        long kept,
        long restorable,
        @Nullable String undo,
        @Nullable String cursor,
        List<Reason> reasons) {

    private static final int MOST_REASONS = 5;

    ActionAnswer {
        reasons = reasons.stream().distinct().limit(MOST_REASONS).toList();
    }

    /**
     * Why a job stays.
     *
     * @param code for programs
     * @param message a sentence for people
     */
    record Reason(String code, String message) {

        static final Reason VETOED = new Reason("vetoed", "A middleware keeps it from being enqueued");
        static final Reason NOT_FOUND_IN_TIME = new Reason(
                "not-found-in-time", "There was no time to look everywhere, so it may still be there: try again");
        static final Reason REFUSED =
                new Reason("refused", "The trash takes nothing: its key holds something else, remove that first");
        static final Reason STAYED = new Reason(
                "stayed", "A middleware keeps them, they are no jobs, or the place they go to takes nothing");

        static Reason of(JobRecord job, RuntimeException e) {
            if (e instanceof JobsException) {
                return new Reason(job.payload() == null ? "malformed" : "refused", String.valueOf(e.getMessage()));
            }
            // its message is not ours to show
            return new Reason(
                    "middleware", "A middleware failed with " + e.getClass().getName());
        }
    }
}
