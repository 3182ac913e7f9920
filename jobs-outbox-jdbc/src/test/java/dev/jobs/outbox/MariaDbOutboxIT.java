package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobDefinitionException;
import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsMariaDb;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.JdbcTemplate;

@NeedsMariaDb
class MariaDbOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    /** Ends the wait as an administrator would, sooner than a minute; on MySQL, that is an error by itself. */
    @Test
    void aStartThatDoesNotGetTheLockChangesNoTables() throws SQLException {
        JdbcTemplate jdbc = new JdbcTemplate(database.source());
        database.execute("drop table if exists jobs_schema");
        SchemaChanges changes = new SchemaChanges(
                "outbox", List.of(database.source()), DatabaseInitializationMode.ALWAYS, failure -> false);
        try (Connection first = database.source().getConnection();
                Statement statement = first.createStatement()) {
            statement.execute("select get_lock('jobs_schema', 0)");
            CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(changes::initializeDatabase);
            String waiting = "select id from information_schema.processlist where state = 'User lock'";
            await().until(() -> !jdbc.queryForList(waiting).isEmpty());
            jdbc.execute("kill query " + jdbc.queryForObject(waiting, Long.class));

            assertThatThrownBy(second::join)
                    .hasRootCauseInstanceOf(JobDefinitionException.class)
                    .hasMessageContaining("jobs_schema");
        }
        assertThat(jdbc.queryForList("show tables like 'jobs_schema'")).isEmpty();
    }
}
