package dev.jobs.embeddedredis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.testcontainers.containers.GenericContainer;

@ExtendWith(OutputCaptureExtension.class)
class EmbeddedRedisAutoConfigurationIT {

    private static final DataRedisConnectionDetails ELSEWHERE = new DataRedisConnectionDetails() {
        @Override
        public Standalone getStandalone() {
            return Standalone.of("redis.example", 6380);
        }
    };

    private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));

    @Test
    void anApplicationThatSaysNothingAboutRedisGetsOne(CapturedOutput output) {
        contextRunner.run(context -> {
            EmbeddedRedis redis = context.getBean(EmbeddedRedis.class);
            StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
            template.opsForValue().set("key", "value");

            assertThat(template.opsForValue().get("key")).isEqualTo("value");
            assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
                    .isEqualTo(redis.port());
            assertThat(output)
                    .containsOnlyOnce("redis://127.0.0.1:" + redis.port())
                    .contains("set spring.data.redis.url")
                    .doesNotContain(" WARN ");
        });
    }

    @Test
    void thePasswordIsAskedForAndIsNotInTheLog(CapturedOutput output) {
        contextRunner.run(context -> {
            EmbeddedRedis redis = context.getBean(EmbeddedRedis.class);
            LettuceConnectionFactory without = new LettuceConnectionFactory(redis.host(), redis.port());
            without.start();

            assertThat(redis.password()).isNotBlank();
            assertThatThrownBy(() -> new StringRedisTemplate(without).hasKey("key"))
                    .hasStackTraceContaining("NOAUTH");
            assertThat(output).doesNotContain(redis.password());
            without.destroy();
        });
    }

    @Test
    void aPackagedApplicationIsWarnedOfWhatIsMissingAndOfWhatIsLost(CapturedOutput output) {
        contextRunner.run(context -> {
            EmbeddedRedis redis = context.getBean(EmbeddedRedis.class);
            StartNotice.log(redis, context.getEnvironment(), true);

            assertThat(output)
                    .containsOnlyOnce(" WARN ")
                    .contains(
                            "This packaged application has no address of a Redis",
                            "All jobs are gone when the application ends",
                            "Set spring.data.redis.url, or spring.data.redis.host,",
                            "keep dev.jobs:jobs-embedded-redis out of production")
                    .doesNotContain(redis.password());
        });
    }

    @Test
    void aPackagedApplicationThatWantsItSaysSo(CapturedOutput output) {
        contextRunner.withPropertyValues("jobs.embedded-redis.enabled=true").run(context -> {
            StartNotice.log(context.getBean(EmbeddedRedis.class), context.getEnvironment(), true);

            assertThat(output).contains("Its data ends with it").doesNotContain(" WARN ");
        });
    }

    @Test
    void theServerEndsWithTheContext() {
        EmbeddedRedis[] redis = new EmbeddedRedis[1];
        contextRunner.run(context -> redis[0] = context.getBean(EmbeddedRedis.class));

        assertThat(ProcessHandle.of(redis[0].pid())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.data.redis.url=redis://redis.example:6380",
                "spring.data.redis.host=redis.example",
                "spring.data.redis.port=6380",
                "spring.data.redis.sentinel.master=main spring.data.redis.sentinel.nodes=redis.example:26379",
                "spring.data.redis.cluster.nodes[0]=redis.example:6380",
                "spring.data.redis.masterreplica.nodes=redis.example:6380,redis.example:6381"
            })
    void anAddressWins(String properties) {
        contextRunner.withPropertyValues(properties.split(" ")).run(context -> assertThat(context)
                .doesNotHaveBean(EmbeddedRedis.class));
    }

    @Test
    void anEmptyAddressSaysNothing() {
        contextRunner.withPropertyValues("spring.data.redis.url=").run(context -> assertThat(context)
                .hasSingleBean(EmbeddedRedis.class));
    }

    @Test
    void otherRedisPropertiesSayNothingAboutTheAddress() {
        contextRunner.withPropertyValues("spring.data.redis.timeout=2s").run(context -> assertThat(context)
                .hasSingleBean(EmbeddedRedis.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs.embedded-redis.enabled=false", "jobs.enabled=false"})
    void canBeSwitchedOffAloneAndWithAllJobs(String property) {
        contextRunner.withPropertyValues(property).run(context -> assertThat(context)
                .doesNotHaveBean(EmbeddedRedis.class));
    }

    @Test
    void connectionDetailsWin() {
        contextRunner
                .withBean(DataRedisConnectionDetails.class, () -> ELSEWHERE)
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
    }

    @Test
    void aConnectionFactoryWins() {
        contextRunner
                .withBean(RedisConnectionFactory.class, LettuceConnectionFactory::new)
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
    }

    @Test
    void aContainerWins() {
        contextRunner
                .withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
                .withUserConfiguration(ContainerConfiguration.class)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(EmbeddedRedis.class);
                    assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
                            .isEqualTo(StandInContainer.PORT);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class ContainerConfiguration {

        @Bean
        @ServiceConnection("redis")
        StandInContainer redis() {
            return new StandInContainer();
        }
    }

    /** Claims to be running, so that these tests don't need Docker. */
    static final class StandInContainer extends GenericContainer<StandInContainer> {

        static final int PORT = 32_768;

        StandInContainer() {
            super("redis:8-alpine");
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public String getHost() {
            return "127.0.0.1";
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            return PORT;
        }
    }
}
