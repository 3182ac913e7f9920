package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class OutboxHintsTests {

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "mysql", "oracle", "postgresql", "sqlserver"})
    void aNativeImageCanMakeTheTable(String database) {
        RuntimeHints hints = new RuntimeHints();

        new OutboxHints().registerHints(hints, null);

        assertThat(RuntimeHintsPredicates.resource()
                        .forResource("dev/jobs/outbox/" + database + "/R__jobs_outbox_001.sql"))
                .accepts(hints);
    }
}
