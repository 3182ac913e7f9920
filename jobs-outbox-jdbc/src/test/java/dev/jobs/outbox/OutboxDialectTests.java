package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.databases.HeardStatements;
import dev.jobs.databases.SqlGrammar;
import dev.jobs.outbox.OutboxTable.Row;
import dev.jobs.outbox.OutboxTable.Slice;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import dev.jobs.transactions.Outbox.Entry;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** The statements for databases that are not here. Their parsers take seconds to be ready. */
@LongTest
@Tag("database")
class OutboxDialectTests {

    @ParameterizedTest
    @EnumSource
    void theGrammarTakesEveryStatement(SqlGrammar grammar) {
        HeardStatements database = new HeardStatements(
                grammar,
                "a",
                sql -> sql.contains("slice is not null") || sql.contains("lane > ?") || sql.contains("jobs_schema"));
        new SchemaChanges("outbox", List.of(database.source()), DatabaseInitializationMode.ALWAYS, failure -> false)
                .initializeDatabase();
        OutboxTable table = new OutboxTable(database.source(), 1);
        Row row = new Row(1, 1, new Relayed("default", null, new byte[0]));
        table.add(List.of(new Entry("default", "jid", null, new byte[0])), 1);
        table.createLanes();
        table.next(0);
        table.remove(new Slice("a", 0, 1, List.of(row)));
        table.setAside(row);
        table.takeBack();
        table.source();
        table.backlog();
        table.lanes();

        assertThat(database.all()).hasSizeGreaterThan(15).allSatisfy(sql -> assertThat(grammar.errors(sql))
                .isEmpty());
        assertThat(database.all()).anyMatch(sql -> sql.contains("length(payload)"));
    }
}
