package dev.jobs.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A copy of a push that reaches the server so late that its lane has been given to another push. */
class DelayedPushIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @Test
    void storesNothing() {
        RedisConnections connections = redis.connections("");
        try (RedisConnection connection = connections.open("jobs-test")) {
            TestPushes pushes = new TestPushes(connection, connections.keys(), Duration.ofSeconds(5), "client");
            for (int i = 0; i < 200; i++) {
                pushes.push("default", List.of(("job " + i).getBytes(UTF_8)));
            }
            Long stored = connection.callForOne(
                    StoreScripts.PUSH,
                    ScriptOutputType.INTEGER,
                    new byte[][] {
                        connections.keys().pushes("client"),
                        connections.keys().queues(),
                        connections.keys().queue("default")
                    },
                    new byte[][] {
                        Bytes.of(0), Bytes.of(1), Bytes.of(60_000), Bytes.of(""), Bytes.of("default"), Bytes.of("job 0")
                    });
            assertThat(stored).isEqualTo(-1);
            assertThat(redis.texts().llen("queue:default")).isEqualTo(200);
            assertThat(redis.texts().hlen("jobs:pushes:client"))
                    .as("lanes used in turn")
                    .isEqualTo(1);
        }
    }
}
