package dev.jobs.databases;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * An empty database that lives until it is closed, at most as long as this JVM. Tests say with {@link
 * NeedsPostgres}, {@link NeedsMySql}, {@link NeedsMariaDb}, {@link NeedsOracle} or {@link NeedsSqlServer} which server they need. Thread-safe.
 *
 * @param kind {@code h2}, {@code postgresql}, {@code mysql}, {@code mariadb}, {@code oracle} or {@code sqlserver}
 * @param source opens a connection for each call, except with H2, which has a pool
 * @param url with all that another process needs to connect; that of {@link #h2} is good for this JVM alone
 * @param stop ends the database
 */
public record Database(String kind, DataSource source, String url, Runnable stop) implements AutoCloseable {

    private static final List<String> TABLES = List.of(
            "jobs_outbox",
            "jobs_outbox_lane",
            "jobs_outbox_away",
            "jobs_task",
            "jobs_task_tag",
            "jobs_event",
            "jobs_schema",
            "orders");

    /** An H2 in the memory of this JVM. It waits for locks as long as servers do: on a busy machine, 2 s are short. */
    public static Database h2() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
        JdbcConnectionPool pool = JdbcConnectionPool.create(url, "", "");
        return new Database("h2", pool, url, pool::dispose);
    }

    /** An H2 in the memory of this JVM, which other processes reach as well. */
    public static Database h2Server() {
        Database database = h2();
        try {
            org.h2.tools.Server server = org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifExists")
                    .start();
            String url = database.url().replace("jdbc:h2:", "jdbc:h2:tcp://localhost:" + server.getPort() + "/");
            return new Database(database.kind(), database.source(), url, () -> {
                server.stop();
                database.close();
            });
        } catch (SQLException e) {
            database.close();
            throw new IllegalStateException(e);
        }
    }

    /** A PostgreSQL server, from Maven Central. It refuses to run as root, unless that can be taken away. */
    public static Database postgres() {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            String url = server.getJdbcUrl("postgres", "postgres");
            return new Database("postgresql", server.getPostgresDatabase(), url, () -> stop(server));
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

    /** A MySQL 8.0 server, from Maven Central, for Linux on x86-64. */
    public static Database mysql() {
        Server server = Server.mysql();
        String url = "jdbc:mysql://127.0.0.1:" + server.port() + "/jobs?user=root&sslMode=DISABLED";
        try {
            return new Database(
                    "mysql", new SimpleDriverDataSource(new com.mysql.cj.jdbc.Driver(), url), url, server::close);
        } catch (SQLException e) {
            server.close();
            throw new IllegalStateException(e);
        }
    }

    /** A MariaDB server: the one that is installed. */
    public static Database mariadb() {
        Server server = Server.mariadb();
        String url = "jdbc:mariadb://127.0.0.1:" + server.port() + "/jobs?user=root";
        return new Database(
                "mariadb", new SimpleDriverDataSource(new org.mariadb.jdbc.Driver(), url), url, server::close);
    }

    /** Somebody's Oracle, in which only the tables of jobs and {@code orders} are touched. */
    public static Database oracle() {
        return existing("oracle", System.getenv(NeedsOracle.URL));
    }

    /** Somebody's SQL Server, in which only the tables of jobs and {@code orders} are touched. */
    public static Database sqlServer() {
        return existing("sqlserver", System.getenv(NeedsSqlServer.URL));
    }

    private static Database existing(String kind, String url) {
        DataSource source = new DriverManagerDataSource(url);
        Database database = new Database(kind, source, url, () -> dropTables(kind, source));
        dropTables(kind, source);
        return database;
    }

    private static void dropTables(String kind, DataSource source) {
        TABLES.forEach(table -> drop(kind, source, table));
    }

    private static void drop(String kind, DataSource source, String table) {
        new JdbcTemplate(source)
                .execute(
                        kind.equals("oracle")
                                ? "begin execute immediate 'drop table " + table
                                        + "'; exception when others then if sqlcode <> -942 then raise; end if; end;"
                                : "drop table if exists " + table);
    }

    /** The same database on connections that don't commit by themselves, as a pool may hand them out. */
    public DataSource withoutAutoCommit() {
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
    }

    /** Removes a table, if it is there. */
    public void drop(String table) {
        drop(kind, source, table);
    }

    /** Gives a table another name. */
    public void rename(String table, String other) {
        new JdbcTemplate(source)
                .execute(
                        kind.equals("sqlserver")
                                ? "exec sp_rename '" + table + "', '" + other + "'"
                                : "alter table " + table + " rename to " + other);
    }

    /**
     * Runs a script.
     *
     * @param script its path on the class path
     */
    public void run(String script) {
        run(new ClassPathResource(script), kind.equals("oracle") ? "/" : ";");
    }

    /** Executes statements, with semicolons in between. */
    public void execute(String sql) {
        run(new ByteArrayResource(sql.getBytes(StandardCharsets.UTF_8)), ";");
    }

    private void run(Resource script, String separator) {
        ResourceDatabasePopulator populator = new ResourceDatabasePopulator(script);
        populator.setSeparator(separator);
        populator.execute(source);
    }

    @Override
    public void close() {
        stop.run();
    }
}
