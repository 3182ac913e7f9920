package dev.jobs.history;

import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * The properties of the history.
 *
 * @param enabled Whether batches and jobs are recorded in the database.
 * @param initializeSchema When the tables are created, and altered for a new version, at the start.
 * @param interval How long ends of jobs wait to be written together, and shortest time between two looks at a batch in
 *     Redis, 10 milliseconds to 10 seconds.
 * @param retention How long finished batches and jobs are kept, 1 hour to 10,000 days.
 * @param jobs Names of jobs that are recorded outside batches, too; * stands for any text.
 * @param queues Queues whose jobs are recorded outside batches, too; * stands for any text.
 */
@ConfigurationProperties("jobs.history")
record HistoryProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,

        @DefaultValue("500ms") @DurationUnit(ChronoUnit.SECONDS)
        Duration interval,

        @DefaultValue("90d") @DurationUnit(ChronoUnit.SECONDS)
        Duration retention,

        @DefaultValue List<String> jobs,
        @DefaultValue List<String> queues) {

    HistoryProperties {
        PropertyRules.of("jobs.history")
                .within("interval", interval, "10ms", "10s")
                .within("retention", retention, "1h", "10000d")
                .enforce();
        jobs = List.copyOf(jobs);
        queues = List.copyOf(queues);
    }
}
