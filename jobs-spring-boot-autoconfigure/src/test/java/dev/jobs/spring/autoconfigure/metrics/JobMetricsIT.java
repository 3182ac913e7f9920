package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import dev.jobs.store.DeadSetBounds;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

class JobMetricsIT {

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    private EmbeddedRedis redis;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        runner = JobsContext.on(redis)
                .withConfiguration(
                        AutoConfigurations.of(MetricsAutoConfiguration.class, JobsMetricsAutoConfiguration.class))
                .withBean(Shop.class);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void gaugesShowWhatStandsInRedis() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            JobGauges gauges = gauges(context, new AtomicLong());
            gauges.bindTo(meters);
            JobClient jobs = context.getBean(JobClient.class);
            jobs.queue("mail").enqueue(Shop::sell, "book");
            jobs.queue("mail").enqueue(Shop::sell, "pen");
            jobs.in(Duration.ofHours(1)).enqueue(Shop::sell, "ink");
            Batches batches = context.getBean(Batches.class);
            batches.create(
                    "sale", batch -> batch.add(JobCall.of(Shop::sell, "cup").queue("later")));
            batches.open("sale");
            StringRedisTemplate texts = context.getBean(StringRedisTemplate.class);
            texts.opsForHash().put("jobs:limits", "d:erp", "1");
            texts.opsForZSet().add("jobs:parked:erp", "a\n0000000000000001\nmail\n1\n{}", 0);

            refresh(context, gauges);

