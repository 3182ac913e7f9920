package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobs.ArgumentMask;
import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.JobUpcaster;
import dev.jobs.RetryPolicy;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.Batches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.EngineFeature;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.spring.autoconfigure.names.UnservedQueuesCheck;
import dev.jobs.spring.autoconfigure.worker.JobEngineLifecycle;
import dev.jobs.store.DeadSetBounds;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

@ExtendWith(OutputCaptureExtension.class)
class JobsAutoConfigurationTests {

    private final ApplicationContextRunner runner = JobsContext.withoutRedis();

    @Test
    void beansOfTypeUpcasterAreCalledInOrder() {
        runner.withBean(
                        "second",
                        JobUpcaster.class,
                        () -> JobUpcaster.of("V2", job -> new JobUpcaster.Stored("V3", List.of(2))),
                        definition -> definition.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, 2))
                .withBean(
                        "first",
                        JobUpcaster.class,
                        () -> JobUpcaster.of("V1", job -> new JobUpcaster.Stored("V2", List.of(1))),
                        definition -> definition.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, 1))
                .run(context -> {
                    JobRegistry registry = context.getBean(JobRegistry.class);
                    assertThat(registry.upcastNames()).containsExactlyInAnyOrder("V1", "V2");
                    assertThat(registry.upcast(new JobUpcaster.Stored("V1", List.of())))
                            .isEqualTo(new JobUpcaster.Stored("V3", List.of(2)));
                });
    }

    @Test
    void beansThatAreFeaturesTakePartInTheEngineInOrder() {
        EngineFeature first = new EngineFeature() {};
        EngineFeature second = new EngineFeature() {};
        runner.withBean(
                        "second",
                        EngineFeature.class,
                        () -> second,
                        definition -> definition.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, 2))
                .withBean(
                        "first",
                        EngineFeature.class,
                        () -> first,
                        definition -> definition.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, 1))
                .run(context -> assertThat(context.getBean(EngineConfig.class).features())
                        .containsExactly(first, second));
    }

    @Test
    void anApplicationGetsClientAdministrationAndWorkerAlsoWithoutRedis() {
        runner.run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(JobClient.class)
                    .hasSingleBean(JobRegistry.class)
                    .hasSingleBean(JobHooks.class)
                    .hasSingleBean(JobsAdmin.class)
                    .hasSingleBean(RedisConnections.class)
                    .hasSingleBean(JobEngine.class);
            assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(EngineHealth.State.RUNNING);
        });
    }

    @Test
    void aWorkerStartsAlsoWhereBeansAreLazy() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Lazy.class)
                .web(WebApplicationType.NONE)
                .lazyInitialization(true)
                .run("--spring.data.redis.port=1", "--jobs.shutdown-timeout=0s")) {
            assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(EngineHealth.State.RUNNING);
        }
    }

    @Test
    void aChildContextNeitherStartsNorStopsTheWorkerOfItsParent() {
        runner.run(parent -> {
            runner.withParent(parent).run(child -> {
                assertThat(child).hasNotFailed();
                assertThat(child.getBeanFactory().getBeanNamesForType(JobEngineLifecycle.class))
                        .isEmpty();
                assertThat(child.getBean(JobEngine.class)).isSameAs(parent.getBean(JobEngine.class));
            });

            assertThat(parent.getBean(JobEngine.class).health().state()).isEqualTo(EngineHealth.State.RUNNING);
        });
    }

    @Test
    void turnedOffItKeepsWhatIsInjectedAndRunsNothing(CapturedOutput output) {
        runner.withPropertyValues("jobs.enabled=false")
                .withUserConfiguration(InjectionPoints.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(JobClient.class)
                        .hasSingleBean(Batches.class)
                        .hasSingleBean(RecurringJobs.class)
                        .hasSingleBean(JobsAdmin.class)
                        .doesNotHaveBean(JobEngine.class)
                        .doesNotHaveBean(JobEngineLifecycle.class)
                        .doesNotHaveBean(UnservedQueuesCheck.class));

        assertThat(output).containsPattern("jobs.enabled is false \\(.*\\): this application runs no jobs");
    }

    @Test
    void turnedOffItNeedsNoRedisUntilItIsCalled() {
        runner.withPropertyValues(
                        "jobs.enabled=false", "spring.data.redis.client-type=jedis", "spring.data.redis.timeout=100ms")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatExceptionOfType(JobStoreException.class)
                            .isThrownBy(() -> context.getBean(JobClient.class).enqueue("Mail"))
                            .withMessageContaining("there is no LettuceConnectionFactory bean");
                });
    }

    @Test
    void withoutAWorkerItStillEnqueues() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(JobClient.class)
                .hasSingleBean(JobsAdmin.class)
                .doesNotHaveBean(JobEngine.class)
                .doesNotHaveBean(JobEngineLifecycle.class)
                .doesNotHaveBean(UnservedQueuesCheck.class));
    }

    /** As {@code @MockitoBean} does, when the conditions have been evaluated. */
    @Test
    void aTestMayReplaceTheClient() {
        JobClient replacement = (JobClient) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {JobClient.class},
                (self, method, arguments) -> method.getName().equals("hashCode") ? (Object) 1 : null);
        runner.withPropertyValues("jobs.worker.enabled=false")
                .withInitializer(context -> context.addBeanFactoryPostProcessor(beans -> {
                    ((DefaultListableBeanFactory) beans).removeBeanDefinition("jobsClient");
                    beans.registerSingleton("jobsClient", replacement);
                }))
                .run(context -> {
                    assertThat(context.getBean(JobClient.class)).isSameAs(replacement);
                    assertThat(context).hasSingleBean(Batches.class).hasSingleBean(JobsAdmin.class);
                });
    }

    @Test
    void beansOfTheApplicationWin() {
        RedisConnections connections = new RedisConnections(
                () -> {
                    throw new IllegalStateException("nowhere");
                },
                new RedisKeys("own:"),
                Duration.ofSeconds(1));
        JobRegistry registry = new JobRegistry(List.of());
        JobHooks hooks = JobHooks.none();
        EngineEnvironment environment = EngineEnvironment.system();
        EngineConfig config = EngineConfig.of(2, "own");
        DeadSetBounds dead = new DeadSetBounds(1, Duration.ofDays(1));
        ClientConfig clientConfig = new ClientConfig(5_000, 10);
        JobClient client =
                new RedisJobClient(connections, registry, hooks, clientConfig, Clock.systemUTC(), new Random());
        JobsAdmin admin = new JobsAdmin(connections, dead, hooks, Clock.systemUTC());
        JobEngine engine = new JobEngine(config, connections, registry, hooks, environment);
        runner.withBean("ownConnections", RedisConnections.class, () -> connections)
                .withBean("ownRegistry", JobRegistry.class, () -> registry)
                .withBean("ownHooks", JobHooks.class, () -> hooks)
                .withBean("ownEnvironment", EngineEnvironment.class, () -> environment)
                .withBean("ownConfig", EngineConfig.class, () -> config)
                .withBean("ownDead", DeadSetBounds.class, () -> dead)
                .withBean("ownClientConfig", ClientConfig.class, () -> clientConfig)
                .withBean("ownClient", JobClient.class, () -> client)
                .withBean("ownAdmin", JobsAdmin.class, () -> admin)
                .withBean("ownEngine", JobEngine.class, () -> engine)
                .run(context -> {
                    assertThat(context.getBean(RedisConnections.class)).isSameAs(connections);
                    assertThat(context.getBean(JobRegistry.class)).isSameAs(registry);
                    assertThat(context.getBean(JobHooks.class)).isSameAs(hooks);
                    assertThat(context.getBean(EngineEnvironment.class)).isSameAs(environment);
                    assertThat(context.getBean(EngineConfig.class)).isSameAs(config);
                    assertThat(context.getBean(DeadSetBounds.class)).isSameAs(dead);
                    assertThat(context.getBean(ClientConfig.class)).isSameAs(clientConfig);
                    assertThat(context.getBean(JobClient.class)).isSameAs(client);
                    assertThat(context.getBean(JobsAdmin.class)).isSameAs(admin);
                    assertThat(context.getBean(JobEngine.class)).isSameAs(engine);
                });
    }

    @Test
    void anyKindOfClientOfTheApplicationWins() {
        JobClient client = (JobClient) Proxy.newProxyInstance(
                JobClient.class.getClassLoader(),
                new Class<?>[] {JobClient.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "toString" -> "a client";
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                });
        runner.withBean("own", JobClient.class, () -> client)
                .run(context ->
                        assertThat(context.getBeansOfType(JobClient.class)).containsOnlyKeys("own"));
    }

    @Test
    @Tag("sidekiq-21")
    @Tag("sidekiq-23")
    void hooksAreCollectedInOrder() {
        runner.withUserConfiguration(Hooks.class).run(context -> {
            JobHooks hooks = context.getBean(JobHooks.class);
            Hooks beans = context.getBean(Hooks.class);
            assertThat(hooks.jobMiddleware()).containsExactly(beans.first, beans.second);
            assertThat(hooks.enqueueMiddleware()).containsExactly(beans.enqueueMiddleware);
            assertThat(hooks.all(RetryPolicy.class)).containsExactly(beans.retryPolicy);
            assertThat(hooks.all(DeathHandler.class)).contains(beans.deathHandler);
            assertThat(hooks.all(JobErrorHandler.class)).containsExactly(beans.errorHandler);
            assertThat(hooks.listeners()).contains(beans.listener);
            assertThat(hooks.all(ArgumentMask.class)).containsExactly(beans.mask);
        });
    }

    @Test
    void anyHookMayUseTheClientAndTheAdministration() {
        runner.withUserConfiguration(HooksThatEnqueue.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void jobsRunOnVirtualThreadsWhereTheApplicationWantsThem() throws Exception {
        runner.withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            Thread thread =
                    context.getBean(EngineEnvironment.class).processorThreads().newThread(() -> {});
            assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(true);
        });
        runner.run(context -> {
            Thread thread =
                    context.getBean(EngineEnvironment.class).processorThreads().newThread(() -> {});
            assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(false);
        });
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsAreNoQuestionBeforeJava21() {
        runner.withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aQueueWithoutACapsuleIsAWarning(CapturedOutput output) {
        runner.withBean(Mails.class).run(context -> assertThat(output)
                .contains("WARN")
                .contains("this application serves only [default]: {mail=[Mails.send]}"));
    }

    @Test
    void aQueueThatIsLeftToOthersIsMentioned(CapturedOutput output) {
        runner.withBean(Mails.class).withPropertyValues("jobs.queues=default").run(context -> assertThat(output)
                .contains("Jobs of these queues wait for another process")
                .doesNotContain("this application serves only"));
    }

    @Test
    void aQueueThatIsLeftToOthersBesideACapsuleIsMentioned(CapturedOutput output) {
        runner.withBean(Mails.class)
                .withPropertyValues("jobs.capsules.reports.queues=reports")
                .run(context -> assertThat(output)
                        .contains("Jobs of these queues wait for another process")
                        .doesNotContain("this application serves only"));
    }

    @Test
    void aQueueThatACapsuleServesIsNotMentioned(CapturedOutput output) {
        runner.withBean(Mails.class)
                .withPropertyValues("jobs.capsules.mail.queues=mail")
                .run(context -> assertThat(output).doesNotContain("Jobs of these queues"));
    }

    @Test
    void theQueueOfAConfiguredScheduleIsUsedLikeThatOfAnAnnotation(CapturedOutput output) {
        runner.withBean(Mails.class)
                .withPropertyValues(
                        "jobs.capsules.mail.queues=mail",
                        "jobs.recurring.schedules.nightly.job=Mails.send",
                        "jobs.recurring.schedules.nightly.cron=0 2 * * *",
                        "jobs.recurring.schedules.nightly.queue=nights",
                        "jobs.recurring.schedules.weekly.job=Ruby::Report",
                        "jobs.recurring.schedules.weekly.every=7d",
                        "jobs.recurring.schedules.weekly.queue=weeks",
                        "jobs.recurring.schedules.off.job=Mails.send",
                        "jobs.recurring.schedules.off.cron=-",
                        "jobs.recurring.schedules.off.queue=never",
                        "jobs.ordered-queues.nights.by=fair")
                .run(context -> assertThat(output)
                        .contains(
                                "Jobs of these queues wait for another process, since jobs.queues does not list them: "
                                        + "{nights=[nightly (jobs.recurring.schedules[nightly])], "
                                        + "weeks=[weekly (jobs.recurring.schedules[weekly])]}")
                        .doesNotContain("queues that this application has no jobs of"));
    }

    @Test
    void aWorkerThatFiresNoRecurringJobsDoesNotAskForTheirQueues(CapturedOutput output) {
        runner.withBean(Mails.class)
                .withPropertyValues(
                        "jobs.capsules.mail.queues=mail",
                        "jobs.recurring.enabled=false",
                        "jobs.recurring.schedules.nightly.job=Mails.send",
                        "jobs.recurring.schedules.nightly.cron=0 2 * * *",
                        "jobs.recurring.schedules.nightly.queue=nights")
                .run(context -> assertThat(output).doesNotContain("Jobs of these queues"));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class Lazy {}

    @Configuration(proxyBeanMethods = false)
    static class InjectionPoints {

        @Bean
        List<Object> users(JobClient client, Batches batches, RecurringJobs recurring, JobsAdmin admin) {
            return List.of(client, batches, recurring, admin);
        }
    }

    static class Mails {

        @Job(queue = "mail")
        void send() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Hooks {

        final JobMiddleware first = (job, next) -> next.proceed();
        final JobMiddleware second = (job, next) -> next.proceed();
        final EnqueueMiddleware enqueueMiddleware = (payload, next) -> next.proceed(payload);
        final RetryPolicy retryPolicy = (payload, count, failure) -> null;
        final DeathHandler deathHandler = (payload, failure) -> {};
        final JobErrorHandler errorHandler = (error, text, payload) -> {};
        final JobListener listener = new JobListener() {};
        final ArgumentMask mask = (job, position, argument) -> argument;

        @Bean
        @Order(2)
        JobMiddleware a() {
            return second;
        }

        @Bean
        @Order(1)
        JobMiddleware b() {
            return first;
        }

        @Bean
        EnqueueMiddleware enqueueMiddleware() {
            return enqueueMiddleware;
        }

        @Bean
        RetryPolicy retryPolicy() {
            return retryPolicy;
        }

        @Bean
        DeathHandler deathHandler() {
            return deathHandler;
        }

        @Bean
        JobErrorHandler errorHandler() {
            return errorHandler;
        }

        @Bean
        JobListener listener() {
            return listener;
        }

        @Bean
        ArgumentMask mask() {
            return mask;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HooksThatEnqueue {

        @Bean
        DeathHandler deathHandler(JobClient client, JobsAdmin admin) {
            return (payload, failure) -> client.enqueue("Alert.send", payload.jid());
        }

        @Bean
        EnqueueMiddleware enqueueMiddleware(JobClient client) {
            return (payload, next) -> next.proceed(payload);
        }

        @Bean
        JobListener listener(JobClient client) {
            return new JobListener() {};
        }
    }
}
