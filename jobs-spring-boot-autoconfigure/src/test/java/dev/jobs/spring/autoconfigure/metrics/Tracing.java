package dev.jobs.spring.autoconfigure.metrics;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** OpenTelemetry as Micrometer bridges it, which keeps the spans in memory. */
final class Tracing implements AutoCloseable {

    final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();

    private final Tracer sdk = provider.get("jobs-test");
    private final OtelPropagator propagator =
            new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), sdk);

    /** As Spring Boot has it as a bean. */
    final OtelTracer bridge = new OtelTracer(sdk, new OtelCurrentTraceContext(), event -> {});

    /** The handler of what was received, as Spring Boot has it as a bean. */
    ObservationHandler<?> receiver() {
        return new PropagatingReceiverTracingObservationHandler<>(bridge, propagator);
    }

    /** The handler of what is sent, as Spring Boot has it as a bean. */
    ObservationHandler<?> sender() {
        return new PropagatingSenderTracingObservationHandler<>(bridge, propagator);
    }

    /** A registry whose observations become spans. */
    ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        sender(), receiver(), new DefaultTracingObservationHandler(bridge)));
        return registry;
    }

    List<SpanData> spans() {
        return exporter.getFinishedSpanItems();
    }

    static String text(SpanData span, String key) {
        return span.getAttributes().get(AttributeKey.stringKey(key));
    }

    /** The finished spans as a tree: names, and of each execution what is known of it. */
    String tree() {
        List<String> lines = new ArrayList<>();
        List<SpanData> all = spans().stream()
                .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
                .toList();
        all.stream()
                .filter(span ->
                        all.stream().noneMatch(other -> other.getSpanId().equals(span.getParentSpanId())))
                .forEach(root -> {
                    lines.add(line(root));
                    children(root, all, "", lines);
                });
        return String.join("\n", lines);
    }

    private static void children(SpanData parent, List<SpanData> all, String indent, List<String> lines) {
        List<SpanData> own = all.stream()
                .filter(span -> span.getParentSpanId().equals(parent.getSpanId()))
                .toList();
        for (int i = 0; i < own.size(); i++) {
            boolean last = i == own.size() - 1;
            lines.add(indent + (last ? "└─ " : "├─ ") + line(own.get(i)));
            children(own.get(i), all, indent + (last ? "   " : "│  "), lines);
        }
    }

    private static String line(SpanData span) {
        return Stream.of("attempt", "recoveries", "outcome")
                .filter(key -> text(span, key) != null)
                .map(key -> "  " + key + "=" + text(span, key))
                .reduce(span.getName(), String::concat);
    }

    @Override
    public void close() {
        provider.close();
    }
}
