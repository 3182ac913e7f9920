package dev.jobs.dashboard.installations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.assembly.Things;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an application with further installations is told at its start. No Redis is there. */
@ExtendWith(OutputCaptureExtension.class)
class InstallationsTests {

    private static final String PREFIX = "jobs.dashboard.installations.";
    private static final String URL = PREFIX + "eu.redis.url=";

    private static void start(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.data.redis.port=1",
                "server.port=0",
                "jobs.worker.enabled=false",
                "jobs.history.enabled=false",
                "jobs.dashboard.access=local"));
        all.addAll(List.of(properties));
        new SpringApplicationBuilder(application)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .run(all.stream().map(each -> "--" + each).toArray(String[]::new))
                .close();
    }

    private static void startFails(Class<?> application, String... properties) {
        assertThatException().isThrownBy(() -> start(application, properties));
    }

    @Test
    void namesThatAreNoSegmentsOfAPath(CapturedOutput output) {
        List<String> names = List.of("EU", "-eu", "eu-", "e_u", "e/u", "e u", "é", "..");

        startFails(TestApplication.class, addressed(names));

        assertThat(output).contains("Property: jobs.dashboard.installations");
        assertThat(names).allSatisfy(name -> assertThat(output)
                .containsSubsequence(
                        "Value: \"" + name + "\"",
                        "must have names of 1 to 40 lower-case letters, digits and hyphens, as in eu-west"));
    }

    @Test
    void namesThatThePagesHave(CapturedOutput output) {
        List<String> names = List.of("queues", "job", "api", "assets", "messages", "v-1a");

        startFails(TestApplication.class, addressed(names));

        assertThat(names).allSatisfy(name -> assertThat(output)
                .containsSubsequence(
                        "Value: \"" + name + "\"", "must have other names than the dashboard's pages and files"));
    }

    private static String[] addressed(List<String> names) {
        return names.stream()
                .map(name -> PREFIX + "[" + name + "].redis.url=redis://localhost:1")
                .toArray(String[]::new);
    }

    @Test
    void aNameThatAFeatureHasForItsPage(CapturedOutput output) {
        startFails(Things.Application.class, PREFIX + "thing.redis.url=redis://localhost:1");

        assertThat(output).contains("must have other names than the dashboard's pages and files");
    }

    @ParameterizedTest
    @CsvSource({"''", "localhost:1", "http://s3cret@localhost:1", "redis://:s3cret@", "redis-sentinel://:s3cret@host:1"
    })
    void anAddressThatIsNone(String url, CapturedOutput output) {
        startFails(TestApplication.class, URL + url);

        assertThat(output)
                .contains("Property: jobs.dashboard.installations.eu.redis.url")
                .contains("must be an address such as rediss://redis.example.org:6379/0")
                .doesNotContain("s3cret");
    }

    @Test
    void aPasswordBesideABean(CapturedOutput output) {
        startFails(
                TestApplication.class,
                PREFIX + "eu.redis.connection-factory=euRedis",
                PREFIX + "eu.redis.password=s3cret");

        assertThat(output)
                .contains("must be empty beside connection-factory, as must username and password")
                .doesNotContain("s3cret");
    }

    @Test
    void aNameThatIsTooLong(CapturedOutput output) {
        startFails(
                TestApplication.class,
                URL + "redis://localhost:1",
                PREFIX + "eu.system.environment=" + "x".repeat(41),
                PREFIX + "eu.redis.recurring-namespace=");

        assertThat(output)
                .contains("Property: jobs.dashboard.installations.eu.system.environment")
                .contains("must be at most 40 characters")
                .contains("Property: jobs.dashboard.installations.eu.redis.recurring-namespace");
    }

    @Test
    void aBeanThatIsNotThere(CapturedOutput output) {
        startFails(TestApplication.class, PREFIX + "eu.redis.connection-factory=nothing");

        assertThat(output)
                .contains("jobs.dashboard.installations.eu.redis.connection-factory is 'nothing', and there is no "
                        + "LettuceConnectionFactory bean of that name")
                .contains("Action:");
    }

    @Test
    void aBeanThatTheApplicationWouldUse(CapturedOutput output) {
        startFails(InjectedBean.class, PREFIX + "eu.redis.connection-factory=euRedis");

        assertThat(output)
                .contains("The bean 'euRedis' is not only for the installation")
                .contains("@Bean(autowireCandidate = false)");
    }

    @Test
    void aClusterWithoutAHashTag(CapturedOutput output) {
        startFails(ClusterBean.class, PREFIX + "eu.redis.connection-factory=euRedis");

        assertThat(output)
                .contains(
                        "Redis is a cluster, and the property jobs.dashboard.installations.eu.redis.key-prefix is ''");
    }

    @Test
    void nothingThatIsAwayKeepsAnApplicationFromStarting(CapturedOutput output) {
        start(
                OwnBean.class,
                URL + "rediss://:s3cret@redis.invalid:6380/3",
                PREFIX + "us.redis.connection-factory=usRedis");

        assertThat(output).doesNotContain("s3cret", "redis.invalid", "Redis can't be reached");
    }

    @Test
    void aPasswordIsNotPartOfTheText() {
        DashboardProperties properties = new Binder(new MapConfigurationPropertySource(Map.of(
                        PREFIX + "eu.redis.url", "redis://:s3cret@localhost:1",
                        PREFIX + "eu.redis.password", "s3cret")))
                .bind("jobs.dashboard", DashboardProperties.class)
                .get();

        assertThat(properties.installations()).containsOnlyKeys("eu");
        assertThat(properties.toString()).contains("FurtherInstallation").doesNotContain("s3cret");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class OwnBean {

        @Bean(autowireCandidate = false)
        LettuceConnectionFactory usRedis() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("redis.invalid", 1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class InjectedBean {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory euRedis() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", 1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class ClusterBean {

        @Bean(autowireCandidate = false)
        LettuceConnectionFactory euRedis() {
            return new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("localhost:1")));
        }
    }
}
