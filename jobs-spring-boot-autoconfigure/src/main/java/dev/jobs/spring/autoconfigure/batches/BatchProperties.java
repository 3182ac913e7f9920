package dev.jobs.spring.autoconfigure.batches;

import dev.jobs.Internal;
import dev.jobs.batches.BatchRetention;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Batches.
 *
 * @param retention Time that a batch is kept after its end unless it says otherwise, 1 minute to 3650 days. The
 *     leading worker decides.
 * @param retentionWithDead Time that a batch with dead jobs is kept after its end unless it says otherwise, 1
 *     minute to 3650 days.
 * @param stuckAfter Time without a change after which health warns of an unfinished batch, 1 second to 365 days.
 * @param maxStreams Number of clients that may get the progress of batches as server-sent events at once, 0 to
 *     10000. Each may need a thread while it reads slowly.
 */
@Internal
public record BatchProperties(
        @DefaultValue("24h") @DurationUnit(ChronoUnit.SECONDS)
        Duration retention,

        @DefaultValue("7d") @DurationUnit(ChronoUnit.SECONDS)
        Duration retentionWithDead,

        @DefaultValue("1h") @DurationUnit(ChronoUnit.SECONDS)
        Duration stuckAfter,

        @DefaultValue("200") int maxStreams) {

    public BatchRetention kept() {
        return new BatchRetention(retention, retentionWithDead);
    }

    public void check(PropertyRules rules) {
        rules.within("batches.retention", retention, "1m", "3650d")
                .within("batches.retention-with-dead", retentionWithDead, "1m", "3650d")
                .within("batches.stuck-after", stuckAfter, "1s", "365d")
                .within("batches.max-streams", maxStreams, 0, 10_000);
    }
}
