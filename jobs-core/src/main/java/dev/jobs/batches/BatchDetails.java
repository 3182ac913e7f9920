package dev.jobs.batches;

import dev.jobs.admin.JobRecord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch and what was determined when it was created.
 *
 * @param previous the id of the batch that must succeed before it opens; null if there is none
 * @param keptFor how long it is kept after its end; null for the default
 * @param staged whether it is still being created, and none of its jobs runs before that is complete
 * @param abandoned whether jobs may still be added, but none was added for ten minutes
 * @param queues the queues to which its jobs went when it opened; empty if they were stored there at once
 */
public record BatchDetails(
        BatchStatus status,
        @Nullable String previous,
        boolean toleratesFailures,
        boolean toleratesSkipped,
        boolean keepsResults,
        @Nullable Duration keptFor,
        boolean staged,
        boolean abandoned,
        List<String> queues,
        List<Callback> callbacks) {

    public BatchDetails {
        queues = List.copyOf(queues);
        callbacks = List.copyOf(callbacks);
    }

    /**
     * A callback.
     *
     * @param job the job that is, will be or was enqueued
     * @param state null while it is not enqueued
     */
    public record Callback(
            BatchEvent event, JobRecord job, @Nullable BatchJobState state) {}
}
