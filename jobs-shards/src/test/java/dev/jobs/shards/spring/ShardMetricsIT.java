package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.metrics.JobsMetricsAutoConfiguration;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Collections;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The meters of an application with two shards. */
class ShardMetricsIT {

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
                        AutoConfigurations.of(MetricsAutoConfiguration.class, JobsMetricsAutoConfiguration.class))
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.data.redis.timeout=1s",
                        "jobs.shutdown-timeout=0s",
                        "jobs.queues=default,orders",
                        "jobs.shards.home.queues=default",
                        "jobs.shards.east.url=redis://localhost:" + second.port(),
                        "jobs.shards.east.queues=orders",
                        "jobs.spread-queues.events.by=jid");
    }

    @AfterEach
    void stop() {
        redis.close();
        second.close();
    }

    @Test
    @LongTest
    void whatIsReadFromRedisSaysWhichShardItIs() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runner.withBean(PrometheusMeterRegistry.class, () -> prometheus).run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Shop::sell, "book");
            jobs.queue("orders").enqueue(Shop::sell, "pen");
            // so many that both shards get some, whatever their jids are
            jobs.queue("events").enqueueAll(Shop::sell, Collections.nCopies(50, "book"));

            eventually(() -> {
                assertThat(prometheus.scrape())
                        .contains("jobs_queue_size{queue=\"events\",shard=\"home\"} ")
                        .contains("jobs_queue_size{queue=\"events\",shard=\"east\"} ")
                        .contains("jobs_conservation_error{shard=\"home\"} 0.0")
                        .contains("jobs_conservation_error{shard=\"east\"} 0.0")
                        .contains("jobs_processes{shard=\"east\"} 1.0")
                        .contains("jobs_busy{shard=\"home\"} 0.0")
                        .contains("jobs_busy{shard=\"east\"} 0.0")
                        .contains("jobs_redis_eviction{shard=\"east\"} 0.0")
                        .contains("jobs_concurrency 10.0")
                        .contains("jobs_consume_stall_seconds 0.0")
                        .contains(
                                "jobs_execution_seconds_count{exception=\"none\",job=\"Shop.sell\",outcome=\"done\",queue=\"orders\"} 1");
            });
        });
    }

    @LongTest
    @Test
    void aShardThatIsAwayDoesNotHoldUpTheOthers() {
        ports.close(second);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        runner.withPropertyValues("jobs.worker.enabled=false")
                .withBean(SimpleMeterRegistry.class, () -> meters)
                .run(context -> eventually(() -> {
                    assertThat(meters.get("jobs.dead.size")
                                    .tag("shard", "home")
                                    .gauge()
                                    .value())
                            .isZero();
                    assertThat(meters.get("jobs.dead.size")
                                    .tag("shard", "east")
                                    .gauge()
                                    .value())
                            .isNaN();
                }));
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    static class Shop {

        @Job
        void sell(String what) {}
    }
}
