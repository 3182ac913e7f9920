package dev.jobs.history;

import dev.jobs.batches.BatchJobState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job.
 *
 * @param task the id of its batch; null if it was in none
 * @param index its number in the batch; 0 outside batches
 * @param job its name; empty if it is unknown
 * @param parameters the JSON array of its arguments, with the hidden ones masked, cut at 65,536 characters; null if
 *     they are unknown
 * @param messages what it left with {@link dev.jobs.JobContext#message}, and the messages of its failures, oldest first
 * @param result the JSON of what its method returned; null if its batch keeps no results or it has none
 * @param errorClass the class of its last failure; null if there was none
 * @param attempts the number of its last execution that was recorded; 0 before the first one
 * @param createdAt when it was recorded first
 * @param startedAt when its last recorded execution began; null before that
 * @param endedAt when that execution ended; null before that
 */
public record HistoryEvent(
        String jid,
        @Nullable String task,
        long index,
        String job,
        String queue,
        BatchJobState state,
        @Nullable String parameters,
        List<String> messages,
        @Nullable String result,
        @Nullable String errorClass,
        int attempts,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {

    public HistoryEvent {
        messages = List.copyOf(messages);
    }
}
