package dev.jobs.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis Cluster, which refuses a script that touches keys of more than one hash slot. */
class TransferOnClusterIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
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
    static void oneNodeServesAllHashSlots() {
        redis.texts().clusterAddSlots(IntStream.range(0, 16_384).toArray());
        await().until(() -> redis.texts().clusterInfo().contains("cluster_state:ok"));
        client.setOptions(ClusterClientOptions.builder(RedisConnections.options(ClusterClientOptions.create(), TIMEOUT))
                .build());
    }

    @AfterAll
    static void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    @Tag("sidekiq-1")
    void servesEveryScriptFromOneHashSlotUnderOnePrefix() {
        new AllTransferScripts().run(new ScriptTestBed(redis, connections));

        assertThat(redis.texts().keys("*")).allSatisfy(key -> assertThat(key).startsWith("{shop}:"));
    }

    @Test
    void aQueueComesHereFromASingleServer() {
        try (RedisFixture single = RedisFixture.start();
                QueueTransfer transfer = new QueueTransfer(
                        new QueueTransfer.Shard("single", single.connections(""), "default"),
                        new QueueTransfer.Shard("cluster", connections, "default"),
                        "mail",
                        TransferOptions.standard().evenUnserved())) {
            single.texts().lpush("queue:mail", "{\"class\":\"A\",\"args\":[],\"jid\":\"1\"}");
            single.texts().zadd("schedule", 4e9, "{\"class\":\"A\",\"args\":[],\"jid\":\"2\",\"queue\":\"mail\"}");

            assertThat(transfer.run(PATIENCE).isEmpty()).isTrue();

            assertThat(transfer.finish().movedJobs()).isEqualTo(2);
            assertThat(redis.texts().llen("{shop}:queue:mail")).isEqualTo(1);
            assertThat(redis.texts().zcard("{shop}:schedule")).isEqualTo(1);
            assertThat(single.texts().keys("jobs:*")).isEmpty();
        }
    }
}
