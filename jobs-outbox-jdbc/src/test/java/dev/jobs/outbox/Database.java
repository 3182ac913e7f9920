package dev.jobs.outbox;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A database with the tables of the outbox and one of the application, {@code orders}. */
record Database(String kind, DataSource source, String url, Runnable stop) implements AutoCloseable {

    static Database h2() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        JdbcConnectionPool pool = JdbcConnectionPool.create(url, "", "");
        return new Database("h2", pool, url, pool::dispose).withTables();
    }

    /** A real server, from the binaries on Maven Central. It refuses to run as root, unless that can be taken away. */
    static Database postgres() {
        boolean root = "root".equals(System.getProperty("user.name"));
        assumeTrue(
                !root || LinuxUtils.isUnshareAvailable(),
                "PostgreSQL does not run as root, and user namespaces (unshare -U) are not available");
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            String url = server.getJdbcUrl("postgres", "postgres");
            return new Database(
                            "postgresql",
                            new SimpleDriverDataSource(new org.postgresql.Driver(), url),
                            url,
                            () -> stop(server))
                    .withTables();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void stop(EmbeddedPostgres server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Database withTables() {
        new ResourceDatabasePopulator(new ClassPathResource("dev/jobs/outbox/" + kind + ".sql")).execute(source);
        new ResourceDatabasePopulator(new ByteArrayResource(
                        "create table orders (id varchar(64) primary key)".getBytes(StandardCharsets.UTF_8)))
                .execute(source);
        return this;
    }

    @Override
    public void close() {
        stop.run();
    }
}
