package dev.jobs.spring.autoconfigure.versions;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Jobs that this version of the application can't run.
 *
 * @param waitFor Time that a job of an unknown name waits for a worker that knows it before it fails, 0 seconds to
 *     7 days: the length of a deployment. While such a worker is alive, the job waits longer. 0 to fail at once.
 */
@Internal
public record UnknownJobProperties(
        @DefaultValue("10m") @DurationUnit(ChronoUnit.SECONDS)
        Duration waitFor) {

    public void check(PropertyRules rules) {
        rules.within("unknown-jobs.wait-for", waitFor, "0s", "7d");
    }
}
