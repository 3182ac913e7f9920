package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.client.ClientConfig;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Batches that are filled while their jobs run, by fillers that die, and are read all the time. */
class BatchFillIT {

    private static final int ROWS = 6_000;
    private static final int KILLS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Table table = new Table();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    static final class Table {

        final AtomicIntegerArray runs = new AtomicIntegerArray(ROWS);

        @Job("row")
        void row(int row) {
            runs.incrementAndGet(row);
        }

        @Job(value = "mixed", retry = 0)
        void mixed(int row) {
            if (row % 7 == 0) {
                throw new JobFailedException("row " + row + " is refused");
            }
            if (row % 11 == 0) {
                throw new IllegalStateException("row " + row + " broke");
            }
        }
    }

    /** A process that fills batches. */
    private final class Filler implements AutoCloseable {

        private final RedisJobClient client;
        final RedisBatches batches;

        Filler(RedisConnections connections) {
            client = new RedisJobClient(
                    connections,
                    JobRegistry.of(table),
                    JobHooks.none(),
                    ClientConfig.defaults(),
                    Clock.systemUTC(),
                    new SecureRandom());
            batches = new RedisBatches(connections, client, new SecureRandom());
        }

        /** Adds rows from the first one on, up to a row; what is not stored by then is lost with the process. */
        @SuppressWarnings("resource") // a process that is killed closes nothing
        OpenBatch fill(int rows) {
            OpenBatch batch = batches.open("import", "file");
            IntStream.range(0, rows).forEach(row -> batch.add(row, JobCall.of(Table::row, row)));
            return batch;
        }

        @Override
        public void close() {
            batches.close();
            client.close();
        }
    }

    @Test
    @LongTest
    void aFillerThatIsKilledAgainAndAgainAddsEachRowOnce() {
        bed.start(table);
        Random random = new Random(16);
        for (int kill = 0; kill < KILLS; kill++) {
            int rows = 1 + random.nextInt(ROWS);
            if (kill % 4 != 0) {
                try (Filler filler = new Filler(redis.connections(""))) {
                    filler.fill(rows);
                }
            } else {
                dieAwaitingAnAnswer(rows - 1);
            }
        }

        String id;
        try (Filler filler = new Filler(redis.connections(""))) {
            OpenBatch batch = filler.fill(ROWS);
            batch.commit();
            id = batch.id();
            await().atMost(PATIENCE)
                    .until(() -> filler.batches.find(id).orElseThrow().isFinished());
            BatchStatus status = filler.batches.find(id).orElseThrow();
            assertThat(status.total()).isEqualTo(ROWS);
            assertThat(status.succeeded()).isEqualTo(ROWS);
            assertThat(status.state()).isEqualTo(State.SUCCEEDED);
        }
        assertThat(IntStream.range(0, ROWS).filter(row -> table.runs.get(row) != 1))
                .as("rows that ran never, or twice")
                .isEmpty();
        assertThat(error(id)).isZero();
    }

    /** Redis takes one more slice, but the filler never learns of it: its thread is interrupted while it waits. */
    private void dieAwaitingAnAnswer(int rows) {
        try (RedisProxy proxy = new RedisProxy(redis.port());
                Filler filler = new Filler(redis.connections("", proxy.port()))) {
            OpenBatch batch = filler.fill(rows);
            batch.flush();
            batch.add(rows, JobCall.of(Table::row, rows));
            Thread thread = Thread.currentThread();
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            Runnable cut = proxy::close;
            proxy.loseAnswers(1, () -> {
                cut.run();
                thread.interrupt();
                interrupted.complete(true);
            });

            assertThat(catchThrowableOfType(JobStoreException.class, batch::flush))
                    .isNotNull();
            interrupted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            Thread.interrupted(); // what follows is another process
        }
    }

    private long error(String id) {
        try (RedisConnection connection = redis.connections("").open("check")) {
            return new BatchCheck(connection, redis.connections("").keys()).error(id);
        }
    }

    @LongTest
    @Test
    void countersNeverGoBackWhileWorkersDrain() {
        bed.start(table);
        bed.start(table);
        try (Filler filler = new Filler(redis.connections(""))) {
            OpenBatch batch = filler.batches.open("import");
            BatchStatus before = filler.batches.find(batch.id()).orElseThrow();
            int row = 0;
            int reads = 0;
            while (!before.isFinished()) {
                for (int i = 0; i < 200 && row < ROWS; i++) {
                    batch.add(JobCall.of(Table::mixed, row++));
                    if (row == ROWS) {
                        batch.commit();
                    }
                }
                BatchStatus now = filler.batches.find(batch.id()).orElseThrow();
                assertGoesOn(before, now);
                before = now;
                reads++;
            }
            assertThat(reads).isGreaterThanOrEqualTo(ROWS / 200);
            assertThat(before.total()).isEqualTo(ROWS);
            assertThat(before.failed()).isEqualTo((ROWS + 6) / 7);
            assertThat(before.dead()).isPositive();
            assertThat(error(batch.id())).isZero();
        }
    }

    private static void assertGoesOn(BatchStatus before, BatchStatus now) {
        assertThat(counts(now).stream().mapToLong(Long::longValue).sum() + now.pending())
                .isEqualTo(now.total());
        assertThat(now.total()).isGreaterThanOrEqualTo(before.total());
        for (int i = 0; i < counts(now).size(); i++) {
            assertThat(counts(now).get(i)).isGreaterThanOrEqualTo(counts(before).get(i));
        }
        assertThat(now.pending()).isBetween(0L, now.total());
        assertThat(now.events()).containsAllEntriesOf(before.events());
        assertThat(now.changedAt()).isAfterOrEqualTo(before.changedAt());
    }

    /** Of jobs that have ended. */
    private static List<Long> counts(BatchStatus status) {
        return List.of(status.succeeded(), status.failed(), status.dead(), status.skipped(), status.lost());
    }
}
