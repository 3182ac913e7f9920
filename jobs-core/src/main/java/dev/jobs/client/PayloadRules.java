package dev.jobs.client;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinition;
import dev.jobs.JobRules;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.RubyTime;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks that a payload may be stored, and makes the bytes to store. Thread-safe. */
@Internal
public final class PayloadRules {

    static final String QUEUE_FORM = "1 to 128 letters, digits and the characters _ . : -";

    private static final List<String> LOG_LEVELS = List.of("debug", "info", "warn", "error", "fatal", "unknown");

    /** Made once: each job is checked. */
    private static final String LOG_LEVEL_FORM = "one of " + LOG_LEVELS;

    private static final long MAX_RETRY_FOR = 1_000_000_000;
    private static final int MAX_SHOWN = 100;

    private final long maxPayload;
    private final PayloadTimes times;

    /** Those of the features; an array, since each job goes through them. */
    private final PayloadRule[] rules = JobRules.all(PayloadRule.class).toArray(PayloadRule[]::new);

    /** The last queue name that was found valid: usually the next one is the same. */
    private volatile String knownQueue = "default";

    public PayloadRules(long maxPayload, PayloadTimes times) {
        this.maxPayload = maxPayload;
        this.times = times;
    }

    /**
     * Ensures that every worker and user interface can read a payload: refuses members that some of them can't handle,
     * and cuts off a fraction of {@code retry_for}.
     *
     * @throws InvalidJobException if a member is missing or refused
     */
    public CheckedJob check(Payload payload) {
        String name = payload.name();
        require(name != null && !name.isBlank(), payload, "class", "the job's name as text");
        require(payload.hasArgsArray(), payload, "args", "an array");
        String queue = payload.queue();
        require(isQueueName(queue), payload, "queue", QUEUE_FORM);
        String jid = payload.jid();
        require(jid != null && !jid.isEmpty(), payload, "jid", "text");
        Object createdAt = payload.get("created_at");
        require(createdAt == null || createdAt instanceof Number, payload, "created_at", "a number");
        Object tags = payload.get("tags");
        require(tags == null || areTexts(tags), payload, "tags", "an array of strings");
        require(!payload.has("log_level") || isLogLevel(payload), payload, "log_level", LOG_LEVEL_FORM);
        Object context = payload.get("cattr");
        require(
                context == null || context instanceof Map || context instanceof List,
                payload,
                "cattr",
                "an object or an array");
        require(
                !payload.has("at") || payload.get("at") instanceof Number,
                payload,
                "at",
                "a number of seconds since 1970");
        for (PayloadRule rule : rules) {
            rule.check(payload);
        }
        return new CheckedJob(
                withWholeRetryFor(payload),
                Objects.requireNonNull(payload.jobName()),
                Objects.requireNonNull(queue),
                Objects.requireNonNull(jid),
                List.of());
    }

    /** What becomes of the jobs of one client that checks of features refuse. */
    List<PayloadRule.Refusals> refusals(Clock clock) {
        List<PayloadRule.Refusals> refusals = new ArrayList<>();
        for (PayloadRule rule : rules) {
            PayloadRule.Refusals own = rule.refusals(clock);
            if (own != null) {
                refusals.add(own);
            }
        }
        return refusals;
    }

    private boolean isQueueName(@Nullable String queue) {
        if (queue == null || queue.equals(knownQueue)) {
            return queue != null;
        }
        boolean valid = JobDefinition.QUEUE_NAME.matcher(queue).matches();
        if (valid) {
            knownQueue = queue;
        }
        return valid;
    }

    private static Payload withWholeRetryFor(Payload payload) {
        Object value = payload.get("retry_for");
        if (value == null) {
            return payload;
        }
        double seconds = value instanceof Number number ? number.doubleValue() : -1;
        require(seconds >= 0 && seconds <= MAX_RETRY_FOR, payload, "retry_for", "0 to 1,000,000,000 seconds");
        return value instanceof Long ? payload : payload.with("retry_for", (long) seconds);
    }

    private static boolean isLogLevel(Payload payload) {
        Object level = payload.get("log_level");
        return level == null
                || level instanceof Long
                || level instanceof String text && LOG_LEVELS.contains(text.toLowerCase(Locale.ROOT));
    }

    private static boolean areTexts(Object value) {
        return value instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
    }

    /**
     * Checks what a member must be.
     *
     * @throws InvalidJobException if the condition is not fulfilled; it shows the member
     */
    public static void require(boolean fulfilled, Payload payload, String member, String form) {
        if (!fulfilled) {
            byte[] json = payload.raw(member);
            String found = json == null ? "is missing" : "is " + shown(new String(json, StandardCharsets.UTF_8));
            throw refused(payload.name(), "its '" + member + "' must be " + form + " but " + found, null);
        }
    }

    /**
     * Makes the bytes to store from a checked payload: with the time of enqueueing if the job is due, otherwise without
     * a time, since its score in the scheduled set is its time.
     *
     * @throws InvalidJobException if the payload is too large
     */
    public ReadyJob finish(CheckedJob job, Instant now) {
        ReadyJob ready = finishOfAnySize(job, now);
        int size = ready.payload().length;
        if (size > maxPayload) {
            String sizes =
                    String.format(Locale.ROOT, "its payload has %,d bytes, and %,d are allowed", size, maxPayload);
            throw refused(job.name(), sizes + "; store the data elsewhere and pass a reference to it", null);
        }
        return ready;
    }

    /** The same for a job whose size was checked before. */
    ReadyJob finishOfAnySize(CheckedJob job, Instant now) {
        Payload payload = job.payload();
        double seconds = RubyTime.seconds(now);
        double at = payload.get("at") instanceof Number number ? number.doubleValue() : 0;
        if (at > 0 && at <= seconds) {
            at = late(payload, seconds);
        }
        boolean waits = at > seconds;
        Payload untimed = Expiry.set(payload, waits ? at : seconds).without("at");
        byte[] stored =
                waits ? untimed.without("enqueued_at").bytes() : untimed.bytesWith("enqueued_at", times.of(now));
        return new ReadyJob(job.name(), job.queue(), job.jid(), waits ? micros(at) : null, stored, job.checks());
    }

    private double late(Payload payload, double seconds) {
        double at = seconds;
        for (PayloadRule rule : rules) {
            at = Math.max(at, rule.late(payload, seconds));
        }
        return at;
    }

    /** A payload that goes to its queue now. */
    Payload stamped(Payload payload, Instant now) {
        return Expiry.set(payload, RubyTime.seconds(now)).without("at").with("enqueued_at", times.of(now));
    }

    private static String micros(double seconds) {
        return new BigDecimal(seconds).setScale(6, RoundingMode.HALF_EVEN).toPlainString();
    }

    public static InvalidJobException refused(@Nullable String name, String reason, @Nullable Throwable cause) {
        return new InvalidJobException(
                "Could not enqueue " + (name == null ? "a job" : "job " + shown(name)) + ": " + reason, cause);
    }

    /** Foreign text for a message: on one line and of limited length. */
    public static String shown(String text) {
        String clean = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
        return clean.replaceAll("\\p{Cntrl}", "?");
    }
}
