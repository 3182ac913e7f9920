package dev.jobs.spring.autoconfigure.results;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Results of jobs.
 *
 * @param keep Time that the result of a submitted job is kept after its end, 1 second to 30 days.
 */
@Internal
public record ResultProperties(
        @DefaultValue("1h") @DurationUnit(ChronoUnit.SECONDS)
        Duration keep) {

    public void check(PropertyRules rules) {
        rules.within("results.keep", keep, "1s", "30d");
    }
}
