package dev.jobs.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr on PostgreSQL. On a database it polls every five seconds at most. */
final class JobRunrPostgresDriver extends JobRunrDriver {

    private static final int CONNECTIONS = 64;

    private final Postgres postgres;
    private final HikariDataSource connections;

    JobRunrPostgresDriver(String redisUri) throws IOException, SQLException {
        super(Duration.ofSeconds(5));
        postgres = Postgres.start();
        connections = postgres.connections(CONNECTIONS);
        use(new PostgresStorageProvider(connections));
    }

    @Override
    public String description() {
        return super.description() + ", PostgreSQL " + postgres.version() + " with fsync and synchronous_commit off";
    }

    @Override
    public void clear() throws SQLException {
        Postgres.execute(connections, "truncate jobrunr_jobs");
    }

    @Override
    public void close() throws Exception {
        super.close();
        connections.close();
        postgres.close();
    }
}
