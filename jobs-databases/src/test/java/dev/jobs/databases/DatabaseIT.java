package dev.jobs.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class DatabaseIT {

    private static void isWhatItSaysUntilItIsClosed(Supplier<Database> start, String version) throws SQLException {
        Database database = start.get();
        try (database) {
            database.execute("create table a (id int primary key); insert into a values (1)");
            database.run("dev/jobs/databases/second.sql");
            assertThat(new JdbcTemplate(database.source()).queryForList("select id from a order by id", Integer.class))
                    .containsExactly(1, 2);
            try (var connection = DriverManager.getConnection(database.url())) {
                assertThat(connection.getMetaData().getDatabaseProductName().toLowerCase())
                        .isEqualTo(database.kind());
                assertThat(connection.getMetaData().getDatabaseProductVersion()).startsWith(version);
            }
        }
        if (!database.url().startsWith("jdbc:h2:mem:")) {
            assertThatThrownBy(() -> DriverManager.getConnection(database.url()))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void h2() throws SQLException {
        isWhatItSaysUntilItIsClosed(Database::h2, "2");
    }

    @Test
    void h2Server() throws SQLException {
        isWhatItSaysUntilItIsClosed(Database::h2Server, "2");
    }

    @Test
    @NeedsPostgres
    void postgres() throws SQLException {
        isWhatItSaysUntilItIsClosed(Database::postgres, "1");
    }

    @Test
    @NeedsMySql
    void mysql() throws SQLException {
        isWhatItSaysUntilItIsClosed(Database::mysql, "8.0");
    }

    @Test
    @NeedsMariaDb
    void mariadb() throws SQLException {
        isWhatItSaysUntilItIsClosed(Database::mariadb, "1");
    }
}
