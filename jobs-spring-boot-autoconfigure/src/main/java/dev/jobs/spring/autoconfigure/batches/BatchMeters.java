package dev.jobs.spring.autoconfigure.batches;

import dev.jobs.Internal;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchListener;
import dev.jobs.batches.BatchStatus;
import dev.jobs.spring.autoconfigure.gauges.TagValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;

/** Times batches, and counts their lost jobs. */
@Internal
public final class BatchMeters implements BatchListener {

    private static final int MOST_VALUES = 200;

    private final MeterRegistry meters;
    private final Counter lost;
    private final TagValues batches = new TagValues(MOST_VALUES);

    public BatchMeters(MeterRegistry meters) {
        this.meters = meters;
        this.lost = Counter.builder("jobs.batch.lost")
                .description("Jobs of finished batches that an audit found nowhere")
                .register(meters);
    }

    @Override
    public void batchChanged(BatchStatus batch, Set<BatchEvent> events) {
        if (events.contains(BatchEvent.FINISHED)) {
            Timer.builder("jobs.batch.duration")
                    .description("Time from the creation of batches until they finished")
                    .tag("batch", batches.bounded(batch.name()))
                    .tag("outcome", outcome(batch))
                    .register(meters)
                    .record(Duration.between(
                            batch.createdAt(), batch.at(BatchEvent.FINISHED).orElse(batch.createdAt())));
            lost.increment(batch.lost());
        }
    }

    private static String outcome(BatchStatus batch) {
        if (batch.cancelledAt() != null) {
            return "cancelled";
        }
        return batch.events().containsKey(BatchEvent.SUCCEEDED) ? "succeeded" : "incomplete";
    }
}
