package dev.jobs.spring.autoconfigure.recurring;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Recurring jobs.
 *
 * @param enabled Whether the worker stores the recurring jobs that this application declares and fires those of the
 *     namespace.
 * @param namespace Group of recurring jobs in Redis that this application manages.
 * @param application Mark of the recurring jobs that this application declares. Each start removes jobs with this
 *     mark that are no longer declared. Defaults to the application name; without one, nothing is removed.
 * @param grace Time within which a missed slot of a recurring job is made up for, 1 second to 12 hours.
 */
@Internal
public record RecurringProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String namespace,
        @Nullable String application,

        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
        Duration grace) {

    public void check(PropertyRules rules) {
        rules.check("recurring.namespace", namespace, !namespace.isEmpty(), "must not be empty")
                .within("recurring.grace", grace, "1s", "12h");
    }
}
