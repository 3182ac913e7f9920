package dev.jobs.spring.autoconfigure.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStatus;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchMetersTests {

    private static final Instant LATER = Instant.parse("2026-01-02T03:04:05Z");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BatchMeters meters = new BatchMeters(registry);

    @Test
    void finishedBatchesAreTimedByNameAndOutcome() {
        BatchStatus done = batch(null, 0, Map.of(BatchEvent.FINISHED, LATER, BatchEvent.SUCCEEDED, LATER));
        BatchStatus lost = batch(null, 2, Map.of(BatchEvent.FINISHED, LATER));
        BatchStatus cancelled = batch(LATER, 0, Map.of(BatchEvent.FINISHED, LATER));

        meters.batchChanged(lost, Set.of(BatchEvent.DIED));
        meters.batchChanged(done, Set.of(BatchEvent.FINISHED, BatchEvent.SUCCEEDED));
        meters.batchChanged(lost, Set.of(BatchEvent.FINISHED));
        meters.batchChanged(cancelled, Set.of(BatchEvent.FINISHED));

        for (String outcome : List.of("succeeded", "incomplete", "cancelled")) {
            assertThat(registry.get("jobs.batch.duration")
                            .tags("batch", "sale", "outcome", outcome)
                            .timer())
                    .returns(1L, Timer::count)
                    .returns(60.0, timer -> timer.totalTime(TimeUnit.SECONDS));
        }
        assertThat(registry.get("jobs.batch.lost").counter().count()).isEqualTo(2);
    }

    private static BatchStatus batch(@Nullable Instant cancelled, long lost, Map<BatchEvent, Instant> events) {
        return new BatchStatus(
                "0123456789abcdef",
                "sale",
                "",
                List.of(),
                "",
                null,
                null,
                false,
                false,
                lost,
                0,
                0,
                0,
                0,
                0,
                0,
                lost,
                0,
                0,
                LATER.minusSeconds(60),
                LATER,
                events,
                cancelled,
                Map.of());
    }
}
