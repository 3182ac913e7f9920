package dev.jobs.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.databases.Database;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The ways in which a database gets its tables. */
class OutboxSchemaTests {

    @AutoClose
    private final Database database = Database.h2();

    private final JdbcTemplate jdbc = new JdbcTemplate(database.source());

    private SchemaChanges changes(DatabaseInitializationMode mode) {
        return new SchemaChanges("outbox", List.of(database.source()), mode, failure -> false);
    }

    private void assertTablesExist() {
        for (String table : List.of("jobs_outbox", "jobs_outbox_lane")) {
            assertThat(jdbc.queryForObject("select count(*) from " + table, Long.class))
                    .isZero();
        }
    }

    @Test
    void itsOwnChangesAreMadeOnce() {
        assertThat(changes(DatabaseInitializationMode.NEVER).initializeDatabase())
                .isFalse();
        assertThat(changes(DatabaseInitializationMode.EMBEDDED).initializeDatabase())
                .isTrue();
        assertTablesExist();
        assertThat(changes(DatabaseInitializationMode.ALWAYS).initializeDatabase())
                .isFalse();
        assertThat(jdbc.queryForList("select change_number from jobs_schema where part = 'outbox'", Integer.class))
                .containsExactly(1);
    }

    @Test
    void tablesThatAreThereAreLeftAlone() {
        database.run(SchemaChanges.script("outbox", "h2", 1).getPath());
        assertThat(changes(DatabaseInitializationMode.ALWAYS).initializeDatabase())
                .isTrue();
        assertTablesExist();
    }

    @Test
    void flywayMakesThem() {
        jdbc.execute("create table orders (id int)");
        Flyway flyway = Flyway.configure()
                .dataSource(database.source())
                .locations("classpath:dev/jobs/outbox/h2")
                .baselineOnMigrate(true)
                .load();
        assertThat(flyway.migrate().migrationsExecuted).isOne();
        assertTablesExist();
        assertThat(flyway.migrate().migrationsExecuted).isZero();
    }

    @Test
    void liquibaseMakesThem() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Connection connection = database.source().getConnection()) {
                Scope.child(Map.of(), () -> new CommandScope(UpdateCommandStep.COMMAND_NAME)
                        .addArgumentValue(
                                DbUrlConnectionArgumentsCommandStep.DATABASE_ARG,
                                DatabaseFactory.getInstance()
                                        .findCorrectDatabaseImplementation(new JdbcConnection(connection)))
                        .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "dev/jobs/outbox/changelog.xml")
                        .execute());
            }
        }
        assertTablesExist();
        assertThat(jdbc.queryForList("select id from databasechangelog", String.class))
                .containsExactly("h2-001");
    }

    /** What tools and databases have run once must not change: alter tables in a script of the next number. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "mysql", "oracle", "postgresql", "sqlserver"})
    void everyDatabaseHasTheSameChanges(String platform) throws IOException {
        assertThat(SchemaChanges.script("outbox", platform, 1).exists()).isTrue();
        assertThat(SchemaChanges.script("outbox", platform, 2).exists()).isFalse();
        assertThat(new ClassPathResource("dev/jobs/outbox/changelog.xml").getContentAsString(UTF_8))
                .contains(platform + "/R__jobs_outbox_001.sql");
    }
}
