package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Traces as OpenTelemetry sees them. */
class TracesIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final AtomicReference<Orders> orders = new AtomicReference<>();
    private EmbeddedRedis redis;
    private Tracing tracing;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        tracing = new Tracing();
        ObservationRegistry observations = tracing.registry();
        runner = JobsContext.withSoonRetries(redis)
                .withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
                .withPropertyValues("jobs.lease=2s", "jobs.queues=default,shipping")
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(
                        RetryPolicy.class,
                        () -> (job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofSeconds(1)));
    }

    @AfterEach
    void stop() {
        tracing.close();
        redis.close();
    }

    /** A request that stands for an HTTP request: its observation is current while it enqueues. */
    private static void request(ApplicationContext context, String name, Runnable work) {
        Observation.createNotStarted(name, context.getBean(ObservationRegistry.class))
                .observe(work);
    }

    private void awaitSpans(int count) {
        await().atMost(LONG).until(() -> tracing.spans().size() >= count);
    }

    private static List<Payload> queue(ApplicationContext context, String name) {
        List<String> stored =
                context.getBean(StringRedisTemplate.class).opsForList().range("queue:" + name, 0, -1);
        return stored.stream()
                .map(job -> Payload.parse(job.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    @Test
    void aRequestIsOneTraceOverARetry() {
        runner.withBean(Orders.class).run(context -> {
            request(context, "http post /orders", () -> context.getBean(JobClient.class)
                    .enqueue("Orders.charge", 4711));
            awaitSpans(6);
        });

        assertThat(tracing.tree().lines())
                .containsExactly(
                        "http post /orders",
                        "└─ enqueue Orders.charge",
                        "   ├─ perform Orders.charge  attempt=1  recoveries=0  outcome=retried",
                        "   └─ perform Orders.charge  attempt=2  recoveries=0  outcome=done",
                        "      └─ enqueue Orders.mail",
                        "         └─ perform Orders.mail  attempt=1  recoveries=0  outcome=done");
        assertThat(tracing.spans())
                .extracting(SpanData::getTraceId)
                .containsOnly(tracing.spans().get(0).getTraceId());
    }

    @Test
    @LongTest
    void aRequestIsOneTraceOverARetryAndTheDeathOfAWorker(@TempDir Path directory) throws Exception {
        runner.withPropertyValues("jobs.worker.enabled=false").run(client -> {
            JobClient jobs = client.getBean(JobClient.class);
            Runnable work = () -> {
                jobs.enqueue("Orders.charge", 4711);
                jobs.queue("shipping").enqueue("Orders.ship");
            };
            try (OrderServer server = new OrderServer(directory, client.getBean(ObservationRegistry.class), work)) {
                assertThat(server.order()).isEqualTo(200);
            }
            StringRedisTemplate texts = client.getBean(StringRedisTemplate.class);
            try (KilledWorker worker = KilledWorker.start(redis.port(), "shipping")) {
                await().atMost(LONG)
                        .until(() -> texts.opsForList().size(KilledWorker.BEGUN) == 1
                                || !worker.process().isAlive());
                assertThat(worker.process().isAlive()).isTrue();
            }
        });
        runner.withBean(Orders.class).run(worker -> awaitSpans(8));

        String tree = tracing.tree();
        assertThat(tracing.spans())
                .extracting(SpanData::getTraceId)
                .containsOnly(tracing.spans().get(0).getTraceId());
        assertThat(Files.readString(Path.of("../docs/observability.md"))).contains("\n```text\n" + tree + "\n```\n");
    }

    @Test
    void deathHandlersRunInTheTraceOfTheJobThatDied() {
        List<String> current = new CopyOnWriteArrayList<>();
        runner.withBean(Orders.class)
                .withBean(
                        DeathHandler.class,
                        () -> (job, failure) ->
                                current.add(Span.current().getSpanContext().getTraceId()))
                .withBean(
                        "mail",
                        DeathHandler.class,
                        () -> (job, failure) ->
                                Objects.requireNonNull(orders.get()).jobs().enqueue(Orders::mail, 1L))
                .run(context -> {
                    orders.set(context.getBean(Orders.class));
                    request(context, "http post /refunds", () -> context.getBean(JobClient.class)
                            .retry(0)
                            .enqueue(Orders::refund));
                    awaitSpans(6);
                });

        assertThat(tracing.tree().lines())
                .containsExactly(
                        "http post /refunds",
                        "└─ enqueue Orders.refund",
                        "   ├─ perform Orders.refund  attempt=1  recoveries=0  outcome=dead",
                        "   └─ death Orders.refund",
                        "      └─ enqueue Orders.mail",
                        "         └─ perform Orders.mail  attempt=1  recoveries=0  outcome=done");
        assertThat(current).containsExactly(tracing.spans().get(0).getTraceId());
    }

    @Test
    void whatAListenerEnqueuesForAJobThatIsGivenUpIsInItsTrace() {
        JobListener mails = new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                if (job.name().equals("Orders.hang")) {
                    Objects.requireNonNull(orders.get()).jobs().enqueue(Orders::mail, 1L);
                }
            }
        };
        runner.withBean(Orders.class)
                .withBean(JobListener.class, () -> mails)
                .withPropertyValues("jobs.timeout.grace=0s")
                .run(context -> {
                    orders.set(context.getBean(Orders.class));
                    context.getBean(JobClient.class).retry(0).enqueue(Orders::hang);
                    awaitSpans(4);
                    Orders.GO_ON.release();
                });

        assertThat(tracing.tree().lines())
                .containsExactly(
                        "enqueue Orders.hang",
                        "└─ perform Orders.hang  attempt=1  recoveries=0  outcome=dead",
                        "   └─ enqueue Orders.mail",
                        "      └─ perform Orders.mail  attempt=1  recoveries=0  outcome=done");
    }

    @Test
    void handlersOfAJobKilledByHandRunInItsTrace() {
        List<String> current = new CopyOnWriteArrayList<>();
        runner.withPropertyValues("jobs.worker.enabled=false")
                .withBean(
                        DeathHandler.class,
                        () -> (job, failure) ->
                                current.add(Span.current().getSpanContext().getTraceId()))
                .run(context -> {
                    context.getBean(JobClient.class).in(Duration.ofHours(1)).enqueue("Orders.charge", 1);
                    byte[] waits = context.getBean(StringRedisTemplate.class)
                            .opsForZSet()
                            .range("schedule", 0, 0)
                            .iterator()
                            .next()
                            .getBytes(StandardCharsets.UTF_8);
                    context.getBean(JobsAdmin.class).sets().kill(JobSet.SCHEDULED, waits);
                });

        assertThat(current).containsExactly(tracing.spans().get(0).getTraceId());
    }

    @Test
    void eachJobOfABulkCallCarriesTheOneProducer() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            context.getBean(JobClient.class)
                    .enqueueAll(
                            "Orders.charge", Stream.of(1, 2, 3).map(List::of).toList());

            assertThat(tracing.spans()).hasSize(1);
            SpanData producer = tracing.spans().get(0);
            assertThat(producer.getKind()).isEqualTo(SpanKind.PRODUCER);
            assertThat(Tracing.text(producer, "count")).isEqualTo("3");
            assertThat(queue(context, "default")).hasSize(3).allSatisfy(job -> assertThat(job.text("traceparent"))
                    .startsWith("00-" + producer.getTraceId() + "-" + producer.getSpanId() + "-"));
        });
    }

    @Test
    void aBatchIsOneProducerForItsJobsAndItsCallback() {
        runner.withBean(Orders.class).run(context -> {
            Batches batches = context.getBean(Batches.class);
            String id = batches.create("sale", batch -> batch.add(JobCall.of(Orders::mail, 1L))
                    .add(JobCall.of(Orders::mail, 2L))
                    .on(dev.jobs.batches.BatchEvent.FINISHED, JobCall.of(Orders::mail, 3L)));
            awaitSpans(4);

            assertThat(tracing.tree().lines())
                    .containsExactly(
                            "enqueue Orders.mail",
                            "├─ perform Orders.mail  attempt=1  recoveries=0  outcome=done",
                            "├─ perform Orders.mail  attempt=1  recoveries=0  outcome=done",
                            "└─ perform Orders.mail  attempt=1  recoveries=0  outcome=done");
            assertThat(tracing.spans()).isNotEmpty().allSatisfy(span -> assertThat(Tracing.text(span, "batch"))
                    .isEqualTo(id));
        });
    }

    @Test
    void aJobThatRubyEnqueuedContinuesItsTrace() {
        runner.withBean(Orders.class).run(context -> {
            context.getBean(StringRedisTemplate.class)
                    .opsForList()
                    .leftPush(
                            "queue:default",
                            "{\"class\":\"Orders.mail\",\"args\":[1],\"jid\":\"0123456789abcdef01234567\",\"retry\":true,"
                                    + "\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}");
            awaitSpans(1);

            SpanData consumer = tracing.spans().get(0);
            assertThat(consumer.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(consumer.getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(consumer.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        });
    }

    @Test
    void aTraceThatCantBeReadBeginsAnew() {
        runner.withBean(Orders.class).run(context -> {
            String job =
                    "{\"class\":\"Orders.mail\",\"args\":[1],\"jid\":\"0123456789abcdef01234567\",\"traceparent\":";
            for (String bad : List.of("7}", "\"\"}", "[\"00\"]}", "\"" + "0".repeat(10_000) + "\"}")) {
                context.getBean(StringRedisTemplate.class).opsForList().leftPush("queue:default", job + bad);
            }
            awaitSpans(4);

            assertThat(tracing.spans()).allSatisfy(span -> {
                assertThat(span.getParentSpanContext().isValid()).isFalse();
                assertThat(Tracing.text(span, "outcome")).isEqualTo("done");
            });
        });
    }

    @Test
    void aJobThatNamesATraceKeepsIt() {
        String given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            context.getBean(JobClient.class).with("traceparent", given).enqueue("Orders.charge", 1);

            assertThat(queue(context, "default"))
                    .extracting(job -> job.text("traceparent"))
                    .containsExactly(given);
        });
    }

    record Orders(JobClient jobs) {

        private static final Semaphore GO_ON = new Semaphore(0);

        @Job("Orders.charge")
        void charge(long order, JobContext job) {
            if (job.attempt() == 1) {
                throw new IllegalStateException("The bank is closed");
            }
            jobs.enqueue(Orders::mail, order);
        }

        @Job("Orders.refund")
        void refund() {
            throw new IllegalStateException("There is no money");
        }

        @Job("Orders.ship")
        void ship() {}

        @Job("Orders.mail")
        void mail(long order) {}

        /** Ignores that it is interrupted. */
        @Job(value = "Orders.hang", timeout = "100ms")
        void hang() {
            GO_ON.acquireUninterruptibly();
        }
    }
}
