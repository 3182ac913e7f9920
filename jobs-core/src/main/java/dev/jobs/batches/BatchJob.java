package dev.jobs.batches;

import dev.jobs.JobContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job of a batch, as Redis knows it.
 *
 * @param index its number in the batch, from 0; jobs that were added by jobs of the batch begin at 2,147,483,648
 * @param messages what it left with {@link JobContext#message}, and the messages of its failures, oldest first
 * @param progress how far its present execution has come; null if it doesn't run or says nothing
 * @param result the JSON of what its method returned; null if the batch keeps no results or it has none
 */
public record BatchJob(
        String jid,
        long index,
        BatchJobState state,
        List<String> messages,
        @Nullable Progress progress,
        @Nullable String result) {

    public BatchJob {
        messages = List.copyOf(messages);
    }

    /**
     * How far a job has come.
     *
     * @param done number of steps that are done
     * @param total number of all steps; 0 if it is unknown
     */
    public record Progress(long done, long total) {}
}
