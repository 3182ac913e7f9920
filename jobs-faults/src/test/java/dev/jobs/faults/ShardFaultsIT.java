package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same workers serve three shards, and something happens to one of them: it loses no job, and the jobs of the
 * others go on meanwhile.
 */
@FaultTest
class ShardFaultsIT {

    private static final int WORKERS = 2;
    private static final int VICTIM = 1;
    /** So long that only a shard that isn't served refuses a job. */
    private static final Duration PRODUCER_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration WINDOW = Duration.ofSeconds(2);

    /** {@code everysec} may answer before the data is written, so even a kill of Redis may lose a moment of it. */
    private static final String[] PERSISTENT = {
        "--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"
    };

    private final Dose dose = Dose.current();

    /** What happens to a shard, and how it ends. */
    enum Misfortune {
        KILLED {
            @Override
            void begin(RedisServer server, Trial trial) {
                server.kill();
            }

            @Override
            void end(RedisServer server, Trial trial) {
                server.startAgain();
            }
        },
        FROZEN {
            @Override
            void begin(RedisServer server, Trial trial) {
                server.freeze();
            }

            @Override
            void end(RedisServer server, Trial trial) {
                server.thaw();
            }
        },
        FULL {
            @Override
            void begin(RedisServer server, Trial trial) {
                trial.redis.configSet("maxmemory", "1");
            }

            @Override
            void end(RedisServer server, Trial trial) {
                trial.redis.configSet("maxmemory", "0");
            }
        };

        abstract void begin(RedisServer server, Trial trial);

        abstract void end(RedisServer server, Trial trial);
    }

    @ParameterizedTest
    @EnumSource(Misfortune.class)
    void whatHappensToOneShardStaysThere(Misfortune misfortune) {
        List<RedisServer> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                servers.add(new RedisServer(Trial.directory("redis"), PERSISTENT));
            }
            List<String> uris = servers.stream().map(RedisServer::uri).toList();
            String scenario = "shard-" + misfortune.name().toLowerCase(java.util.Locale.ROOT);
            try (ShardedTrial trial = new ShardedTrial(scenario, uris, PRODUCER_TIMEOUT)) {
                trial.startAll(WORKERS);
                Trial victim = trial.shard(VICTIM);
                underLoad(trial, () -> enqueueTo(victim), () -> {
                    for (int round = 0; round < dose.of(1, 10); round++) {
                        long before = trial.begunWithin(WINDOW, 0);
                        misfortune.begin(servers.get(VICTIM), victim);
                        long during = trial.begunWithin(WINDOW, 0);
                        Worker killed = trial.shard(0).alive().get(0);
                        killed.kill();
                        trial.replace(killed);
                        trial.awaitProgress(0, 100);
                        trial.awaitProgress(2, 100);
                        misfortune.end(servers.get(VICTIM), victim);
                        trial.awaitProgress(VICTIM, 50);
                        trial.shard(0).note("begun_before", before);
                        trial.shard(0).note("begun_during", during);
                    }
                });
                assertThat(trial.shard(0).alive())
                        .as("workers, each of the killed ones replaced")
                        .hasSize(WORKERS);
                trial.end();
            }
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void theReplicaOfOneShardTakesOver() {
        try (RedisServer first = new RedisServer(Trial.directory("redis"));
                ReplicatedRedis replicated = new ReplicatedRedis();
                RedisServer last = new RedisServer(Trial.directory("redis"));
                ReplicatedPushes careful = new ReplicatedPushes("", replicated::uri);
                ShardedTrial trial = new ShardedTrial(
                        "shard-failover", List.of(first.uri(), replicated.uri(), last.uri()), PRODUCER_TIMEOUT)) {
            List<Worker> workers = trial.startAll(WORKERS);
            Trial victim = trial.shard(VICTIM);
            underLoad(trial, () -> careful.push("default", "Work", 20), () -> {
                for (int round = 0; round < dose.of(1, 5); round++) {
                    long before = trial.begunWithin(WINDOW, 0);
                    replicated.killPrimary();
                    long during = trial.begunWithin(WINDOW, 0);
                    trial.awaitProgress(2, 100);
                    trial.awaitProgress(VICTIM, 50);
                    trial.shard(0).note("begun_before", before);
                    trial.shard(0).note("begun_during", during);
                }
            });
            assertThat(victim.alive()).as("workers that were not restarted").isEqualTo(workers);
            trial.end();
        }
    }

    private static String enqueueTo(Trial trial) {
        return trial.producer.enqueue("default", "Work", 20);
    }

    /** @param toVictim stores a job so safely that the fault must not lose it, and returns its id */
    private static void underLoad(ShardedTrial trial, Supplier<String> toVictim, Runnable fault) {
        try (ContinuousEnqueuer first = new ContinuousEnqueuer(() -> enqueueTo(trial.shard(0)));
                ContinuousEnqueuer victim = new ContinuousEnqueuer(
                        () -> trial.shard(VICTIM).producer.accepted(toVictim.get()));
                ContinuousEnqueuer last = new ContinuousEnqueuer(() -> enqueueTo(trial.shard(2)))) {
            for (int i = 0; i < 3; i++) {
                trial.awaitProgress(i, 50);
            }
            fault.run();
            assertThat(first.failures()).as("refused by the first shard").isEmpty();
            assertThat(last.failures()).as("refused by the last shard").isEmpty();
            assertThat(victim.accepted()).as("accepted by the victim").isPositive();
        }
    }
}
