package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.JobsException;
import dev.jobs.admin.JobRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action on jobs.
 *
 * @param gone jobs that were no longer there
 * @param kept selected jobs that stay
 * @param restorable how many of the deleted jobs are in the trash
 * @param undo the batch that restores them, or null
 * @param cursor where the next step continues, or null after the last one
 * @param reasons why some stay
 */
@Internal
public record ActionAnswer(
        long done,
        long gone,
        long kept,
        long restorable,
        @Nullable String undo,
        @Nullable String cursor,
        List<Reason> reasons) {

    private static final int MOST_REASONS = 5;

    public ActionAnswer {
        reasons = reasons.stream().distinct().limit(MOST_REASONS).toList();
    }

    /**
     * Why a job stays.
     *
     * @param code for programs
     * @param message a sentence for people
     */
    public record Reason(String code, String message) {

        public static final Reason VETOED = new Reason("vetoed", "A middleware prevents it from being enqueued");
        public static final Reason NOT_FOUND_IN_TIME =
                new Reason("not-found-in-time", "The search ran out of time, so it may still be there: try again");
        public static final Reason REFUSED =
                new Reason("refused", "The trash accepts nothing: its key holds another type, remove that first");
        public static final Reason STAYED =
                new Reason("stayed", "A middleware rejects them, they are not jobs, or their target accepts nothing");

        public static Reason of(JobRecord job, RuntimeException e) {
            if (e instanceof JobsException) {
                return new Reason(job.payload() == null ? "malformed" : "refused", String.valueOf(e.getMessage()));
            }
            // its message is not ours to show
            return new Reason(
                    "middleware", "A middleware failed with " + e.getClass().getName());
        }
    }
}
