package dev.jobs.dashboard.actions;

import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.ordered.JobOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What another job takes over from a stored one: all members but its arguments and what belongs to that job alone. */
final class CarriedMembers {

    private static final Set<String> ITS_OWN = Set.of(
            "args",
            "at",
            "created_at",
            "debounce",
            "debounce_at_most",
            "debounce_pause",
            "discarded_at",
            "enqueued_at",
            "error_backtrace",
            "error_class",
            "error_message",
            "expiry",
            "failed_at",
            "jb",
            "jid",
            "jobs_expiry",
            "jobs_waits_since",
            "overrated",
            PastAttempt.MEMBER,
            "reply_to",
            "retried_at",
            "retry_count",
            "unique_lock");

    /**
     * In the formats that the tracers of Spring Boot write: a job that has any of these when it is enqueued stays in
     * that trace.
     */
    private static final Set<String> OF_ITS_TRACE = Set.of(
            "traceparent",
            "tracestate",
            "b3",
            "X-B3-TraceId",
            "X-B3-SpanId",
            "X-B3-ParentSpanId",
            "X-B3-Sampled",
            "X-B3-Flags");

    /** Only of a job whose key is made of its arguments; the client then makes another. */
    private static final String ORDER_KEY = "order_key";

    private final KnownJobs known;

    CarriedMembers(KnownJobs known) {
        this.known = known;
    }

    /** A new map, to which the caller adds the arguments. */
    Map<String, @Nullable Object> of(Payload stored, String name) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        boolean keyed = known.definition(name).map(JobOrder::isKeyed).orElse(false);
        stored.asMap().forEach((member, value) -> {
            if (!ITS_OWN.contains(member) && !OF_ITS_TRACE.contains(member) && !(keyed && member.equals(ORDER_KEY))) {
                members.put(member, value);
            }
        });
        return members;
    }
}
