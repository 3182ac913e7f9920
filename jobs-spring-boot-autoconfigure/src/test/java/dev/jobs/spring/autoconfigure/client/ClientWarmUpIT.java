package dev.jobs.spring.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class ClientWarmUpIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    private final ApplicationContextRunner client =
            JobsContext.on(redis).withPropertyValues("jobs.worker.enabled=false");

    @Test
    void theConnectionIsThereBeforeTheFirstJobAndAgainAfterARestart() {
        try (RedisClient other = RedisClient.create("redis://localhost:" + redis.port())) {
            RedisCommands<String, String> commands = other.connect().sync();
            client.run(context -> {
                await().until(() -> isConnected(commands));
                ConfigurableApplicationContext own =
                        context.getSourceApplicationContext(ConfigurableApplicationContext.class);
                own.stop();
                await().until(() -> !isConnected(commands));

                own.start();

                await().until(() -> isConnected(commands));
            });
        }
    }

    /** A restart starts them anew. */
    @Test
    void itRunsBetweenTheStartAndTheStopOfConnectionFactories() {
        assertThat(new ClientWarmUp(Stream::empty).getPhase()).isGreaterThan(new LettuceConnectionFactory().getPhase());
    }

    private static boolean isConnected(RedisCommands<String, String> commands) {
        return commands.clientList().contains(" name=jobs-client ");
    }

    @Test
    void anApplicationStartsWithoutRedisAndIsNotToldOfIt(CapturedOutput output) {
        JobsContext.withoutWorker().run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(ClientWarmUp.class);
            await().until(() -> warmUps().isEmpty());
        });
        assertThat(output).doesNotContain("WARN", "ERROR", "Exception");
    }

    @Test
    void aStopGivesUpAnAttemptToConnect(CapturedOutput output) throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            client.withPropertyValues("spring.data.redis.port=" + silent.getLocalPort(), "spring.data.redis.timeout=5m")
                    .run(context -> assertThat(warmUps()).hasSize(1));
        }
        assertThat(warmUps()).isEmpty();
        assertThat(output).doesNotContain("WARN", "ERROR", "Exception");
    }

    @Test
    void nothingIsWarmedUpInAnApplicationThatIsTurnedOff() {
        client.withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(ClientWarmUp.class));
    }

    private static List<Thread> warmUps() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("jobs-warm-up"))
                .toList();
    }
}
