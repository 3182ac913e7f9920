package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.beans.StartingBeans;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class JobsRedisConfigurationTests {

    private final ApplicationContextRunner runner = JobsContext.withoutWorker();

    @Test
    void hasAClientOfItsOwnThatTheApplicationDoesNotSee() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(RedisConnectionFactory.class);
            LettuceConnectionFactory application = context.getBean(LettuceConnectionFactory.class);
            assertThat(context.getBean(JobsRedisClient.class).client())
                    .isInstanceOf(AsyncRedisClient.class)
                    .isNotSameAs(application.getRequiredNativeClient());
        });
    }

    @Test
    void aRestartedClientIsOfTheSameKind() {
        runner.run(context -> {
            JobsRedisClient client = context.getBean(JobsRedisClient.class);
            client.stop();
            client.start();

            assertThat(client.client()).isInstanceOf(AsyncRedisClient.class);
        });
    }

    @Test
    void sentinelsAreAskedByAClientOfSpring() {
        runner.withPropertyValues(
                        "spring.data.redis.sentinel.master=main",
                        "spring.data.redis.sentinel.nodes=redis.example:26379")
                .run(context -> assertThat(
                                context.getBean(JobsRedisClient.class).client())
                        .isInstanceOf(RedisClient.class)
                        .isNotInstanceOf(AsyncRedisClient.class));
    }

    @Test
    void itsClientIsHardened() {
        runner.run(context -> {
            ClientOptions options = options(context);
            assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
            assertThat(context.getBean(JobsRedisClient.class)
                            .client()
                            .getResources()
                            .tracing()
                            .isEnabled())
                    .isFalse();
        });
    }

    @Test
    void itsNetworkThreadsAreItsOwnAndItsEndIsNotTheEndOfTheApplicationsOwn() {
        runner.run(context -> {
            ClientResources application = context.getBean(LettuceConnectionFactory.class)
                    .getRequiredNativeClient()
                    .getResources();
            JobsRedisClient client = context.getBean(JobsRedisClient.class);
            ClientResources own = client.client().getResources();
            assertThat(own.eventLoopGroupProvider()).isNotSameAs(application.eventLoopGroupProvider());
            assertThat(own.timer()).isSameAs(application.timer());

            client.destroy();

            assertThat(application.eventExecutorGroup().isShuttingDown()).isFalse();
            assertThat(application
                            .timer()
                            .newTimeout(timeout -> {}, 1, TimeUnit.MINUTES)
                            .cancel())
                    .isTrue();
        });
    }

    @Test
    void aCommandMayTakeFiveSecondsUnlessTheApplicationSaysOtherwise() {
        runner.run(context -> assertTimeout(context, Duration.ofSeconds(5)));
        runner.withPropertyValues("spring.data.redis.timeout=2s")
                .run(context -> assertTimeout(context, Duration.ofSeconds(2)));
        runner.withPropertyValues("spring.data.redis.timeout=60s")
                .run(context -> assertTimeout(context, Duration.ofSeconds(60)));
        runner.withPropertyValues("spring.data.redis.timeout=0s")
                .run(context -> assertTimeout(context, Duration.ofSeconds(5)));
        runner.withBean(
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory(
                                new RedisStandaloneConfiguration("redis.example"),
                                LettuceClientConfiguration.builder()
                                        .commandTimeout(Duration.ofSeconds(3))
                                        .build()))
                .run(context -> assertTimeout(context, Duration.ofSeconds(3)));
    }

    @Test
    void theTimeoutOfTheApplicationsRedisIsNotThatOfAnotherFactory() {
        runner.withUserConfiguration(ForJobsAlone.class)
                .withPropertyValues("spring.data.redis.timeout=2s")
                .run(context -> assertTimeout(context, Duration.ofSeconds(5)));
    }

    private static void assertTimeout(AssertableApplicationContext context, Duration expected) {
        assertThat(context.getBean(RedisConnections.class).timeout()).isEqualTo(expected);
    }

    @Test
    void aClusterNeedsAHashTagInThePrefix() {
        ApplicationContextRunner cluster =
                runner.withPropertyValues("spring.data.redis.cluster.nodes=redis.example:7000");
        for (String prefix : List.of("", "shop:", "{}shop:", "{shop", "shop}:{")) {
            cluster.withPropertyValues("jobs.key-prefix=" + prefix)
                    .run(context -> assertRefused(
                            context,
                            "the property jobs.key-prefix is '" + prefix + "'",
                            "Set jobs.key-prefix to a name in braces"));
        }
        for (String prefix : List.of("{shop}:", "a{b}c", "{a}{b}", "{{a}")) {
            cluster.withPropertyValues("jobs.key-prefix=" + prefix).run(context -> {
                assertThat(context.getBean(JobsRedisClient.class).client()).isInstanceOf(RedisClusterClient.class);
                assertThat(options(context)).isInstanceOf(ClusterClientOptions.class);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.data.redis.url=rediss://redis.example:6379", "spring.data.redis.ssl.enabled=true"})
    void encryptsWhereTheApplicationDoes(String property) {
        runner.withPropertyValues(property).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).settings().isUseSsl())
                .isTrue());
    }

    @Test
    void aBeanWithTheirNameIsForJobs() {
        runner.withUserConfiguration(TwoServers.class).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).address())
                .isInstanceOfSatisfying(RedisStandaloneConfiguration.class, address -> assertThat(address.getHostName())
                        .isEqualTo("jobs.example")));
    }

    @Test
    void aFactoryForJobsAloneLeavesTheApplicationItsOwn() {
        runner.withUserConfiguration(ForJobsAlone.class).run(context -> {
            assertThat(context.getBean(RedisConnectionFactory.class))
                    .isInstanceOfSatisfying(LettuceConnectionFactory.class, factory -> assertThat(factory.getPort())
                            .isEqualTo(1));
            assertThat(context.getBean(StringRedisTemplate.class).getConnectionFactory())
                    .isSameAs(context.getBean(RedisConnectionFactory.class));
            assertThat(context.getBean(JobsRedisClient.class).address())
                    .isInstanceOfSatisfying(
                            RedisStandaloneConfiguration.class,
                            address -> assertThat(address.getHostName()).isEqualTo("jobs.example"));
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {NoCandidate.class, ByItsInterface.class})
    void aFactoryForJobsIsFoundByItsNameAlone(Class<?> configuration) {
        runner.withUserConfiguration(EarlyClient.class, configuration).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).address())
                .isInstanceOfSatisfying(RedisStandaloneConfiguration.class, address -> assertThat(address.getHostName())
                        .isEqualTo("jobs.example")));
    }

    @Test
    void refusesAFactoryForJobsOfAnotherKind() {
        runner.withUserConfiguration(NoLettuceForJobs.class)
                .run(context -> assertRefused(
                        context,
                        "The bean 'jobsRedisConnectionFactory' is a java.lang.String",
                        "LettuceConnectionFactory"));
    }

    /** While the client is created, Spring knows only the declared type. */
    @Test
    void theApplicationsFactoryMayBeDeclaredByItsInterface() {
        runner.withUserConfiguration(EarlyClient.class, Declared.class).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).address())
                .isInstanceOfSatisfying(RedisStandaloneConfiguration.class, address -> assertThat(address.getHostName())
                        .isEqualTo("declared.example")));
    }

    @Test
    void aPrimaryFactoryOfAnotherKindIsNotForJobs() {
        runner.withUserConfiguration(OtherIsPrimary.class).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).address())
                .isInstanceOfSatisfying(RedisStandaloneConfiguration.class, address -> assertThat(address.getHostName())
                        .isEqualTo("lettuce.example")));
    }

    @Test
    void refusesAFactoryForJobsThatTheApplicationWouldUseToo() {
        runner.withBean("jobsRedisConnectionFactory", LettuceConnectionFactory.class, () -> to("jobs.example"))
                .run(context -> assertRefused(
                        context,
                        "The bean 'jobsRedisConnectionFactory' is not only for jobs",
                        "@Bean(defaultCandidate = false)"));
    }

    @Test
    void thePrimaryFactoryIsForJobsToo() {
        runner.withUserConfiguration(OneIsPrimary.class).run(context -> assertThat(
                        context.getBean(JobsRedisClient.class).address())
                .isInstanceOfSatisfying(RedisStandaloneConfiguration.class, address -> assertThat(address.getHostName())
                        .isEqualTo("primary.example")));
    }

    @Test
    void refusesToChooseBetweenFactories() {
        runner.withBean("one", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
                .withBean("two", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
                .run(context -> assertRefused(
                        context, "There are several LettuceConnectionFactory beans", "'jobsRedisConnectionFactory'"));
    }

    @Test
    void refusesAnApplicationWithoutLettuce() {
        runner.withPropertyValues("spring.data.redis.client-type=jedis")
                .run(context ->
                        assertRefused(context, "there is no LettuceConnectionFactory bean", "jobs.enabled=false"));
    }

    @Test
    void refusesAFactoryWithServersOfWhichNoneIsKnownAsPrimary() {
        RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("localhost", 6379);
        runner.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
                .run(context -> assertRefused(context, "needs to know the primary", "'jobsRedisConnectionFactory'"));
    }

    @Test
    @Tag("sidekiq-1")
    void knowsSentinelsSocketsAndServers() {
        RedisSentinelConfiguration sentinel =
                new RedisSentinelConfiguration("main", Set.of("a.example:26379", "b.example:26379"));
        sentinel.setSentinelPassword("secret");
        RedisSocketConfiguration socket = new RedisSocketConfiguration("/redis.sock");
        RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("redis.example", 6380);
        standalone.setDatabase(3);
        standalone.setUsername("shop");
        standalone.setPassword("secret");
        for (LettuceConnectionFactory factory :
                List.of(new LettuceConnectionFactory(sentinel), new LettuceConnectionFactory(socket))) {
            assertThat(RedisAddress.of(factory)).isIn(sentinel, socket);
        }
        assertThat(RedisAddress.of(new LettuceConnectionFactory(standalone))).isSameAs(standalone);
    }

    /** Netty would warn of each of its options at each attempt to connect. */
    @Test
    void asksNoUnixSocketToBeKeptAlive() {
        runner.run(context ->
                assertThat(options(context).getSocketOptions().isKeepAlive()).isTrue());
        runner.withBean(
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisSocketConfiguration("/redis.sock")))
                .run(context -> assertThat(options(context).getSocketOptions().isKeepAlive())
                        .isFalse());
    }

    @Test
    void refusesAFactoryThatDoesNotTell() {
        RedisConfiguration hidden = new RedisStandaloneConfiguration("redis.example", 6380);
        runner.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(hidden))
                .run(context -> assertRefused(
                        context, "does not show where Redis is", "Create it from a RedisStandaloneConfiguration"));
    }

    private static ClientOptions options(AssertableApplicationContext context) {
        return context.getBean(JobsRedisClient.class).client().getOptions();
    }

    static void assertRefused(AssertableApplicationContext context, String message, String action) {
        assertThat(context).hasFailed();
        assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                .isInstanceOfSatisfying(JobDefinitionException.class, refused -> {
                    assertThat(refused).hasMessageContaining(message);
                    assertThat(refused.action()).contains(action);
                });
    }

    private static LettuceConnectionFactory to(String host) {
        return new LettuceConnectionFactory(new RedisStandaloneConfiguration(host));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoServers {

        @Bean
        LettuceConnectionFactory redisConnectionFactory() {
            return to("cache.example");
        }

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return to("jobs.example");
        }
    }

    /** Like a component that is found before the beans of configurations are known. */
    @Configuration(proxyBeanMethods = false)
    static class EarlyClient {

        EarlyClient(JobClient jobs) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NoCandidate {

        @Bean(autowireCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return to("jobs.example");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByItsInterface {

        @Bean(defaultCandidate = false)
        RedisConnectionFactory jobsRedisConnectionFactory() {
            return to("jobs.example");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoLettuceForJobs {

        @Bean(defaultCandidate = false)
        String jobsRedisConnectionFactory() {
            return "jobs.example";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {

        @Bean
        RedisConnectionFactory redisConnectionFactory() {
            return to("declared.example");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherIsPrimary {

        @Bean
        @Primary
        RedisConnectionFactory first() {
            return (RedisConnectionFactory) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {RedisConnectionFactory.class},
                    (self, method, arguments) -> method.getName().equals("hashCode") ? (Object) 1 : null);
        }

        @Bean
        LettuceConnectionFactory second() {
            return to("lettuce.example");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForJobsAlone {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return to("jobs.example");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneIsPrimary {

        @Bean
        @Primary
        LettuceConnectionFactory one() {
            return to("primary.example");
        }

        @Bean
        LettuceConnectionFactory two() {
            return to("other.example");
        }
    }

    @Test
    void aThreadThatCreatesABeanDoesNotWaitForOneThatLooksUpTheConnectionFactory() throws Exception {
        StartingBeans beans = new StartingBeans();
        beans.registerBeanDefinition(
                "factory", new RootBeanDefinition(LettuceConnectionFactory.class, LettuceConnectionFactory::new));
        LateRedisClient client = new LateRedisClient(() -> JobsRedisClient.like(
                beans.getBean(LettuceConnectionFactory.class), Duration.ofSeconds(2), RedisSettings.BEAN));
        Set<JobsRedisClient> clients = ConcurrentHashMap.newKeySet();

        beans.askFromTwoThreads(() -> clients.add(client.own()));

        assertThat(clients).singleElement().satisfies(each -> assertThat(each.client())
                .isNotNull());
        client.destroy();
        beans.destroySingletons();
    }
}
