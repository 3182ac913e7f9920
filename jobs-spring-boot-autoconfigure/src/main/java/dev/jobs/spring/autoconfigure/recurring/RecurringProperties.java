package dev.jobs.spring.autoconfigure.recurring;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.client.ClientConfig;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames.Kind;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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
 * @param schedules Recurring jobs that this application declares besides those of its annotations, or in their place, by
 *     name.
 */
@Internal
public record RecurringProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String namespace,
        @Nullable String application,

        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
        Duration grace,

        @DefaultValue Map<String, ScheduleProperties> schedules) {

    public void check(PropertyRules rules) {
        rules.check("recurring.namespace", namespace, !namespace.isEmpty(), "must not be empty")
                .within("recurring.grace", grace, "1s", "12h");
    }

    /** What they declare; checked when it is read. */
    public ConfiguredSchedules declared(JobRegistry registry, ClientConfig config) {
        return ConfiguredSchedules.of(
                schedules.entrySet().stream()
                        .map(each -> each.getValue().entry(each.getKey()))
                        .toList(),
                registry,
                config);
    }

    /** The names of jobs in them that another application may have. */
    public ConfiguredNames names() {
        return new ConfiguredNames(
                "jobs.recurring.schedules",
                Kind.JOB,
                schedules.values().stream()
                        .flatMap(each -> Stream.ofNullable(each.job()))
                        .toList(),
                false);
    }

    /** @param applicationName the default of the application's mark */
    public RecurringConfig config(String applicationName, ConfiguredSchedules declared) {
        return new RecurringConfig(
                        enabled, namespace, Objects.requireNonNullElse(application, applicationName), grace)
                .with(declared);
    }
}
