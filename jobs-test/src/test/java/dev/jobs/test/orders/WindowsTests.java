package dev.jobs.test.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.embeddedredis.UnsupportedPlatformException;
import dev.jobs.test.JobsTestAutoConfiguration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Tests on a machine for which there is no embedded Redis, of an application that sets no address of one. */
@ExtendWith(OutputCaptureExtension.class)
class WindowsTests {

    private final String system = System.getProperty("os.name");

    /** The JDK and Netty decide by the same property which classes of theirs to load, and find none for Windows. */
    @BeforeAll
    static void loadWhatDependsOnTheSystem() {
        LettuceConnectionFactory nowhere = new LettuceConnectionFactory("127.0.0.1", 1);
        nowhere.start();
        assertThatThrownBy(nowhere::getConnection).isInstanceOf(RedisConnectionFailureException.class);
        nowhere.destroy();
    }

    @BeforeEach
    void becomeWindows() {
        System.setProperty("os.name", "Windows 11");
    }

    @AfterEach
    void becomeItself() {
        System.setProperty("os.name", system);
    }

    /** What the annotations of a test bring. */
    @ImportAutoConfiguration(JobsTestAutoConfiguration.class)
    private static final class Kit {}

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(OrdersApplication.class, Kit.class)
                .web(WebApplicationType.NONE)
                .properties(Stream.concat(Stream.of("spring.data.redis.timeout=100ms"), Stream.of(properties))
                        .toArray(String[]::new))
                .run();
    }

    @Test
    void aTestThatDoesNotTouchJobsStartsAndOneThatDoesSaysWhatIsMissing(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(output).containsOnlyOnce("No Redis is started for this application");
            JobClient client = context.getBean(JobClient.class);
            assertThatThrownBy(() -> client.enqueue("Mail"))
                    .isInstanceOf(JobStoreException.class)
                    .hasMessageContaining("no-embedded-redis-on-this-platform.invalid");
        }
    }

    @Test
    void recordedJobsNeedNone(CapturedOutput output) {
        try (ConfigurableApplicationContext context =
                start("jobs.test.mode=RECORDING", "jobs.test.redis=none", "jobs.worker.enabled=false")) {
            context.getBean(JobClient.class).enqueue("Mail");

            assertThat(output.getAll().lines().filter(line -> line.contains(" WARN ")))
                    .isEmpty();
            assertThatThrownBy(() -> context.getBean(StringRedisTemplate.class).hasKey("key"))
                    .hasRootCauseInstanceOf(UnsupportedPlatformException.class);
        }
    }

    @Test
    void aWorkerOfATestSaysWhatToDo(CapturedOutput output) {
        assertThatThrownBy(() -> start("jobs.test.mode=WORKER", "jobs.test.redis=own"))
                .hasRootCauseInstanceOf(UnsupportedPlatformException.class);

        assertThat(output).contains("ownRedis = false").contains("WSL");
    }
}
