package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.redis.JobClaims.Request;
import dev.jobs.redis.JobClaims.Stood;
import dev.jobs.redis.JobClaims.Waited;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis Cluster, which refuses a script that touches keys of more than one slot. */
class ClusterIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start(
            "--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", freePort());

    static final RedisClusterClient client = RedisClusterClient.create(
            RedisURI.builder().withHost("127.0.0.1").withPort(redis.port()).build());

    static final RedisConnections connections = new RedisConnections(() -> client, new RedisKeys("{shop}:"), TIMEOUT);

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeAll
    static void oneNodeServesAllSlots() {
        redis.texts().clusterAddSlots(IntStream.range(0, 16_384).toArray());
        await().until(() -> redis.texts().clusterInfo().contains("cluster_state:ok"));
        client.setOptions(ClusterClientOptions.builder(RedisConnections.options(ClusterClientOptions.create(), TIMEOUT))
                .build());
    }

    @BeforeEach
    void empty() {
        redis.flush();
    }

    @AfterAll
    static void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    @Tag("sidekiq-1")
    void servesEveryScriptFromOneSlotUnderOnePrefix() {
        ScriptTestBed bed = new ScriptTestBed(redis, connections);

        AllScripts.run(bed, () -> {});

        assertThat(redis.texts().keys("*")).isNotEmpty().allSatisfy(key -> assertThat(key)
                .startsWith("{shop}:"));
    }

    @Test
    void letsClaimsStand() throws Exception {
        ScriptTestBed bed = new ScriptTestBed(redis, connections);
        bed.clear();
        bed.worker("one").join();
        try (RedisConnection connection = connections.open("stand")) {
            JobClaims claims = new JobClaims(
                    connection,
                    connections.keys(),
                    ScriptTestBed.CLOCK,
                    ScriptTestBed.LIMITS,
                    ScriptTestBed.SUSPICIOUS);
            claims.connect();
            CompletableFuture<Stood> call = claims.stand(
                            new Request("one", 1, 1, 5, 0, List.of("mail"), List.of()), "mail", TIMEOUT.dividedBy(2))
                    .toCompletableFuture();
            await().until(() -> redis.texts().info("clients").contains("blocked_clients:1\r\n"));
            bed.push("mail", "a");

            Stood stood = call.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);

            assertThat(stood.waited()).isEqualTo(Waited.PUSHED);
            assertThat(Worker.payloads(stood.reply().claimed())).containsExactly("a");
        }
    }

    @Test
    void hasNoDoorbell() {
        try (Doorbell doorbell =
                new Doorbell(connections.open("bell"), connections.keys(), Set::of, () -> true, queue -> {})) {
            assertThat(doorbell.check(TIMEOUT)).isFalse();
        }
    }
}
