package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.databases.HeardStatements;
import dev.jobs.databases.SqlGrammar;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** The statements for databases that are not here. Their parsers take seconds to be ready. */
@LongTest
@Tag("database")
class HistoryDialectTests {

    private static final Instant NOW = Instant.ofEpochMilli(1);

    @ParameterizedTest
    @EnumSource
    void theGrammarTakesEveryStatement(SqlGrammar grammar) {
        HeardStatements rows = new HeardStatements(grammar, "SUCCEEDED", sql -> sql.contains("jobs_schema"));
        HeardStatements none = new HeardStatements(grammar, "SUCCEEDED", sql -> true);
        new SchemaChanges("history", List.of(rows.source()), DatabaseInitializationMode.ALWAYS, failure -> false)
                .initializeDatabase();
        for (HeardStatements each : List.of(rows, none)) {
            HistoryTables tables = new HistoryTables(each.source());
            write(tables);
            search(new JobHistory(tables));
        }

        Set<String> all = new LinkedHashSet<>(rows.all());
        all.addAll(none.all());
        assertThat(all).hasSizeGreaterThan(45).allSatisfy(sql -> assertThat(grammar.errors(sql))
                .isEmpty());
    }

    private static void write(HistoryTables tables) {
        TaskTable tasks = tables.tasks();
        tasks.add("a", "name", NOW);
        tasks.due(NOW, 100).forEach(due -> tasks.adopt(due, NOW));
        tasks.postpone("a", NOW, NOW, Duration.ZERO);
        tasks.exists("a");
        tasks.seen(batch(), false);
        tasks.beginCopy("a", "1");
        tasks.lockCopy("a", "1");
        tasks.copiedTo("a", 1);
        tasks.endCopy("a", "1", NOW);
        tasks.gone("a", HistoryTask.State.GONE);
        tasks.happened(IntStream.range(0, 1_001).mapToObj(String::valueOf).toList(), NOW);
        tasks.markOld(NOW);
        tasks.lockMarked();
        tasks.delete("a");

        EventTable events = tables.events();
        NewEvent first = new NewEvent("a", "a", 1, "A", "default", BatchJobState.ENQUEUED, "[]", null, null, NOW);
        events.end(List.of(new End("a", first, BatchJobState.SUCCEEDED, null, null, 1, NOW, NOW)));
        events.equalize("a", -1, 1, List.of(), NOW);
        events.equalize(
                "a",
                -1,
                1,
                List.of(new BatchJob("SUCCEEDED", 1, BatchJobState.FAILED, List.of("no"), null, null)),
                NOW);
        events.hasRun("a");
        events.isEmpty("a");
        events.deleteSlice("a");
        events.deleteSlice(NOW);
    }

    private static void search(JobHistory history) {
        history.task("a");
        history.event("a");
        history.tasks(
                TaskSearch.all()
                        .withName("a")
                        .withState(HistoryTask.State.RUNNING)
                        .withTag("a")
                        .withCreatedBy("a")
                        .withParent("a")
                        .from(NOW)
                        .until(NOW),
                "1:a",
                10);
        EventSearch all = EventSearch.ofTask("a")
                .withStates(BatchJobState.FAILED, BatchJobState.DEAD)
                .withJob("a")
                .withQueue("a")
                .withTag("a")
                .withText("one [two 100%")
                .from(NOW)
                .until(NOW);
        history.events(all.by(EventSearch.Order.INDEX), "1", 10);
        history.events(all.by(EventSearch.Order.NEWEST), "1:a", 10);
        history.events(all.by(EventSearch.Order.ENDED), "1:a", 10);
    }

    private static BatchStatus batch() {
        return new BatchStatus(
                "a",
                "",
                "",
                List.of("tag"),
                "",
                null,
                null,
                false,
                false,
                1,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                NOW,
                NOW,
                Map.of(),
                null,
                Map.of());
    }
}
