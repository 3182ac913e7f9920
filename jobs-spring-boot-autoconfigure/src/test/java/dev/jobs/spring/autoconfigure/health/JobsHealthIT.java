package dev.jobs.spring.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobEngine;
import dev.jobs.batches.Batches;
import dev.jobs.batches.OpenBatch;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(OutputCaptureExtension.class)
class JobsHealthIT {

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    private EmbeddedRedis redis;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        runner = JobsContext.on(redis)
                .withConfiguration(AutoConfigurations.of(
                        HealthContributorAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        DataRedisHealthContributorAutoConfiguration.class,
                        JobsHealthAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoint.health.show-details=always",
                        "management.endpoints.web.exposure.include=health",
                        "spring.data.redis.timeout=1s",
                        "jobs.poll-interval=100ms");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aWorkerThatIsAliveIsUp() {
        runner.run(context -> {
            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));

            assertThat(jobs(context).getDetails())
                    .containsEntry("worker", "running")
                    .containsEntry("busy", 0)
                    .containsEntry("concurrency", 10)
                    .containsKeys("identity", "processes", "leader", "sinceBeat")
                    .doesNotContainKeys("warnings", "error");
        });
    }

    @Test
    void anApplicationThatOnlyEnqueuesIsUpWhileRedisIs() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
            assertThat(context).doesNotHaveBean("jobsReadinessHealthIndicator");

            ports.close(redis);

            assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN);
            assertThat(jobs(context).getDetails()).containsKey("error");
        });
    }

    @Test
    void withoutRedisAWorkerIsDown() {
        runner.run(context -> {
            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));

            ports.close(redis);

            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN));
            assertThat(jobs(context).getDetails()).containsKey("error");
        });
    }

    @Test
    void aWorkerIsDownWhileAsManyThreadsAsMayRunJobsAreAbandoned() {
        CountDownLatch gate = new CountDownLatch(1);
        runner.withPropertyValues("jobs.concurrency=2", "jobs.timeout.default=200ms", "jobs.timeout.grace=0")
                .withBean(Hanging.class, () -> new Hanging(gate))
                .run(context -> {
                    JobClient client = context.getBean(JobClient.class);
                    client.enqueue(Hanging::hang);
                    await().untilAsserted(
                                    () -> assertThat(jobs(context).getDetails()).containsEntry("abandoned", 1));
                    assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(String.valueOf(jobs(context).getDetails().get("warnings")))
                            .contains("1 threads still run jobs");

                    client.enqueue(Hanging::hang);
                    await().untilAsserted(
                                    () -> assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN));
                    assertThat(String.valueOf(jobs(context).getDetails().get("error")))
                            .contains("2 threads", "restart this process");

                    gate.countDown();
                    await().untilAsserted(
                                    () -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));
                });
    }

    record Hanging(CountDownLatch gate) {
        @Job("Hang")
        void hang() {
            while (gate.getCount() > 0) {
                Thread.onSpinWait();
                Thread.yield();
            }
        }
    }

    @Test
    void aQueueWhoseKeyIsNoListIsDown() {
        runner.run(context -> {
            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));

            context.getBean(StringRedisTemplate.class).opsForValue().set("queue:default", "no list");

            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN));
            assertThat(jobs(context).getDetails().get("error")).asString().contains("default is not a list");
        });
    }

    @Test
    @LongTest
    void aQueueWhoseKeyIsNoListIsDownUntilItIsMended() {
        runner.run(context -> {
            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));
            StringRedisTemplate texts = context.getBean(StringRedisTemplate.class);

            texts.opsForValue().set("queue:default", "no list");

            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN));

            texts.delete("queue:default");

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));
        });
    }

    @Test
    void aWorkerThatCantBeShownIsUp(CapturedOutput output) {
        runner.run(context -> {
            context.getBean(StringRedisTemplate.class).opsForValue().set("processes", "no set");

            await().until(() -> output.getOut().contains("can't be shown"));

            assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void anEvictionPolicyThatMayLoseJobsIsAWarning() {
        redis.close();
        redis = EmbeddedRedis.start("--maxmemory-policy", "allkeys-lru");
        runner.withPropertyValues("spring.data.redis.port=" + redis.port()).run(context -> {
            await().untilAsserted(() -> assertThat(warnings(context)).anySatisfy(warning -> assertThat(warning)
                    .contains("maxmemory-policy is allkeys-lru")
                    .contains("noeviction")));
            assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void jobsThatAreUnaccountedForAreAWarning() {
        runner.run(context -> {
            await().untilAsserted(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));

            context.getBean(StringRedisTemplate.class).opsForHash().increment("jobs:ledger", "claimed", 3);

            await("what one process reads for all is some seconds old")
                    .untilAsserted(() -> assertThat(jobs(context).getDetails()).containsKey("warnings"));
            assertThat(warnings(context)).singleElement().asString().startsWith("3 claimed jobs are unaccounted for");
            assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void batchesThatDoNotChangeAreAWarning() {
        AtomicLong nanos = new AtomicLong();
        runner.withPropertyValues("jobs.worker.enabled=false", "jobs.batches.stuck-after=30m")
                .withBean(
                        EngineEnvironment.class,
                        () -> new EngineEnvironment(
                                Clock.systemUTC(),
                                nanos::get,
                                EngineEnvironment.system().random(),
                                Thread::new,
                                error -> {}))
                .run(context -> {
                    Batches batches = context.getBean(Batches.class);
                    OpenBatch first = batches.open("import");
                    String second = batches.create(
                            "sale", batch -> batch.child("part", part -> part.add(JobCall.named("sell"))));
                    assertThat(jobs(context).getDetails())
                            .containsEntry("batches", 3L)
                            .doesNotContainKey("warnings");
                    nanos.addAndGet(Duration.ofMinutes(20).toNanos());
                    first.add(JobCall.named("sell"));
                    first.flush();
                    assertThat(jobs(context).getDetails()).doesNotContainKey("warnings");

                    nanos.addAndGet(Duration.ofMinutes(20).toNanos());
                    assertThat(warnings(context))
                            .as("only the child, since its parent waits for it")
                            .singleElement()
                            .asString()
                            .startsWith(
                                    "Unfinished batches without a change for longer than jobs.batches.stuck-after: 1, "
                                            + "such as 'part' (")
                            .endsWith("), which has 1 jobs that wait or run");
                    assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);

                    batches.cancel(second);
                    nanos.addAndGet(Duration.ofMinutes(20).toNanos());
                    assertThat(warnings(context))
                            .singleElement()
                            .asString()
                            .endsWith("'import' (" + first.id() + "), which is still open for new jobs");
                });
    }

    @Test
    void aQuietWorkerIsUpButNotReady() {
        runner.withPropertyValues("management.endpoint.health.group.readiness.include=jobsReadiness")
                .run(context -> {
                    HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
                    await().untilAsserted(() -> assertThat(endpoint.healthForPath("readiness"))
                            .extracting(HealthDescriptor::getStatus)
                            .isEqualTo(Status.UP));

                    context.getBean(JobEngine.class).quiet();

                    assertThat(endpoint.healthForPath("readiness").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(endpoint.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(details(endpoint, "jobs")).containsEntry("worker", "quiet");
                });
    }

    @Test
    void readinessBelongsOnlyToGroupsThatNameIt() {
        runner.withPropertyValues("management.endpoint.health.group.other.include=*")
                .run(context -> {
                    HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);

                    assertThat(((CompositeHealthDescriptor) endpoint.health()).getComponents())
                            .containsOnlyKeys("jobs", "ping", "redis");
                    assertThat(((CompositeHealthDescriptor) endpoint.healthForPath("other")).getComponents())
                            .containsKey("jobsReadiness");
                });
    }

    @Test
    void theHealthOfTheApplicationsRedisStaysAsItIs() {
        runner.run(context -> assertThat(context.getBean(HealthEndpoint.class).healthForPath("redis"))
                .isInstanceOf(IndicatedHealthDescriptor.class));
    }

    @Test
    void theRedisOfAnotherInstallationIsNoPartOfIt() {
        runner.withUserConfiguration(Abroad.class).run(context -> {
            assertThat(context).getBeans(LettuceConnectionFactory.class).hasSize(2);
            HealthDescriptor health = context.getBean(HealthEndpoint.class).healthForPath("redis");

            assertThat(health).isInstanceOf(IndicatedHealthDescriptor.class);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Abroad {

        @Bean(autowireCandidate = false)
        LettuceConnectionFactory abroad() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1));
        }
    }

    @Test
    void aStoppedWorkerIsOutOfService() {
        runner.run(context -> {
            context.getBean(JobEngine.class).stop();

            assertThat(jobs(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(jobs(context).getDetails()).containsEntry("worker", "stopped");
        });
    }

    @Test
    void canBeTurnedOff() {
        runner.withPropertyValues("management.health.jobs.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("jobsHealthIndicator")
                .doesNotHaveBean("jobsReadinessHealthIndicator"));
    }

    @Test
    void anIndicatorOfTheApplicationWins() {
        HealthIndicator own = () -> Health.unknown().build();
        runner.withBean("jobsHealthIndicator", HealthIndicator.class, () -> own)
                .run(context ->
                        assertThat(context.getBean("jobsHealthIndicator")).isSameAs(own));
    }

    @Test
    void withoutBootsHealthThereIsNone() {
        JobsContext.withoutRedis()
                .withConfiguration(AutoConfigurations.of(JobsHealthAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobsHealthAutoConfiguration.class));
    }

    private static Health jobs(AssertableApplicationContext context) {
        return context.getBean("jobsHealthIndicator", HealthIndicator.class).health();
    }

    private static List<String> warnings(AssertableApplicationContext context) {
        assertThat(jobs(context).getDetails()).containsKey("warnings");
        return ((List<?>) jobs(context).getDetails().get("warnings"))
                .stream().map(String.class::cast).toList();
    }

    private static Map<String, Object> details(HealthEndpoint endpoint, String name) {
        return ((IndicatedHealthDescriptor) endpoint.healthForPath(name)).getDetails();
    }
}
