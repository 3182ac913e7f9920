package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.testing.RedisFixture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionLivenessIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", redis.port()));

    private final ConnectionLiveness liveness = new ConnectionLiveness(System::nanoTime, Duration.ofMinutes(1));
    private StatefulRedisConnection<byte[], byte[]> connection;

    @BeforeEach
    void connect() {
        connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    @Test
    void aPingThatIsAnsweredIsAProof() {
        assertThat(liveness.isProven(connection)).isTrue();
    }

    @Test
    void aPingThatIsCancelledIsNone() {
        connection.setAutoFlushCommands(false); // it is kept, and cancelled when the connection closes
        CompletableFuture<Boolean> proven = new CompletableFuture<>();
        Thread proving = new Thread(() -> {
            try {
                proven.complete(liveness.isProven(connection));
            } catch (RuntimeException e) {
                proven.completeExceptionally(e);
            }
        });
        proving.start();
        await().until(() -> proving.getState() == State.TIMED_WAITING || proven.isDone());
        connection.close();
        assertThat(proven).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(false);
    }
}
