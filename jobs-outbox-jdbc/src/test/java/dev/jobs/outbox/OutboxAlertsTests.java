package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.databases.Database;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The alerts ask for meters that exist, and for all of them. */
class OutboxAlertsTests {

    private static final Path RULES = Path.of("..", "docs", "monitoring", "prometheus-rules-outbox.yml");
    private static final Pattern METRIC = Pattern.compile("\\bjobs_[a-z_]+");

    private static TreeSet<String> names(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theyAskForEveryMeter() throws IOException {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Database database = Database.h2()) {
            OutboxContract.createTables(database);
            new OutboxGauges(
                    new OutboxDatabases(database.source(), 1), prometheus, Clock.systemUTC(), System::nanoTime);
        }
        String expressions = Files.readAllLines(RULES).stream()
                .filter(line -> line.contains("expr:"))
                .collect(Collectors.joining("\n"));

        assertThat(names(expressions)).isNotEmpty().isEqualTo(names(prometheus.scrape()));
    }
}
