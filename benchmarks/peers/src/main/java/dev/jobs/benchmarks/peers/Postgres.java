package dev.jobs.benchmarks.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A PostgreSQL server. It neither waits for the disk nor forces writes to it ({@code fsync} and
 * {@code synchronous_commit} are off, the defaults of the embedding): in a crash of the machine it can lose about as
 * much as a Redis without a log, and it is at its quickest.
 *
 * <p>It ends with this JVM, for whatever reason. PostgreSQL refuses to run as root; if this process is root, the
 * embedding starts PostgreSQL in a user namespace ({@code unshare -U}), where it isn't.
 */
final class Postgres {

    /** Reads from a pipe that ends when this JVM is gone, and then makes PostgreSQL shut down at once. */
    private static final String WATCHDOG = "cat > /dev/null; kill -QUIT \"$0\" 2> /dev/null; rm -rf \"$1\"";

    private final EmbeddedPostgres server;
    private final Process watchdog;
    private final String version;

    private Postgres(EmbeddedPostgres server, Process watchdog, String version) {
        this.server = server;
        this.watchdog = watchdog;
        this.version = version;
    }

    static Postgres start() throws IOException, SQLException {
        Path directory = Files.createTempDirectory("benchmarks-postgres-");
        EmbeddedPostgres server = server(directory);
        String pid = Files.readAllLines(directory.resolve("postmaster.pid")).get(0);
        Process watchdog = new ProcessBuilder("sh", "-c", WATCHDOG, pid, directory.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new Postgres(server, watchdog, version(server));
    }

    private static EmbeddedPostgres server(Path directory) throws IOException {
        try {
            return EmbeddedPostgres.builder()
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(true)
                    .setServerConfig("listen_addresses", "127.0.0.1")
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start();
        } catch (IllegalStateException e) {
            throw new UnsupportedOperationException("PostgreSQL doesn't run here: " + e.getMessage(), e);
        }
    }

    private static String version(EmbeddedPostgres server) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("show server_version")) {
            result.next();
            return result.getString(1);
        }
    }

    String version() {
        return version;
    }

    HikariDataSource connections(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.getJdbcUrl("postgres", "postgres") + "&reWriteBatchedInserts=true");
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    static void execute(DataSource connections, String sql) throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    void close() throws IOException {
        server.close();
        watchdog.getOutputStream().close();
        try {
            watchdog.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
