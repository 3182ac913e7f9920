package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class HistoryHintsTests {

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "mysql", "oracle", "postgresql", "sqlserver"})
    void aNativeImageCanMakeTheTables(String database) {
        RuntimeHints hints = new RuntimeHints();

        new HistoryHints().registerHints(hints, null);

        assertThat(RuntimeHintsPredicates.resource()
                        .forResource("dev/jobs/history/" + database + "/R__jobs_history_001.sql"))
                .accepts(hints);
    }
}
