package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.RetryPolicy;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Executions with a trace of their own, among the handlers that Spring Boot would have. */
class LinkedTracesIT {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private EmbeddedRedis redis;
    private Tracing tracing;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        tracing = new Tracing();
        runner = TraceHandlers.grouped(JobsContext.withSoonRetries(redis))
                .withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class, JobsObservationAutoConfiguration.class))
                .withBean(Tracer.class, () -> tracing.bridge)
                .withBean("receiver", ObservationHandler.class, () -> tracing.receiver())
                .withBean("sender", ObservationHandler.class, () -> tracing.sender())
                .withBean(
                        RetryPolicy.class,
                        () -> (job, count, failure) -> count == 0
                                ? RetryPolicy.Decision.retryAfter(Duration.ofMillis(1))
                                : RetryPolicy.Decision.kill())
                .withBean(DeathHandler.class, () -> (job, failure) -> {})
                .withBean(Orders.class);
    }

    @AfterEach
    void stop() {
        tracing.close();
        redis.close();
    }

    /** The spans of a job that is retried once and then dies, and of its death handlers. */
    private List<SpanData> spansOfADeath(String... properties) {
        runner.withPropertyValues(properties).run(context -> {
            context.getBean(JobClient.class).enqueue(Orders::charge);
            await().atMost(Duration.ofSeconds(60)).until(() -> tracing.spans().size() == 4);
        });
        List<SpanData> spans = tracing.spans();
        assertThat(spans)
                .extracting(SpanData::getName)
                .containsExactlyInAnyOrder(
                        "enqueue Orders.charge",
                        "perform Orders.charge",
                        "perform Orders.charge",
                        "death Orders.charge");
        return spans;
    }

    private static SpanData find(List<SpanData> spans, String name, String attempt) {
        return spans.stream()
                .filter(span -> span.getName().startsWith(name))
                .filter(span -> attempt.isEmpty() || attempt.equals(Tracing.text(span, "attempt")))
                .findFirst()
                .orElseThrow();
    }

    private static void assertChild(SpanData span, SpanData call) {
        assertThat(span.getParentSpanId()).isEqualTo(call.getSpanId());
        assertThat(span.getTraceId()).isEqualTo(call.getTraceId());
        assertThat(span.getLinks()).isEmpty();
    }

    private static void assertLinked(SpanData span, SpanData call) {
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getTraceId()).isNotEqualTo(call.getTraceId());
        assertThat(span.getLinks())
                .extracting(LinkData::getSpanContext)
                .singleElement()
                .satisfies(linked -> {
                    assertThat(linked.getTraceId()).isEqualTo(call.getTraceId());
                    assertThat(linked.getSpanId()).isEqualTo(call.getSpanId());
                    assertThat(linked.isSampled()).isTrue();
                });
    }

    @Test
    void byDefaultAllBelongsToTheTraceOfTheCall() {
        List<SpanData> spans = spansOfADeath();
        SpanData call = find(spans, "enqueue", "");

        assertChild(find(spans, "perform", "1"), call);
        assertChild(find(spans, "perform", "2"), call);
        assertChild(find(spans, "death", ""), call);
    }

    @Test
    void retriesAndWhatComesOfThemBeginTracesOfTheirOwn() {
        List<SpanData> spans = spansOfADeath("jobs.tracing.links=retries");
        SpanData call = find(spans, "enqueue", "");

        assertChild(find(spans, "perform", "1"), call);
        assertLinked(find(spans, "perform", "2"), call);
        assertLinked(find(spans, "death", ""), call);
        assertThat(Tracing.text(find(spans, "perform", "2"), "outcome")).isEqualTo("dead");
        assertThat(find(spans, "perform", "2").getEvents())
                .extracting(event -> event.getName())
                .contains("exception");
    }

    @Test
    void eachExecutionBeginsATraceOfItsOwn() {
        List<SpanData> spans = spansOfADeath("jobs.tracing.links=all");
        SpanData call = find(spans, "enqueue", "");

        assertLinked(find(spans, "perform", "1"), call);
        assertLinked(find(spans, "perform", "2"), call);
    }

    @Test
    void whatAJobEnqueuesBelongsToItsOwnTrace() {
        runner.withPropertyValues("jobs.tracing.links=all").run(context -> {
            context.getBean(JobClient.class).enqueue(Orders::order);
            await().atMost(Duration.ofSeconds(60)).until(() -> tracing.spans().size() == 4);
        });
        List<SpanData> spans = tracing.spans();

        assertChild(find(spans, "enqueue Orders.mail", ""), find(spans, "perform Orders.order", ""));
        assertLinked(find(spans, "perform Orders.mail", ""), find(spans, "enqueue Orders.mail", ""));
    }

    @Test
    void zipkinsMembersAreReadTooAndOthersBeginATraceWithoutALink() {
        List<String> members = List.of(
                "\"b3\":\"" + TRACE + "-" + SPAN + "-1\"",
                "\"b3\":\"" + TRACE.substring(16) + "-" + SPAN + "-d-" + SPAN + "\"",
                "\"X-B3-TraceId\":\"" + TRACE + "\",\"X-B3-SpanId\":\"" + SPAN + "\",\"X-B3-Sampled\":\"1\"",
                "\"b3\":\"0\"",
                "\"traceparent\":\"00-" + "0".repeat(32) + "-" + SPAN + "-01\"",
                "\"uber-trace-id\":\"1:2:0:1\"");
        runner.withPropertyValues("jobs.tracing.links=all", "jobs.concurrency=1")
                .run(context -> {
                    for (String member : members) {
                        context.getBean(StringRedisTemplate.class)
                                .opsForList()
                                .leftPush(
                                        "queue:default",
                                        "{\"class\":\"Orders.mail\",\"args\":[],\"jid\":\"0123456789abcdef01234567\","
                                                + member + "}");
                    }
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> tracing.spans().size() == members.size());
                });

        assertThat(tracing.spans().stream().map(span -> span.getLinks().stream()
                        .map(link -> link.getSpanContext().getTraceId() + "-"
                                + link.getSpanContext().getSpanId() + "-"
                                + link.getSpanContext().isSampled())
                        .findFirst()
                        .orElse("none")))
                .containsExactly(
                        TRACE + "-" + SPAN + "-true",
                        "0".repeat(16) + TRACE.substring(16) + "-" + SPAN + "-true",
                        TRACE + "-" + SPAN + "-true",
                        "none",
                        "none",
                        "none");
    }

    @Test
    void withoutMicrometersTracingThereAreObservationsAsBefore() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer.tracing")).run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(PerformObservations.class)
                .doesNotHaveBean("jobsLinkedTraces"));
    }

    @Test
    void aWrongValueNamesWhatIsPossible() {
        runner.withPropertyValues("jobs.tracing.links=some").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("some")
                .hasMessageContaining("Links"));
    }

    record Orders(JobClient jobs) {

        @Job("Orders.charge")
        void charge(JobContext job) {
            throw new IllegalStateException("The bank is closed");
        }

        @Job("Orders.order")
        void order(JobContext job) {
            jobs.enqueue(Orders::mail);
        }

        @Job("Orders.mail")
        void mail() {}
    }
}
