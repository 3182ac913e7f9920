package dev.jobs.history;

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
 * @param initializeSchema When the tables are created at the start.
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
        check("interval", interval, Duration.ofMillis(10), Duration.ofSeconds(10), "10 milliseconds to 10 seconds");
        check("retention", retention, Duration.ofHours(1), Duration.ofDays(10_000), "1 hour to 10,000 days");
        jobs = List.copyOf(jobs);
        queues = List.copyOf(queues);
    }

    private static void check(String name, Duration value, Duration least, Duration most, String range) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException("jobs.history." + name + " must be " + range + " but was " + value);
        }
    }
}
