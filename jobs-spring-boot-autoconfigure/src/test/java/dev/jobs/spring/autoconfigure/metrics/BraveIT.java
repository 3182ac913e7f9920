package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import brave.Span;
import brave.Tracing;
import brave.context.slf4j.MDCScopeDecorator;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.B3Propagation;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.Tracing.Links;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Traces as Brave sees them, in Zipkin's format, and log lines with their ids. */
class BraveIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<MutableSpan> spans = new CopyOnWriteArrayList<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger log = (Logger) LoggerFactory.getLogger("dev.jobs.engine.JobLog");
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line.getFormattedMessage().split(" ", 2)[0] + " "
                    + line.getMDCPropertyMap().get("traceId") + " "
                    + line.getMDCPropertyMap().get("jid"));
        }
    };
    private EmbeddedRedis redis;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        log.setLevel(Level.INFO);
        appender.start();
        log.addAppender(appender);
    }

    @AfterEach
    void stop() {
        redis.close();
        log.detachAppender(appender);
        log.setLevel(null);
    }

    private Tracing tracing() {
        return Tracing.newBuilder()
                .currentTraceContext(ThreadLocalCurrentTraceContext.newBuilder()
                        .addScopeDecorator(MDCScopeDecorator.get())
                        .build())
                .propagationFactory(B3Propagation.newFactoryBuilder()
                        .injectFormat(B3Propagation.Format.SINGLE)
                        .build())
                .addSpanHandler(new SpanHandler() {
                    @Override
                    public boolean end(TraceContext context, MutableSpan span, Cause cause) {
                        return spans.add(new MutableSpan(span));
                    }
                })
                .build();
    }

    private static ObservationRegistry registry(Tracing tracing, Links links) {
        BraveTracer tracer =
                new BraveTracer(tracing.tracer(), new BraveCurrentTraceContext(tracing.currentTraceContext()));
        BravePropagator propagator = new BravePropagator(tracing);
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        new LinkedTraces(tracer, links),
                        new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                        new PropagatingReceiverTracingObservationHandler<>(tracer, propagator)));
        return registry;
    }

    private MutableSpan span(Span.Kind kind) {
        return spans.stream().filter(span -> span.kind() == kind).findFirst().orElseThrow();
    }

    @Test
    void thePropagatorNamesTheMemberAndEachLineOfTheJobHasTheTrace() {
        try (Tracing tracing = tracing()) {
            ObservationRegistry observations = registry(tracing, Links.NONE);
            JobsContext.on(redis)
                    .withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
                    .withBean(ObservationRegistry.class, () -> observations)
                    .withBean(Shop.class)
                    .withBean(DeathHandler.class, () -> (job, failure) -> log.info("died"))
                    .run(context -> {
                        context.getBean(JobClient.class).retry(0).enqueue(Shop::fail);
                        StringRedisTemplate texts = context.getBean(StringRedisTemplate.class);
                        await().atMost(LONG)
                                .until(() ->
                                        spans.size() == 3 && texts.opsForZSet().size("dead") == 1);

                        MutableSpan sent = span(Span.Kind.PRODUCER);
                        MutableSpan performed = span(Span.Kind.CONSUMER);
                        assertThat(performed.traceId()).isEqualTo(sent.traceId());
                        assertThat(performed.tag("outcome")).isEqualTo("dead");
                        assertThat(performed.error()).isInstanceOf(IllegalStateException.class);
                        String jid = performed.tag("jid");
                        assertThat(lines)
                                .containsExactly(
                                        "start " + sent.traceId() + " " + jid,
                                        "fail " + sent.traceId() + " " + jid,
                                        "died " + sent.traceId() + " " + jid);
                        assertThat(texts.opsForZSet()
                                        .range("dead", 0, 0)
                                        .iterator()
                                        .next())
                                .contains("\"b3\":\"" + sent.traceId() + "-");
                    });
        }
    }

    /** Brave has no links; the bridge makes tags of them. */
    @Test
    void aTraceOfItsOwnNamesTheCall() {
        try (Tracing tracing = tracing()) {
            ObservationRegistry observations = registry(tracing, Links.ALL);
            JobsContext.on(redis)
                    .withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
                    .withBean(ObservationRegistry.class, () -> observations)
                    .withBean(Shop.class)
                    .run(context -> {
                        context.getBean(JobClient.class).retry(0).enqueue(Shop::fail);
                        await().atMost(LONG).until(() -> spans.size() == 2);

                        MutableSpan sent = span(Span.Kind.PRODUCER);
                        MutableSpan performed = span(Span.Kind.CONSUMER);
                        assertThat(performed.traceId()).isNotEqualTo(sent.traceId());
                        assertThat(performed.parentId()).isNull();
                        assertThat(performed.tags()).containsValues(sent.traceId(), sent.id());
                    });
        }
    }

    static class Shop {

        @Job
        void fail(JobContext job) {
            throw new IllegalStateException("no");
        }
    }
}
