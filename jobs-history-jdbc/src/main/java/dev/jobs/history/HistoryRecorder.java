package dev.jobs.history;

import dev.jobs.ArgumentMasking;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.BatchJobState;
import dev.jobs.codec.OneLine;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;

/** Hands the ends of executions to the writer, without waiting for it. Thread-safe. */
final class HistoryRecorder implements JobListener {

    private static final int MESSAGE_CHARACTERS = 500;

    private final HistoryWriter writer;
    private final ArgumentMasking masking;
    private final Clock clock;
    private final String[] names;
    private final String[] queues;

    /**
     * @param names patterns of the names of jobs that are recorded outside batches, too; {@code *} stands for any text
     * @param queues the same for queues
     */
    HistoryRecorder(
            HistoryWriter writer, ArgumentMasking masking, Clock clock, List<String> names, List<String> queues) {
        this.writer = writer;
        this.masking = masking;
        this.clock = clock;
        this.names = names.toArray(String[]::new);
        this.queues = queues.toArray(String[]::new);
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        BatchJobState state = state(ending);
        if (state == null) {
            return;
        }
        Payload payload;
        try {
            payload = job.payload();
        } catch (InvalidPayloadException e) {
            return; // not a job
        }
        Instant now = clock.instant();
        BatchJobId batchJob = BatchEffects.batchJob(payload);
        if (batchJob == null ? isRecorded(job) : !batchJob.isCallback()) {
            writer.add(new End(
                    job.jid(),
                    batchJob == null ? first(job, payload, now) : null,
                    state,
                    failure == null ? null : Texts.json(List.of(message(payload, state, failure))),
                    failure == null ? null : failure.getClass().getName(),
                    job.attempt(),
                    now.minus(took),
                    now));
        }
    }

    /** What the history calls an ending; null if the execution counts for nothing. */
    private static @Nullable BatchJobState state(JobListener.Ending ending) {
        return switch (ending) {
            case DONE -> BatchJobState.SUCCEEDED;
            case RETRIED -> BatchJobState.RETRYING;
            case DEAD -> BatchJobState.DEAD;
            case DISCARDED -> BatchJobState.DISCARDED;
            case FAILED -> BatchJobState.FAILED;
            case SKIPPED, CANCELLED, EXPIRED, REPLACED -> BatchJobState.SKIPPED;
            case INTERRUPTED, POSTPONED, OVER_LIMIT, HANDED_BACK, LOST -> null;
        };
    }

    private boolean isRecorded(JobContext job) {
        return !job.jid().isEmpty()
                && (PatternMatchUtils.simpleMatch(names, job.name())
                        || PatternMatchUtils.simpleMatch(queues, job.queue()));
    }

    private NewEvent first(JobContext job, Payload payload, Instant now) {
        return new NewEvent(
                job.jid(),
                null,
                0,
                job.name(),
                job.queue(),
                BatchJobState.ENQUEUED,
                Texts.fit(HistoryJournal.parameters(masking, payload), Texts.LONGEST),
                null,
                null,
                Objects.requireNonNullElse(payload.time("created_at"), now));
    }

    /** The message that a batch keeps of a failure. */
    private String message(Payload payload, BatchJobState state, Throwable failure) {
        String text = state == BatchJobState.FAILED
                ? masking.message(payload, failure)
                : masking.typeAndMessage(payload, failure);
        return OneLine.of(text, MESSAGE_CHARACTERS);
    }
}
