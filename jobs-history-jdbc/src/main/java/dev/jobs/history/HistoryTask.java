package dev.jobs.history;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch in the history.
 *
 * @param id the id of the batch
 * @param description for people; may be empty
 * @param createdBy its owner; may be empty
 * @param parent the id of the batch that it is a child of; null if it has none
 * @param total number of all jobs
 * @param waiting jobs of which no execution has ended yet
 * @param retrying jobs that wait or run again
 * @param succeeded jobs that succeeded
 * @param failed jobs that ended with a {@link dev.jobs.JobFailedException}
 * @param dead jobs that were given up
 * @param skipped jobs that were deleted, cancelled or refused
 * @param lost jobs that an audit found nowhere
 * @param finishedAt when nothing was left to run; null before that
 * @param complete whether the rows of its jobs equal what Redis has of the finished batch
 */
public record HistoryTask(
        String id,
        String name,
        String description,
        List<String> tags,
        String createdBy,
        @Nullable String parent,
        State state,
        long total,
        long waiting,
        long retrying,
        long succeeded,
        long failed,
        long dead,
        long skipped,
        long lost,
        Instant createdAt,
        @Nullable Instant finishedAt,
        boolean complete) {

    /** The state of a batch in the history. */
    public enum State {
        /** Jobs are still being added. */
        FILLING,
        /** Opens when another batch succeeds; stays so if that one ended without success, and Redis forgot both. */
        WAITING,
        RUNNING,
        /** Cancelled, and its last jobs are about to end. */
        CANCELLING,
        SUCCEEDED,
        /** Finished, and at least one job or child did not succeed. */
        FINISHED,
        CANCELLED,
        /** Redis lost the batch before it was copied; its last known counters stay. */
        GONE
    }

    public HistoryTask {
        tags = List.copyOf(tags);
    }

    HistoryTask withTags(List<String> known) {
        return new HistoryTask(
                id,
                name,
                description,
                known,
                createdBy,
                parent,
                state,
                total,
                waiting,
                retrying,
                succeeded,
                failed,
                dead,
                skipped,
                lost,
                createdAt,
                finishedAt,
                complete);
    }
}
