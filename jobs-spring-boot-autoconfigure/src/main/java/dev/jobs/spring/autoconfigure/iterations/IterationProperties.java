package dev.jobs.spring.autoconfigure.iterations;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationUnit;

/**
 * Jobs that work through many elements.
 *
 * @param maxRuntime Time after which an iterable job goes to the back of its queue to let other jobs run, 1
 *     millisecond to 365 days. If empty, it runs as long as it takes.
 */
@Internal
public record IterationProperties(
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration maxRuntime) {

    public void check(PropertyRules rules) {
        rules.within("iteration.max-runtime", maxRuntime, "1ms", "365d");
    }
}
