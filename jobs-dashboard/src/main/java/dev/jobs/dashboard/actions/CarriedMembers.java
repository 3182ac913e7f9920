package dev.jobs.dashboard.actions;

import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinition;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.ordered.JobOrder;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.Unique.Until;
import dev.jobs.unique.UniqueRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What another job takes over from a stored one: all members but its arguments and what belongs to that job alone. It
 * isn't debounced: it would take the place of a later call, and wait.
 */
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
            UniqueRule.LOCK);

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

    /**
     * A new map, to which the caller adds the arguments.
     *
     * @param arguments those of the other job
     */
    Map<String, @Nullable Object> of(Payload stored, String name, List<? extends @Nullable Object> arguments) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        boolean keyed = known.definition(name).map(JobOrder::isKeyed).orElse(false);
        stored.asMap().forEach((member, value) -> {
            if (!ITS_OWN.contains(member) && !OF_ITS_TRACE.contains(member) && !(keyed && member.equals(ORDER_KEY))) {
                members.put(member, value);
            }
        });
        if (keepsLock(stored, name, arguments)) {
            members.put(UniqueRule.LOCK, stored.get(UniqueRule.LOCK));
        }
        return members;
    }

    /** Whether the stored job has a lock or is debounced, and one with these members isn't. */
    boolean losesLock(Payload stored, String name, Map<String, @Nullable Object> members) {
        boolean keyed = JobLock.of(stored) != null || Debounce.of(stored) != null;
        return keyed && !members.containsKey(UniqueRule.LOCK) && rule(name) == null;
    }

    /**
     * Whether the other job has the same key. A lock that lasts for a fixed time stays with the stored job, also when
     * that is deleted, and would refuse this one. One that is made of the arguments is made again by the client.
     */
    private boolean keepsLock(Payload stored, String name, List<? extends @Nullable Object> arguments) {
        JobLock lock = JobLock.of(stored);
        if (lock == null || lock.until() == Until.EXPIRY) {
            return false;
        }
        if (known.definition(name).isEmpty()) {
            return arguments.equals(stored.args()); // what it was made of is unknown
        }
        boolean storedAsItIs = known.storedDigest(name, lock.digest()).equals(lock.digest());
        return storedAsItIs && !isMadeOf(stored, name, lock);
    }

    /** Whether the lock of a job is the one that its annotation names. */
    private boolean isMadeOf(Payload stored, String name, JobLock lock) {
        UniqueRule rule = rule(name);
        if (rule == null) {
            return false;
        }
        try {
            String job = known.definition(name).map(JobDefinition::name).orElse(name);
            return lock.digest().equals(UniqueRule.digest(job, rule.key(stored.args())));
        } catch (InvalidJobException e) {
            return false; // its arguments have no such key
        }
    }

    private @Nullable UniqueRule rule(String name) {
        JobDefinition definition = known.definition(name).orElse(null);
        return definition == null ? null : definition.rule(UniqueRule.class);
    }
}
