package dev.jobs.spring.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobDefinitionException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Tables whose second version has one more column. */
class SchemaChangesTests {

    private final DataSource database = database();
    private final JdbcTemplate jdbc = new JdbcTemplate(database);

    private static DataSource database() {
        return JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
    }

    private static SchemaChanges changes(String part, DataSource... databases) {
        return new SchemaChanges(part, List.of(databases), DatabaseInitializationMode.ALWAYS, failure -> false);
    }

    @Test
    void tablesOfTheVersionBeforeAreAltered() {
        changes("shown", database).initializeDatabase();
        jdbc.execute("alter table jobs_shown drop column name");
        jdbc.update("delete from jobs_schema where change_number = 2");
        jdbc.update("insert into jobs_shown (id) values (7)");

        assertThat(changes("shown", database).initializeDatabase()).isTrue();

        assertThat(jdbc.queryForObject("select name from jobs_shown where id = 7", String.class))
                .isEqualTo("old");
    }

    @Test
    void aChangeThatWasMadeIsNotRepeated() {
        changes("shown", database).initializeDatabase();
        jdbc.update("insert into jobs_shown (id, name) values (7, 'new')");

        assertThat(changes("shown", database).initializeDatabase()).isFalse();

        assertThat(jdbc.queryForObject("select name from jobs_shown where id = 7", String.class))
                .isEqualTo("new");
    }

    @Test
    void eachOfSeveralDatabasesGetsThem() {
        DataSource other = database();
        changes("shown", database, other).initializeDatabase();
        assertThat(new JdbcTemplate(other).queryForList("select * from jobs_shown"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changesAreCommittedAndTheConnectionGoesBackAsItCame(boolean autoCommit) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(autoCommit);
            changes("shown", new SingleConnectionDataSource(connection, true)).initializeDatabase();

            assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(jdbc.queryForList("select change_number from jobs_schema", Integer.class))
                    .containsExactlyInAnyOrder(1, 2);
        }
    }

    @Test
    void aDatabaseWithoutScriptsIsRefused() {
        assertThatThrownBy(() -> changes("unknown", database).initializeDatabase())
                .hasMessageContaining("no tables of the unknown of jobs for h2");
    }

    /** A SQL Server where another connection has the lock. */
    private static <T> T locked(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (arguments != null && String.valueOf(arguments[0]).contains("sp_getapplock")) {
                        throw new SQLException("Another process changes the tables of jobs", "S0001", 50_000);
                    }
                    Class<?> result = method.getReturnType();
                    if (result == String.class) {
                        return "Microsoft SQL Server";
                    }
                    return result.isInterface()
                            ? locked(result)
                            : Map.<Class<?>, Object>of(boolean.class, false, int.class, 0)
                                    .get(result);
                }));
    }

    @Test
    void aStartThatDoesNotGetTheLockOfSqlServerSaysSo() {
        assertThatThrownBy(() -> changes("shown", locked(DataSource.class)).initializeDatabase())
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("has the lock 'jobs_schema'");
    }
}
