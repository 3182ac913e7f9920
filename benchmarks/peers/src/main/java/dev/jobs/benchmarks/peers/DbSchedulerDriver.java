package dev.jobs.benchmarks.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.LibraryVersion;
import dev.jobs.benchmarks.driver.Tally;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * db-scheduler on its own PostgreSQL. Settings, after its README.md ("Polling strategy", "Consider tuning") and
 * docs/performance.md:
 *
 * <ul>
 *   <li>The polling strategy lock-and-fetch with the thresholds 1.0 and 4.0, which it suggests for high throughput.
 *   <li>{@code enableImmediateExecution}, so that jobs enqueued in the workers' process needn't wait for a poll.
 *   <li>A poll every 100 ms for scheduled jobs; the default is 10 s, its examples use 1 s, and nothing finer is
 *       required.
 *   <li>As many threads as concurrent jobs, with a connection for each of them and a few more.
 *   <li>The library's own table, without the column and the index for priorities, which are off.
 *   <li>For bulk, {@code scheduleBatch} with the PostgreSQL driver's {@code reWriteBatchedInserts}, which is made for
 *       such batches.
 *   <li>The arguments are the data of an instance, in Java's serialization, its default.
 *   <li>Its default heartbeats and recovery of dead executions.
 * </ul>
 */
final class DbSchedulerDriver implements BenchmarkDriver {

    private static final int PRODUCERS = 8;
    private static final int BATCH = 1_000;
    private static final int MORE_CONNECTIONS = 4;
    private static final String TABLE = """
            create table scheduled_tasks (
              task_name text not null,
              task_instance text not null,
              task_data bytea,
              execution_time timestamp with time zone not null,
              picked boolean not null,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint not null,
              primary key (task_name, task_instance)
            );
            create index execution_time_idx on scheduled_tasks (execution_time);
            create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)""";

    private final AtomicLong instances = new AtomicLong();
    private final OneTimeTask<Arguments> task =
            Tasks.oneTime("job", Arguments.class).execute((instance, context) -> ran(instance.getData()));
    private final Postgres postgres;
    private final HikariDataSource connections;
    private final SchedulerClient withoutWorkers;
    private volatile Running running;

    DbSchedulerDriver(String redisUri) throws IOException, SQLException {
        postgres = Postgres.start();
        connections = postgres.connections(PRODUCERS);
        Postgres.execute(connections, TABLE);
        withoutWorkers = SchedulerClient.Builder.create(connections, task).build();
    }

    @Override
    public String description() {
        return LibraryVersion.of(Scheduler.class) + ": PostgreSQL " + postgres.version()
                + " with fsync and synchronous_commit off, "
                + "lock-and-fetch 1.0/4.0, immediate execution, polls every 100 ms";
    }

    @Override
    public void clear() throws SQLException {
        Postgres.execute(connections, "truncate scheduled_tasks");
    }

    @Override
    public void enqueueSingly(Arguments arguments, int jobs) {
        for (int i = 0; i < jobs; i++) {
            producer().scheduleIfNotExists(instance(arguments), Instant.now());
        }
    }

    @Override
    public void enqueueInBulk(Arguments arguments, int jobs) {
        Instant now = Instant.now();
        for (int left = jobs; left > 0; left -= BATCH) {
            List<TaskInstance<?>> batch = new ArrayList<>();
            for (int i = Math.min(left, BATCH); i > 0; i--) {
                batch.add(instance(arguments));
            }
            producer().scheduleBatch(batch, now);
        }
    }

    private TaskInstance<Arguments> instance(Arguments arguments) {
        return task.instance(Long.toString(instances.incrementAndGet()), arguments);
    }

    @Override
    public void schedule(List<Arguments> jobs, Instant at) {
        for (int from = 0; from < jobs.size(); from += BATCH) {
            List<TaskInstance<?>> batch = new ArrayList<>();
            for (Arguments arguments : jobs.subList(from, Math.min(from + BATCH, jobs.size()))) {
                batch.add(instance(arguments));
            }
            producer().scheduleBatch(batch, at);
        }
    }

    /** If there are workers, they learn of new jobs only from their own scheduler. */
    private SchedulerClient producer() {
        Running now = running;
        return now == null ? withoutWorkers : now.scheduler();
    }

    @Override
    public void startWorkers(int concurrency, Tally tally) {
        HikariDataSource own = postgres.connections(concurrency + MORE_CONNECTIONS);
        Scheduler scheduler = Scheduler.create(own, task)
                .threads(concurrency)
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(Duration.ofMillis(100))
                .enableImmediateExecution()
                .shutdownMaxWait(Duration.ofSeconds(10))
                .build();
        running = new Running(scheduler, own, tally);
        scheduler.start();
    }

    private void ran(Arguments arguments) {
        running.tally().ran(arguments.number());
    }

    @Override
    public void stopWorkers() {
        Running last = running;
        last.scheduler().stop();
        last.connections().close();
        running = null;
    }

    @Override
    public void close() throws IOException {
        connections.close();
        postgres.close();
    }

    /** Workers and their tally. */
    private record Running(Scheduler scheduler, HikariDataSource connections, Tally tally) {}
}
