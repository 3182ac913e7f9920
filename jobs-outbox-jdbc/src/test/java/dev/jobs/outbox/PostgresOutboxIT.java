package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@NeedsPostgres
class PostgresOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.postgres();
    }

    /** What others committed while a start waited for the lock must not be hidden by a snapshot. */
    @Test
    void aStartWithOneSnapshotPerTransactionSeesWhatItWaitedFor() throws SQLException {
        JdbcTemplate jdbc = new JdbcTemplate(database.source());
        changes(database.source()).initializeDatabase();
        jdbc.update("delete from jobs_schema");
        DataSource snapshots = new DelegatingDataSource(database.source()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                return connection;
            }
        };

        CompletableFuture<Boolean> second;
        try (Connection first = snapshots.getConnection();
                Statement statement = first.createStatement()) {
            statement.execute("select pg_advisory_xact_lock(" + 0x6a6f6273 + ")");
            statement.execute("insert into jobs_schema (part, change_number) values ('outbox', 1)");
            second = CompletableFuture.supplyAsync(changes(snapshots)::initializeDatabase);
            String waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
            await().until(() -> second.isDone() || jdbc.queryForObject(waiting, Integer.class) == 1);
            first.commit();
        }

        assertThat(second.join()).isFalse();
    }

    private static SchemaChanges changes(DataSource source) {
        return new SchemaChanges("outbox", List.of(source), DatabaseInitializationMode.ALWAYS, failure -> false);
    }
}
