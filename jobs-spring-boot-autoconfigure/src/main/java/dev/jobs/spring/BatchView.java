package dev.jobs.spring;

import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch as JSON for a browser: its {@link BatchStatus} with what follows from it.
 *
 * @param share part of the jobs that have ended, from 0 to 1
 * @param secondsLeft how long the pending jobs will take if the rate stays; null if there is no estimate
 * @param version changes whenever anything else here changes, except the estimate
 */
public record BatchView(
        String id,
        String name,
        String description,
        List<String> tags,
        BatchStatus.State state,
        boolean finished,
        long total,
        long pending,
        long waiting,
        long retrying,
        long succeeded,
        long failed,
        long dead,
        long skipped,
        long lost,
        double share,
        @Nullable Long secondsLeft,
        Instant createdAt,
        Map<BatchEvent, Instant> events,
        Map<BatchEvent, BatchJobState> callbacks,
        String version) {

    /** @param now the time that the estimate starts from */
    public static BatchView of(BatchStatus batch, Instant now) {
        return new BatchView(
                batch.id(),
                batch.name(),
                batch.description(),
                batch.tags(),
                batch.state(),
                batch.isFinished(),
                batch.total(),
                batch.pending(),
                batch.waiting(),
                batch.retrying(),
                batch.succeeded(),
                batch.failed(),
                batch.dead(),
                batch.skipped(),
                batch.lost(),
                batch.share(),
                batch.remaining(now).map(Duration::toSeconds).orElse(null),
                batch.createdAt(),
                batch.events(),
                batch.callbacks(),
                batch.version());
    }
}
