package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.JobEngine;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.health.JobsHealthAutoConfiguration;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The health of an application with two shards. */
class ShardsHealthIT {

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    private EmbeddedRedis redis;
    private EmbeddedRedis second;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        second = EmbeddedRedis.start();
        runner = ShardsContext.on(redis)
                .withConfiguration(
                        AutoConfigurations.of(ShardsHealthAutoConfiguration.class, JobsHealthAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.timeout=1s",
                        "jobs.lease=4s",
                        "jobs.shutdown-timeout=0s",
                        "jobs.queues=default,orders",
                        "jobs.shards.home.queues=default",
                        "jobs.shards.east.url=redis://localhost:" + second.port(),
                        "jobs.shards.east.queues=orders");
    }

    @AfterEach
    void stop() {
        redis.close();
        second.close();
    }

    @Test
    @LongTest
    void oneShardThatIsAwayIsAWarning() {
        runner.run(context -> {
            eventually(() -> assertThat(shard(context, "home")).containsEntry("status", "UP"));
            eventually(() -> assertThat(shard(context, "east")).containsEntry("status", "UP"));
            assertThat(jobs(context).getDetails()).doesNotContainKey("warnings");
            eventually(() -> assertThat(readiness(context).getDetails())
                    .containsEntry("shards", Map.of("home", true, "east", true)));

            ports.close(second);

            eventually(() -> assertThat(shard(context, "east")).containsEntry("status", "DOWN"));
            eventually(() -> {
                Health health = jobs(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(shard(context, "home")).containsEntry("status", "UP").containsEntry("worker", "running");
                assertThat(shard(context, "east").get("error").toString()).contains("localhost:" + second.port());
                assertThat(String.valueOf(health.getDetails().get("warnings"))).contains("Shard 'east' is DOWN: ");
            });
            eventually(() -> {
                Health ready = readiness(context);
                assertThat(ready.getDetails()).containsEntry("shards", Map.of("home", true, "east", false));
                assertThat(ready.getStatus()).isEqualTo(Status.UP);
            });

            ports.close(redis);

            eventually(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.DOWN));
            eventually(() -> assertThat(readiness(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE));
        });
    }

    @Test
    void aWorkerThatWasStoppedInAllShardsIsOutOfService() {
        runner.run(context -> {
            List<JobEngine> engines = List.copyOf(
                    context.getBean(OwnEngines.class).byInstallation().values());
            engines.get(1).stop();
            eventually(() -> assertThat(jobs(context).getStatus()).isEqualTo(Status.UP));
            assertThat(String.valueOf(jobs(context).getDetails().get("warnings")))
                    .contains("Shard 'east' is OUT_OF_SERVICE: its worker was stopped");

            engines.get(0).stop();

            assertThat(jobs(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(readiness(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        });
    }

    @Test
    void withoutAWorkerEachShardIsAsked() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            assertThat(shard(context, "east")).containsEntry("status", "UP").containsEntry("batches", 0L);

            ports.close(second);

            assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
            assertThat(shard(context, "east")).containsEntry("status", "DOWN");
        });
    }

    @Test
    @LongTest
    void oneShardThatHangsIsAWarningHoweverManyAsk() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            assertThat(shard(context, "east")).containsEntry("status", "UP");
            RedisClient client = RedisClient.create("redis://localhost:" + second.port());
            try {
                client.connect().sync().clientPause(60_000);
                ConcurrentLinkedQueue<Health> healths = new ConcurrentLinkedQueue<>();
                for (int i = 0; i < 80; i++) {
                    Thread asking = new Thread(() -> healths.add(jobs(context)));
                    asking.setDaemon(true);
                    asking.start();
                }

                eventually(() -> assertThat(healths).hasSize(80));

                assertThat(healths)
                        .allSatisfy(health -> assertThat(health.getStatus()).isEqualTo(Status.UP));
                assertThat(shard(context, "east")).containsEntry("status", "DOWN");
            } finally {
                client.shutdown();
            }
        });
    }

    @LongTest
    @Test
    void whatTakesLongInAllShardsIsNoIllness() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            ApplicationShards shards = context.getBean(ApplicationShards.class);
            CountDownLatch over = new CountDownLatch(1);
            AtomicInteger begun = new AtomicInteger();
            try {
                for (int i = 0; i < 8; i++) {
                    Thread asking = new Thread(() -> shards.ask(
                            Map.of("home", "home", "east", "east"),
                            shard -> {
                                begun.incrementAndGet();
                                return await(over);
                            },
                            (shard, time) -> false));
                    asking.setDaemon(true);
                    asking.start();
                }
                eventually(() -> assertThat(begun).hasValueGreaterThanOrEqualTo(8));

                assertThat(jobs(context).getStatus()).isEqualTo(Status.UP);
            } finally {
                over.countDown();
            }
        });
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    private static Health jobs(AssertableApplicationContext context) {
        return context.getBean("jobsHealthIndicator", HealthIndicator.class).health();
    }

    private static Health readiness(AssertableApplicationContext context) {
        return context.getBean("jobsReadinessHealthIndicator", HealthIndicator.class)
                .health();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> shard(AssertableApplicationContext context, String name) {
        Map<String, Map<String, Object>> shards =
                (Map<String, Map<String, Object>>) jobs(context).getDetails().get("shards");
        return shards.get(name);
    }
}
