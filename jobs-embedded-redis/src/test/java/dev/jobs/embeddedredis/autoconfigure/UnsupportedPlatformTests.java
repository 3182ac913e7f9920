package dev.jobs.embeddedredis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.embeddedredis.UnsupportedPlatformException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application with the embedded Redis on a machine that has none; no server of the PATH is found for Windows. */
@ExtendWith(OutputCaptureExtension.class)
class UnsupportedPlatformTests {

    private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));

    /** The JDK and Netty decide by the same properties which classes of theirs to load, and find none for Windows. */
    @BeforeAll
    static void loadWhatDependsOnThePlatform() {
        LettuceConnectionFactory nowhere = new LettuceConnectionFactory("127.0.0.1", 1);
        nowhere.start();
        assertThatThrownBy(nowhere::getConnection).isInstanceOf(RedisConnectionFailureException.class);
        nowhere.destroy();
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Windows Server 2022, aarch64"})
    void theApplicationStartsAndSaysWhatIsMissing(String system, String processor, CapturedOutput output) {
        contextRunner
                .withSystemProperties("os.name=" + system, "os.arch=" + processor)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("No Redis is started for this application")
                            .contains("An embedded Redis cannot run on " + system)
                            .contains("Set spring.data.redis.url")
                            .contains("WSL");
                    assertThat(context.getBean(LettuceConnectionFactory.class).getHostName())
                            .endsWith(".invalid");
                    assertThatThrownBy(() ->
                                    context.getBean(StringRedisTemplate.class).hasKey("key"))
                            .hasStackTraceContaining("no-embedded-redis-on-this-platform.invalid");
                    assertThatThrownBy(() -> context.getBean(EmbeddedRedis.class))
                            .hasRootCauseInstanceOf(UnsupportedPlatformException.class);
                });
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64"})
    void anAddressNeedsNoEmbeddedRedis(String system, String processor, CapturedOutput output) {
        contextRunner
                .withSystemProperties("os.name=" + system, "os.arch=" + processor)
                .withPropertyValues("spring.data.redis.url=redis://redis.example:6380")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(EmbeddedRedis.class);
                    assertThat(output).doesNotContain("No Redis is started");
                });
    }
}
