package dev.jobs.spring.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class ClientPreparationIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    private final ApplicationContextRunner client =
            JobsContext.on(redis).withPropertyValues("jobs.worker.enabled=false");

    @Test
    void theConnectionIsThereBeforeTheFirstJob() {
        client.run(context -> {
            try (RedisConnection other =
                    context.getBean(RedisConnectionFactory.class).getConnection()) {
                await().until(() -> other.serverCommands().getClientList().stream()
                        .anyMatch(each -> "jobs-client".equals(each.getName())));
            }
        });
    }

    @Test
    void anApplicationStartsAndStopsWithoutRedisAndIsNotToldOfIt(CapturedOutput output) {
        JobsContext.withoutWorker().run(context -> {
            ClientPreparation preparation = context.getBean(ClientPreparation.class);
            assertThat(preparation.isRunning()).isTrue();

            preparation.stop();

            assertThat(preparation.isRunning()).isFalse();
            assertThat(preparations()).isEmpty();
        });
        assertThat(output).doesNotContain("WARN", "ERROR", "Exception");
    }

    @Test
    void aStopGivesUpAnAttemptToConnect() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            client.withPropertyValues("spring.data.redis.port=" + silent.getLocalPort(), "spring.data.redis.timeout=5m")
                    .run(context -> {
                        assertThat(preparations()).hasSize(1);
                        context.getBean(ClientPreparation.class).stop();
                        assertThat(preparations()).isEmpty();
                    });
        }
    }

    @Test
    void nothingIsPreparedInAnApplicationThatIsTurnedOff() {
        client.withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(ClientPreparation.class));
    }

    private static List<Thread> preparations() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("jobs-preparation"))
                .toList();
    }
}
