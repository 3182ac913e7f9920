package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Redis dies, is stopped, freezes or pauses: work waits for it, and no worker is taken for dead in the meantime. */
@FaultTest
class RedisOutageIT {

    private static final int WORKERS = 2;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    /** The time by which a call may exceed the command timeout on a busy machine: it must not hang. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    /**
     * With {@code everysec} Redis may answer before it writes, while it waits for the disk, so even a kill of the
     * process may lose a moment of data.
     */
    private static final String[] PERSISTENT = {"--appendonly", "yes", "--appendfsync", "always"};

    /** In the log lines of the begin and of the end of an outage. */
    private static final String AWAY = "no new ones start";

    private static final String BACK = "Redis answers again after";

    private final Dose dose = Dose.current();

    private static WorkerSettings settings(RedisServer server) {
        return WorkerSettings.of(server.uri(), Load.QUEUES);
    }

    /** A caller that doesn't wait for Redis. */
    private static ContinuousEnqueuer enqueuer(Trial trial, Producer hasty) {
        return new ContinuousEnqueuer(() -> trial.producer.accepted(hasty.enqueue("default", "Work", 20)));
    }

    @Test
    void acceptedJobsOutliveKillsOfRedis() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"), PERSISTENT);
                Trial trial = new Trial("redis-kill", server.uri());
                Producer hasty = new Producer(server.uri(), COMMAND_TIMEOUT)) {
            trial.startAll(WORKERS, settings(server));
            trial.takeBaseline();
            Load load = new Load(trial, 7, 50);
            ContinuousEnqueuer enqueuer = enqueuer(trial, hasty);
            try (enqueuer) {
                Random random = new Random(7);
                for (int kill = 0; kill < dose.of(2, 20); kill++) {
                    load.enqueue(200);
                    trial.awaitStarts(trial.executions().size() + 20);
                    server.kill();
                    Trial.letPass(Duration.ofMillis(random.nextInt(1_000, dose.of(2_000, 15_000))));
                    server.startAgain();
                    trial.awaitStartAfter(Instant.now());
                }
            }
            assertClearlyFailed(trial, enqueuer);
            assertUnharmed(trial);
        }
    }

    @Test
    void jobsThatFinishWhileRedisIsStoppedAreSettledWhenItIsBack() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"), PERSISTENT);
                Trial trial = new Trial("redis-stop", server.uri())) {
            List<Worker> workers = trial.startAll(WORKERS, settings(server));
            trial.takeBaseline();
            List<String> running = trial.producer.enqueueAll(
                    "default",
                    "Until",
                    Collections.nCopies(WORKERS * workers.get(0).settings.concurrency(), List.of("go")));
            trial.awaitStarts(running);
            new Load(trial, 8, 50).enqueue(200);
            Map<Worker, Integer> saidBefore = new HashMap<>();
            workers.forEach(worker -> saidBefore.put(worker, worker.said().size()));
            server.stop();
            trial.release("go");
            trial.awaitFinished(running);
            Trial.letPass(dose.of(WorkerSettings.LONGER_THAN_A_LEASE, Duration.ofSeconds(60)));
            server.startAgain();
            trial.note("resume_ms", trial.awaitStartAfter(Instant.now()).toMillis());
            workers.forEach(worker -> awaitEndOfOutage(worker, saidBefore.get(worker)));
            assertUnharmed(trial);
        }
    }

    @Test
    void noWorkerIsGivenUpWhileRedisIsFrozenOrPauses() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("redis-frozen", server.uri());
                Producer hasty = new Producer(server.uri(), COMMAND_TIMEOUT)) {
            trial.startAll(WORKERS, settings(server));
            trial.takeBaseline();
            Load load = new Load(trial, 9, 50);
            List<Long> resumed = new ArrayList<>();
            ContinuousEnqueuer enqueuer = enqueuer(trial, hasty);
            try (enqueuer) {
                for (Duration time : dose.of(
                        List.of(WorkerSettings.LONGER_THAN_A_LEASE),
                        List.of(Duration.ofSeconds(20), Duration.ofSeconds(60)))) {
                    resumed.add(afterFault(trial, load, () -> {
                        server.freeze();
                        Trial.letPass(time);
                        server.thaw();
                    }));
                }
                for (String what : dose.of(List.of("WRITE"), List.of("WRITE", "ALL"))) {
                    Duration time = dose.of(WorkerSettings.LONGER_THAN_A_LEASE, Duration.ofSeconds(20));
                    resumed.add(afterFault(trial, load, () -> {
                        pause(trial, time, what);
                        Trial.letPass(time);
                    }));
                }
            }
            trial.note("resume_ms", resumed);
            assertClearlyFailed(trial, enqueuer);
            assertUnharmed(trial);
        }
    }

    /**
     * Waits until a worker has logged that Redis is back. It logs the begin and the end of each outage once, however
     * many of its parts notice; on an overloaded machine there are further ones, also one in which this one begins.
     */
    private static void awaitEndOfOutage(Worker worker, int saidBefore) {
        await().untilAsserted(() ->
                assertThat(worker.said().stream().skip(saidBefore)).anyMatch(line -> line.contains(BACK)));
        List<String> said = worker.said().stream()
                .filter(line -> line.contains(" Outage - "))
                .toList();
        for (int i = 0; i < said.size(); i++) {
            assertThat(said.get(i)).as("line %s of %s", i, said).contains(i % 2 == 0 ? AWAY : BACK);
        }
    }

    /** Returns the time from the fault to the first start of a job, in milliseconds. */
    private static long afterFault(Trial trial, Load load, Runnable fault) {
        load.enqueue(100);
        trial.awaitStarts(trial.executions().size() + 20);
        fault.run();
        return trial.awaitStartAfter(Instant.now()).toMillis();
    }

    private static void pause(Trial trial, Duration time, String what) {
        trial.redis.dispatch(
                CommandType.CLIENT,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add("PAUSE")
                        .add(time.toMillis())
                        .add(what));
    }

    private static void assertClearlyFailed(Trial trial, ContinuousEnqueuer enqueuer) {
        trial.note("enqueue_failures", enqueuer.failed());
        trial.note("slowest_enqueue_ms", enqueuer.slowest().toMillis());
        assertThat(enqueuer.failures().keySet())
                .as("why enqueueing failed in the meantime")
                .isNotEmpty()
                .isSubsetOf(Kind.UNREACHABLE, Kind.TIMEOUT, Kind.BUSY);
        assertThat(enqueuer.slowest()).isLessThan(COMMAND_TIMEOUT.plus(MARGIN).plus(trial.machine.longestOwnStall()));
    }

    private static void assertUnharmed(Trial trial) {
        Verdict verdict = trial.end();
        trial.assertSound(verdict);
        trial.assertUnharmed(verdict);
    }
}
