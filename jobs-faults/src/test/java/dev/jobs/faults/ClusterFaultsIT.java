package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A Redis Cluster of three primaries with replicas: its hash slots move, its nodes die and freeze. */
@FaultTest
class ClusterFaultsIT {

    private static final int WORKERS = 2;
    /** Shorter than the node timeout: no caller waits any more when a replica takes over. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration NODE_TIMEOUT = Duration.ofMillis(1_500);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Where a primary that is slow for a moment must not be replaced, which would cost jobs that no replica has. */
    private static final String NO_FAILOVER = "--cluster-replica-no-failover";

    private final Dose dose = Dose.current();

    @Test
    void aHashSlotMovesUnderLoad() {
        try (ClusteredRedis redis = new ClusteredRedis(PATIENCE);
                Trial trial = new Trial("cluster-slot-moves", redis.uri())) {
            List<Worker> workers = start(trial, redis, "default");
            for (int round = 0; round < dose.of(2, 10); round++) {
                ContinuousEnqueuer enqueuer =
                        new ContinuousEnqueuer(() -> trial.producer.enqueue("default", "Work", 20));
                try (enqueuer) {
                    trial.awaitStarts(trial.executions().size() + 100);
                    redis.moveHashSlot(ClusterFaultsIT::longerThanALease, ClusterFaultsIT::longerThanALease);
                    int before = enqueuer.accepted();
                    await("accepted jobs").until(() -> enqueuer.accepted() > before + 20);
                }
                trial.awaitDone(PATIENCE);
            }
            Verdict verdict = end(trial, redis, workers);
            trial.assertUnharmed(verdict);
            trial.assertCountedOnce();
        }
    }

    /** Longer than the lease of the workers, none of which may be given up. */
    private static void longerThanALease() {
        Trial.letPass(WorkerSettings.LONGER_THAN_A_LEASE);
    }

    @Test
    void aHashSlotMovesUnderStandingClaims() {
        try (ClusteredRedis redis = new ClusteredRedis(PATIENCE);
                Trial trial = new Trial("cluster-standing-claims", redis.uri())) {
            List<Worker> workers = start(trial, redis, "default", "low");
            for (int round = 0; round < dose.of(2, 20); round++) {
                // With two queues, a claim stands only while the doorbell rings for the other one.
                await("a claim that stands").until(redis::isAwaited);
                redis.moveHashSlot(() -> {}, () -> {});
                trial.awaitFinished(List.of(
                        trial.producer.enqueue("default", "Work", 1), trial.producer.enqueue("low", "Work", 1)));
            }
            await("a claim that stands").until(redis::isAwaited);
            Verdict verdict = end(trial, redis, workers);
            trial.assertUnharmed(verdict);
            trial.assertCountedOnce();
        }
    }

    @Test
    void aReplicaTakesOverWhenThePrimaryWasKilled() {
        try (ClusteredRedis redis = new ClusteredRedis(NODE_TIMEOUT)) {
            failOver("cluster-primary-killed", redis, redis::killPrimary);
        }
    }

    @Test
    void aReplicaTakesOverWhileThePrimaryIsFrozen() {
        try (ClusteredRedis redis = new ClusteredRedis(NODE_TIMEOUT)) {
            failOver("cluster-primary-frozen", redis, redis::freezePrimary);
        }
    }

    private void failOver(String scenario, ClusteredRedis redis, Consumer<Runnable> fault) {
        try (Trial trial = new Trial(scenario, redis.uri());
                Producer hasty = new Producer(redis.uri(), COMMAND_TIMEOUT);
                ReplicatedPushes careful = new ReplicatedPushes(redis.keyPrefix(), redis::primaryUri)) {
            List<Worker> workers = start(trial, redis, "default");
            new FailoverLoad(trial, hasty, careful).during(dose.of(1, 5), fault);
            end(trial, redis, workers);
        }
    }

    @Test
    void nothingIsLostWhileOtherHashSlotsAreNotServed() {
        try (ClusteredRedis redis = new ClusteredRedis(NODE_TIMEOUT, NO_FAILOVER, "yes");
                Trial trial = new Trial("cluster-down", redis.uri())) {
            List<Worker> workers = start(trial, redis, "default");
            ContinuousEnqueuer enqueuer = new ContinuousEnqueuer(() -> trial.producer.enqueue("default", "Work", 20));
            try (enqueuer) {
                for (int round = 0; round < dose.of(1, 5); round++) {
                    trial.awaitStarts(trial.executions().size() + 100);
                    Runnable bringBack = redis.loseOtherHashSlots();
                    try (RedisJobClient client = trial.producer.another()) { // nobody else breaks its connection
                        await("a refused call").untilAsserted(() -> assertThat(refusal(trial, client))
                                .as("of a cluster that is down")
                                .hasMessageContaining("CLUSTERDOWN")
                                .returns(Kind.BUSY, JobStoreException::kind)
                                .returns(false, JobStoreException::mayHaveRun));
                    }
                    longerThanALease();
                    bringBack.run();
                    int before = enqueuer.accepted();
                    await("accepted jobs").until(() -> enqueuer.accepted() > before + 20);
                }
            }
            Verdict verdict = end(trial, redis, workers);
            trial.assertUnharmed(verdict);
            trial.assertCountedOnce();
        }
    }

    @Test
    void workGoesOnWithoutOtherHashSlotsIfTheClusterAllowsIt() {
        try (ClusteredRedis redis =
                        new ClusteredRedis(NODE_TIMEOUT, NO_FAILOVER, "yes", "--cluster-require-full-coverage", "no");
                Trial trial = new Trial("cluster-other-slots", redis.uri())) {
            List<Worker> workers = start(trial, redis, "default");
            Runnable bringBack = redis.loseOtherHashSlots();
            longerThanALease();
            trial.awaitFinished(List.of(trial.producer.enqueue("default", "Work", 20)));
            trial.probe();
            bringBack.run();
            Verdict verdict = end(trial, redis, workers);
            trial.assertUnharmed(verdict);
        }
    }

    private static JobStoreException refusal(Trial trial, RedisJobClient client) {
        try {
            trial.producer.accepted(client.queue("default").enqueue("Work", 20));
        } catch (JobStoreException e) {
            return e;
        }
        throw new AssertionError("The job was accepted");
    }

    private static List<Worker> start(Trial trial, ClusteredRedis redis, String... queues) {
        List<Worker> workers =
                trial.startAll(WORKERS, WorkerSettings.of(redis.uri(), queues).withCommandTimeout(COMMAND_TIMEOUT));
        trial.takeBaseline();
        return workers;
    }

    /** Ends a trial in which no worker may have died. */
    private static Verdict end(Trial trial, ClusteredRedis redis, List<Worker> workers) {
        assertThat(trial.alive()).as("workers that were not restarted").isEqualTo(workers);
        Verdict verdict = trial.end();
        trial.assertSound(verdict);
        trial.assertRecovered(verdict.recovered(), 0);
        await().untilAsserted(() -> assertThat(redis.misplacedConnections())
                .as("connections to nodes without jobs")
                .isEmpty());
        return verdict;
    }
}