            assertThat(meters.get("jobs.queue.size")
                            .tag("queue", "mail")
                            .gauge()
                            .value())
                    .isEqualTo(2);
            assertThat(meters.get("jobs.queue.latency")
                            .tag("queue", "mail")
                            .gauge()
                            .value())
                    .isNotNegative();
            assertThat(meters.get("jobs.scheduled.size").gauge().value()).isEqualTo(1);
            assertThat(meters.get("jobs.retry.size").gauge().value()).isZero();
            assertThat(meters.get("jobs.dead.size").gauge().value()).isZero();
            assertThat(meters.get("jobs.parked.size").gauge().value()).isEqualTo(1);
            assertThat(meters.get("jobs.conservation.error").gauge().value()).isZero();
            assertThat(meters.get("jobs.batch.open").gauge().value()).isEqualTo(2);
        });
    }

    @Test
    void anExecutionIsTimedOnceAlsoWhereObservationsMakeTimers() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        runner.withConfiguration(AutoConfigurations.of(
                        CompositeMeterRegistryAutoConfiguration.class, JobsObservationAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> meters)
                .withBean(ObservationRegistry.class, () -> observations)
                .run(context -> {
                    context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> meters.find("jobs.execution").timer() != null);

                    assertThat(meters.get("jobs.enqueue").timer().count()).isEqualTo(1);
                });

        assertThat(meters.getMeters().stream()
                        .filter(meter -> meter instanceof Timer timer && timer.count() > 0)
                        .map(meter -> meter.getId().getName()))
                .contains("jobs.execution")
                .doesNotContain("jobs.perform");
        assertThat(meters.find("jobs.perform.active").longTaskTimers())
                .as("shows what runs")
                .isNotEmpty();
    }

    @Test
    void aBatchWhoseCountersAreWrongIsFoundWithinItsTurn() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            JobGauges gauges = gauges(context, new AtomicLong());
            gauges.bindTo(meters);
            Batches batches = context.getBean(Batches.class);
            StringRedisTemplate texts = context.getBean(StringRedisTemplate.class);
            List<String> ids = IntStream.range(0, 3)
                    .mapToObj(i -> batches.create("sale", batch -> batch.add(JobCall.of(Shop::sell, "cup"))))
                    .toList();
            texts.opsForHash().increment("jobs:batch:" + ids.get(0), "failed", 2);

            for (int i = 0; i < ids.size(); i++) {
                refresh(context, gauges);
            }
            assertThat(meters.get("jobs.batch.error").gauge().value()).isEqualTo(2);

            texts.opsForHash().increment("jobs:batch:" + ids.get(0), "failed", -2);
            refresh(context, gauges);
            assertThat(meters.get("jobs.batch.error").gauge().value()).isZero();

            texts.delete("jobs:batches:open");
            texts.opsForValue().set("jobs:batches:open", "no set");
            refresh(context, gauges);
            assertThat(meters.get("jobs.batch.error").gauge().value()).isNaN();
            assertThat(meters.get("jobs.queue.size")
                            .tag("queue", "default")
                            .gauge()
                            .value())
                    .as("what else can be read")
                    .isEqualTo(3);
        });
    }

    @Test
    void aQueueThatIsGoneHasNoGauge() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            JobGauges gauges = gauges(context, new AtomicLong());
            gauges.bindTo(meters);
            context.getBean(JobClient.class).queue("mail").enqueue(Shop::sell, "book");
            refresh(context, gauges);
            assertThat(meters.find("jobs.queue.size").gauges()).hasSize(1);

            context.getBean(JobsAdmin.class).queues().clear("mail");
            refresh(context, gauges);

            assertThat(meters.find("jobs.queue.size").gauges()).isEmpty();
        });
    }

    @Test
    void withoutRedisTheLastValuesAreShownForAWhileAndThenNone() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            AtomicLong nanos = new AtomicLong();
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            JobGauges gauges = gauges(context, nanos);
            gauges.bindTo(meters);
            context.getBean(JobClient.class).in(Duration.ofHours(1)).enqueue(Shop::sell, "ink");
            refresh(context, gauges);
            ports.close(redis);

            assertThat(gauges.refresh()).isFalse();

            nanos.addAndGet(JobGauges.VALID.toNanos());
            assertThat(meters.get("jobs.scheduled.size").gauge().value()).isEqualTo(1);
            nanos.addAndGet(1);
            assertThat(meters.get("jobs.scheduled.size").gauge().value()).isNaN();
        });
    }

    @Test
    void prometheusGetsTheNamesThatDashboardsAskFor() {
        runner.withPropertyValues("jobs.worker.enabled=false")
                .run(context -> context.getBean(JobClient.class).enqueue(Shop::sell, "book"));
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runner.withBean(PrometheusMeterRegistry.class, () -> prometheus).run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::sell, "pen");
            await().untilAsserted(() -> assertThat(prometheus.scrape())
                    .contains(
                            "jobs_execution_seconds_count{exception=\"none\",job=\"Shop.sell\",outcome=\"done\",queue=\"default\"} 2")
                    .contains("jobs_queue_size{queue=\"default\"} ")
                    .contains("jobs_queue_latency_seconds{queue=\"default\"}"));

            await().untilAsserted(() -> assertThat(prometheus.scrape())
                    .contains("jobs_enqueued_total{job=\"Shop.sell\",queue=\"default\"} 1.0")
                    .contains("jobs_busy ")
                    .contains("jobs_concurrency 10.0")
                    .contains("jobs_scheduled_size 0.0")
                    .contains("jobs_retry_size 0.0")
                    .contains("jobs_dead_size 0.0")
                    .contains("jobs_conservation_error 0.0")
                    .contains("jobs_batch_open 0.0")
                    .contains("jobs_batch_error 0.0")
                    .contains("jobs_consume_stall_seconds 0.0")
                    .contains("jobs_recovered_total{outcome=\"requeued\"} 0.0")
                    .contains("jobs_lateness_seconds_count 0")
                    .containsPattern("jobs_claim_seconds_count [1-9]"));
        });
    }

    @Test
    void theDrainTimeIsThatOfWhatWaitsInRedisAtTheSpeedOfThisWorker() {
        AtomicLong nanos = new AtomicLong();
        DrainTime drain = new DrainTime(EngineConfig.of(4, "mail"), nanos::get);
        List<Duration> executions = new CopyOnWriteArrayList<>();
        JobListener listener = new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                drain.finished(job, ending, took, failure);
                executions.add(took);
            }
        };
        runner.withBean(JobListener.class, () -> listener)
                .withPropertyValues("jobs.queues=mail", "jobs.concurrency=4")
                .run(context -> {
                    context.getBean(JobClient.class)
                            .queue("mail")
                            .enqueueAll(Shop::sell, List.of("book", "pen", "ink"));
                    await().until(() -> executions.size() == 3);
                });
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            JobGauges gauges = gauges(context, nanos);
            context.getBean(JobClient.class).queue("mail").enqueueAll(Shop::sell, Collections.nCopies(100, "cup"));

            drain.look(refresh(context, gauges).queues().values());

            double mean =
                    executions.stream().mapToLong(Duration::toNanos).average().orElseThrow();
            assertThat(drain.seconds()).isCloseTo(100 * mean / 4 / 1e9, withinPercentage(0.001));
            context.getBean(JobsAdmin.class).queues().clear("mail");
            drain.look(refresh(context, gauges).queues().values());
            assertThat(drain.seconds()).isZero();
        });
    }

    @Test
    void aWorkerDoesNotStallWhileTheOnlyQueueWithJobsIsAtItsLimit() {
        Imports imports = new Imports();
        runner.withBean(SimpleMeterRegistry.class)
                .withBean(Imports.class, () -> imports)
                .withPropertyValues("jobs.queues=imports,default", "jobs.queue-limits.imports.concurrency=1")
                .run(context -> assertNoStall(context, imports, 1));
    }

    @Test
    void aWorkerDoesNotStallWhileAllCapsulesOfAQueueAreBusy() {
        Imports imports = new Imports();
        runner.withBean(SimpleMeterRegistry.class)
                .withBean(Imports.class, () -> imports)
                .withPropertyValues(
                        "jobs.queues=imports,default",
                        "jobs.concurrency=1",
                        "jobs.capsules.fast.queues=imports",
                        "jobs.capsules.fast.concurrency=1")
                .run(context -> assertNoStall(context, imports, 2));
    }

    /** So many imports run, and others wait: the worker takes none of them, and should not. */
    private static void assertNoStall(AssertableApplicationContext context, Imports imports, int running) {
        try {
            JobGauges gauges = gauges(context, new AtomicLong());
            CapsuleGauges worker = context.getBean(CapsuleGauges.class);
            context.getBean(JobClient.class)
                    .queue("imports")
                    .enqueueAll(Imports::run, Collections.nCopies(running + 4, "products"));
            await().until(() -> imports.running.get() == running);

            await().untilAsserted(() -> {
                List<QueueInfo> queues =
                        List.copyOf(refresh(context, gauges).queues().values());
                assertThat(queues).extracting(QueueInfo::size).containsExactly(4L);
                worker.look(Map.of("home", queues));
                worker.look(Map.of("home", queues));
                assertThat(worker.consumption().stall()).isZero();
            });
        } finally {
            imports.goOn.release(running + 4);
        }
    }

    /** Gauges that the test reads explicitly, at times of its choice. */
    private static JobGauges gauges(AssertableApplicationContext context, AtomicLong nanos) {
        JobsAdmin admin = new JobsAdmin(
                context.getBean(RedisConnections.class),
                context.getBean(DeadSetBounds.class),
                JobHooks.none(),
                Clock.systemUTC());
        return new JobGauges(admin.gauges(), Tags.empty(), new Scrapes(nanos::get), nanos::get);
    }

    /** A reading that no other process made a moment ago. */
    private static JobGauges.Reading refresh(AssertableApplicationContext context, JobGauges gauges) {
        context.getBean(StringRedisTemplate.class).delete("jobs:gauges:1");
        assertThat(gauges.refresh()).isTrue();
        return Objects.requireNonNull(gauges.reading());
    }

    static class Imports {

        private final AtomicInteger running = new AtomicInteger();
        private final Semaphore goOn = new Semaphore(0);

        @Job
        void run(String what) {
            running.incrementAndGet();
            goOn.acquireUninterruptibly();
        }
    }

    static class Shop {

        @Job
        void sell(String what) {}
    }
}
