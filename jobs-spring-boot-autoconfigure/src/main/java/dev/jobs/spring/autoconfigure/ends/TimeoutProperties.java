package dev.jobs.spring.autoconfigure.ends;

import dev.jobs.Internal;
import dev.jobs.ends.TimeoutConfig;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.convert.DurationUnit;

/**
 * How long executions may take.
 *
 * @param standard Time that an execution of a job without a timeout of its own may take, 1 millisecond to 365 days.
 *     If empty, it may take as long as it wants.
 * @param grace Time after its timeout in which an interrupted job may end before it is given up with its thread, 0
 *     seconds to 1 hour.
 */
@Internal
public record TimeoutProperties(
        @Name("default") @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration standard,

        @DefaultValue("10s") @DurationUnit(ChronoUnit.SECONDS)
        Duration grace) {

    /** The same for the engine. */
    public TimeoutConfig config() {
        return new TimeoutConfig(standard, grace);
    }

    public void check(PropertyRules rules) {
        rules.within("timeout.default", standard, "1ms", "365d").within("timeout.grace", grace, "0s", "1h");
    }
}
