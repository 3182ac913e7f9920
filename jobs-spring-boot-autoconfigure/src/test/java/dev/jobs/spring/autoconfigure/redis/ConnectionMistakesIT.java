package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.assembly.JobEngine;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSocket;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What a user reads who connects to Redis in the wrong way: what is wrong, where, and which property to check. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ConnectionMistakesIT {

    private static final String PASSWORD = "open-sesame";

    @AutoClose
    private static final EmbeddedRedis open = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis locked = EmbeddedRedis.start("--requirepass", PASSWORD);

    private final ApplicationContextRunner runner =
            JobsContext.withoutWorker().withPropertyValues("spring.data.redis.timeout=1s");

    /** Some JDKs add "(connect failed)" to what the system says. */
    @Test
    void nothingListensThere() {
        assertThatEnqueueing(
                        "spring.data.redis.host=localhost", "spring.data.redis.port=1", "spring.data.redis.database=3")
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessageMatching(
                        "Could not enqueue job Mail \\(.*\\): Redis can't be reached at localhost:1, database 3: Connection refused\\b.*\\. "
                                + "Start Redis, or check spring\\.data\\.redis\\.host and spring\\.data\\.redis\\.port; the job was not stored");
    }

    @Test
    void aUrlIsTheOnlyThingToCheckWhereThereIsOne() {
        assertThatEnqueueing("spring.data.redis.url=redis://:" + PASSWORD + "@localhost:1")
                .hasMessageContaining("at localhost:1, database 0: Connection refused")
                .hasMessageContaining("check host and port in spring.data.redis.url");
    }

    @Test
    void aHostThatDoesNotExist() {
        assertThatEnqueueing("spring.data.redis.host=redis.invalid")
                .hasMessageContaining(
                        "Redis can't be reached at redis.invalid:1, database 0: The host is unknown. Check spring.data.redis.host");
    }

    @Test
    void aPasswordIsMissing() {
        assertThatEnqueueing("spring.data.redis.port=" + locked.port())
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DENIED))
                .hasMessageContaining("Redis denies access at localhost:" + locked.port()
                        + ", database 0: It requires a password, and none was sent. Set spring.data.redis.password");
    }

    @ParameterizedTest
    @CsvSource({"spring.data.redis.password,secret-but-wrong", "spring.data.redis.username,unknown-user"})
    void aPasswordOrAUserIsWrong(String property, String value) {
        assertThatEnqueueing(
                        "spring.data.redis.port=" + locked.port(),
                        "spring.data.redis.password=" + PASSWORD,
                        property + "=" + value)
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DENIED))
                .hasMessageContaining("Redis denies access at localhost:" + locked.port()
                        + ", database 0: The user name or the password is wrong. Check spring.data.redis.username and "
                        + "spring.data.redis.password");
    }

    @Test
    void aDatabaseThatDoesNotExist() {
        assertThatEnqueueing("spring.data.redis.port=" + open.port(), "spring.data.redis.database=99")
                .hasMessageContaining("at localhost:" + open.port()
                        + ", database 99: ERR DB index is out of range. Check spring.data.redis.database");
    }

    @Test
    void aServerThatDoesNotSpeakTls() {
        assertThatEnqueueing("spring.data.redis.port=" + open.port(), "spring.data.redis.ssl.enabled=true")
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessageContaining("at localhost:" + open.port() + ", database 0: ")
                .hasMessageContaining("If it doesn't use TLS, check spring.data.redis.ssl.enabled");
    }

    /** What a TLS server answers depends on the server: some send an alert, some hang up. */
    @ParameterizedTest
    @CsvSource({"150301000202460A", "''"})
    void aServerThatSpeaksOnlyTls(String answer) throws IOException {
        try (HangingUp server = new HangingUp(HexFormat.of().parseHex(answer))) {
            assertThatEnqueueing("spring.data.redis.port=" + server.port())
                    .isInstanceOfSatisfying(
                            JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("at localhost:" + server.port() + ", database 0: ")
                    .hasMessageContaining("If it uses TLS, check spring.data.redis.ssl.enabled");
        }
    }

    @Test
    void aRealServerThatSpeaksOnlyTls() throws IOException {
        try (TlsServer server = new TlsServer()) {
            assertThatEnqueueing("spring.data.redis.port=" + server.port())
                    .hasMessageContaining("at localhost:" + server.port() + ", database 0: ")
                    .hasMessageContaining("If it uses TLS, check spring.data.redis.ssl.enabled");
        }
    }

    @Test
    void aWorkerLogsTheMistakeOnceAndJudgesNothingElse(CapturedOutput output) {
        JobsContext.on(locked)
                .withPropertyValues("spring.data.redis.password=secret-but-wrong", "jobs.shutdown-timeout=0s")
                .run(context -> {
                    JobEngine engine = context.getBean(JobEngine.class);
                    await().untilAsserted(() -> assertThat(engine.health().redisError())
                            .contains("The user name or the password is wrong. Check spring.data.redis.username"));
                });

        assertThat(output)
                .containsOnlyOnce("Redis denies access at localhost:" + locked.port() + ", database 0")
                .doesNotContain("secret-but-wrong", "notifications of key changes");
    }

    @Test
    void aMistakeThatEndsTheStartIsExplainedWithoutAStackTrace(CapturedOutput output) {
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(EnqueuesAtStart.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.data.redis.host=localhost",
                        "--spring.data.redis.port=1",
                        "--spring.data.redis.timeout=1s",
                        "--jobs.shutdown-timeout=0s"));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Redis can't be reached at localhost:1, database 0: Connection refused")
                .contains("Action:");
    }

    @Test
    void theBeanForJobsIsWhatToCheckWhereThereIsOne() {
        runner.withUserConfiguration(OwnFactory.class)
                .run(context -> assertThat(failure(context.getBean(JobClient.class)))
                        .hasMessageContaining("at 127.0.0.1:1, database 0: Connection refused")
                        .hasMessageContaining("Start Redis, or check the bean 'jobsRedisConnectionFactory'"));
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertThatEnqueueing(String... properties) {
        JobStoreException[] thrown = new JobStoreException[1];
        runner.withPropertyValues(properties).run(context -> thrown[0] = failure(context.getBean(JobClient.class)));
        return assertThat(thrown[0]).satisfies(e -> assertThat(String.valueOf(e.getMessage()))
                .doesNotContain(PASSWORD, "secret-but-wrong"));
    }

    private static JobStoreException failure(JobClient client) {
        JobStoreException failure = catchThrowableOfType(JobStoreException.class, () -> client.enqueue("Mail"));
        assertThat(failure).isNotNull();
        return failure;
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", 1),
                    LettuceClientConfiguration.builder()
                            .commandTimeout(Duration.ofSeconds(1))
                            .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DataRedisAutoConfiguration.class, JobsAutoConfiguration.class})
    static class EnqueuesAtStart {

        @Bean
        ApplicationRunner enqueues(JobClient jobs) {
            return arguments -> jobs.enqueue("Mail");
        }
    }

    /** The JDK's own, which knows no certificate: a caller that speaks no TLS doesn't get that far. */
    private static final class TlsServer implements AutoCloseable {

        private final ServerSocket socket =
                SSLServerSocketFactory.getDefault().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ExecutorService thread = Executors.newSingleThreadExecutor();

        TlsServer() throws IOException {
            thread.execute(() -> {
                while (!socket.isClosed()) {
                    try (SSLSocket caller = (SSLSocket) socket.accept()) {
                        caller.startHandshake();
                    } catch (IOException e) {
                        // the caller speaks no TLS, or the test is over
                    }
                }
            });
        }

        int port() {
            return socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
            thread.shutdown();
        }
    }

    /** Reads something from each caller, answers with the same bytes, and hangs up. */
    private static final class HangingUp implements AutoCloseable {

        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ExecutorService thread = Executors.newSingleThreadExecutor();

        HangingUp(byte[] answer) throws IOException {
            thread.execute(() -> {
                while (!socket.isClosed()) {
                    try (Socket caller = socket.accept()) {
                        caller.getInputStream().read(new byte[1_000]);
                        caller.getOutputStream().write(answer);
                    } catch (IOException e) {
                        // the test is over, or the caller has gone
                    }
                }
            });
        }

        int port() {
            return socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
            thread.shutdown();
        }
    }
}
