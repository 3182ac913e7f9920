package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.Payload;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.Tracing.Links;
import dev.jobs.spring.observation.JobPerformContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Begins a trace for an execution, or for the death handlers of a job, and links it to the call that enqueued the job.
 * It comes before the handler that continues the trace of that call.
 *
 * <p>A propagator makes a parent of what it reads and doesn't tell it, so the formats that Spring Boot offers are read
 * here. What is in another one begins a trace without a link.
 */
final class LinkedTraces implements TracingObservationHandler<ReceiverContext<Payload>> {

    private static final Pattern W3C = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final Pattern B3 = Pattern.compile("([0-9a-f]{32}|[0-9a-f]{16})-([0-9a-f]{16})(-([01d])(-.*)?)?");

    private final Tracer tracer;
    private final Links links;

    LinkedTraces(Tracer tracer, Links links) {
        this.tracer = tracer;
        this.links = links;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        if (context instanceof JobPerformContext performed) {
            return begins(performed.execution().attempt() == 1);
        }
        return context instanceof DeathObservations.Death death && begins(death.isOfFirstAttempt());
    }

    private boolean begins(boolean firstAttempt) {
        return links == Links.ALL || links == Links.RETRIES && !firstAttempt;
    }

    @Override
    public void onStart(ReceiverContext<Payload> context) {
        Span.Builder span = tracer.spanBuilder().setNoParent().kind(Span.Kind.CONSUMER);
        TraceContext enqueued = enqueued(context);
        if (enqueued != null) {
            span.addLink(new Link(enqueued));
        }
        getTracingContext(context).setSpan(span.start());
    }

    @Override
    public void onStop(ReceiverContext<Payload> context) {
        Span span = getRequiredSpan(context);
        tagSpan(context, span);
        span.name(getSpanName(context));
        endSpan(context, span);
    }

    /** As the handlers that continue a trace have it; older versions would hyphenate it here. */
    @Override
    public String getSpanName(ReceiverContext<Payload> context) {
        String name = context.getContextualName();
        return name == null ? TracingObservationHandler.super.getSpanName(context) : name;
    }

    private @Nullable TraceContext enqueued(ReceiverContext<Payload> context) {
        Matcher w3c = W3C.matcher(member(context, "traceparent"));
        if (w3c.matches()) {
            return context(w3c.group(1), w3c.group(2), (Integer.parseInt(w3c.group(3), 16) & 1) == 1);
        }
        Matcher b3 = B3.matcher(member(context, "b3"));
        if (b3.matches()) {
            return context(b3.group(1), b3.group(2), sampled(b3.group(4)));
        }
        Matcher several = B3.matcher(member(context, "X-B3-TraceId") + "-" + member(context, "X-B3-SpanId"));
        return several.matches()
                ? context(several.group(1), several.group(2), sampled(member(context, "X-B3-Sampled")))
                : null;
    }

    private static boolean sampled(@Nullable String flag) {
        return "1".equals(flag) || "d".equals(flag);
    }

    private static String member(ReceiverContext<Payload> context, String name) {
        Payload payload = context.getCarrier();
        String value = payload == null ? null : context.getGetter().get(payload, name);
        return value == null ? "" : value;
    }

    private @Nullable TraceContext context(String trace, String span, boolean sampled) {
        if (trace.matches("0+") || span.matches("0+")) {
            return null;
        }
        return tracer.traceContextBuilder()
                .traceId("0".repeat(32 - trace.length()) + trace)
                .spanId(span)
                .sampled(sampled)
                .build();
    }

    @Override
    public Tracer getTracer() {
        return tracer;
    }
}
