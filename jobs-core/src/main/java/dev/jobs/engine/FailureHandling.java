package dev.jobs.engine;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.Backtrace;
import dev.jobs.codec.FailureText;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobPushes;
import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a failed job, as Sidekiq 8.1 does: the same fields, number of retries, delays and jitter.
 * Makes no call to Redis and starts no thread. Thread-safe.
 */
@Internal
public final class FailureHandling {

    private final JobHooks hooks;
    private final int maxAttempts;
    private final PayloadTimes times;
    private final Clock clock;
    private final RandomGenerator random;
    private final List<Note> notes;

    /** What a feature notes in the payload of a job that waits, until it has run or waits for something else. */
    @FunctionalInterface
    @Internal
    public interface Note {

        /**
         * The payload without it, unless it still counts.
         *
         * @param failure null if the job goes back, or waits for something else
         */
        Payload removed(Payload payload, @Nullable Throwable failure);
    }

    /**
     * @param maxAttempts how often a job is retried unless its payload says otherwise
     * @param times how times are written into payloads
     * @param notes what features note in the payloads of jobs that wait
     */
    public FailureHandling(
            JobHooks hooks,
            int maxAttempts,
            PayloadTimes times,
            Clock clock,
            RandomGenerator random,
            List<Note> notes) {
        this.notes = List.copyOf(notes);
        this.hooks = hooks;
        this.maxAttempts = maxAttempts;
        this.times = times;
        this.clock = clock;
        this.random = random;
    }

    /**
     * @param stored the job as it was claimed
     * @param queue the queue that it was claimed from
     * @param retry the job's own retry option, for a payload that has none
     * @param mayRetry false for a failure that is not retried at all
     */
    Outcome decide(Payload stored, String queue, Object retry, Throwable failure, boolean mayRetry) {
        Payload payload = Expiry.restored(withoutNotes(stored, failure));
        if (payload.get("retry") == null) {
            payload = payload.with("retry", retry);
        }
        if (Boolean.FALSE.equals(payload.get("retry"))) {
            return discard(payload, failure, null);
        }
        Instant now = clock.instant();
        payload = readable(payload, now);
        String retryQueue = payload.text("retry_queue");
        payload = payload.with("queue", retryQueue == null || !RedisKeys.isQueueName(retryQueue) ? queue : retryQueue);
        payload = withError(payload, failure);
        Long before = payload.integer("retry_count");
        int count;
        if (before == null) {
            count = 0;
            payload = payload.with("failed_at", times.of(now)).with("retry_count", 0);
        } else {
            count = (int) Math.max(0, Math.min(Integer.MAX_VALUE - 1, before) + 1);
            if (!isTime(payload, "failed_at")) {
                payload = payload.with("failed_at", times.of(now));
            }
            payload = payload.with("retried_at", times.of(now)).with("retry_count", count);
        }
        payload = withBacktrace(payload, failure);
        if (!mayRetry || isExhausted(payload, count, now)) {
            return bury(payload, failure, null);
        }
        Decision decision = ask(stored, count, failure);
        String decidedBy = null;
        if (decision instanceof RetryPolicy.By named) {
            decidedBy = named.who();
            decision = named.decision();
        }
        if (decision instanceof RetryPolicy.Kill) {
            return bury(payload, failure, decidedBy);
        }
        if (decision instanceof RetryPolicy.Discard) {
            return discard(payload, failure, decidedBy);
        }
        return new FailedOutcome.Retried(payload, delay(decision, count), failure, decidedBy);
    }

    private Duration delay(@Nullable Decision decision, int count) {
        if (decision instanceof RetryPolicy.RetryAfter exact) {
            return exact.delay().isNegative() ? Duration.ZERO : exact.delay();
        }
        Duration delay =
                decision instanceof RetryPolicy.RetryIn own && own.delay().toSeconds() > 0
                        ? Duration.ofSeconds(own.delay().toSeconds())
                        : defaultDelay(count);
        return delay.plus(jitter(count));
    }

    /** Adds the members that readers of a failed job expect, where they are missing or of a wrong type. */
    private Payload readable(Payload payload, Instant now) {
        Payload readable = payload.hasArgsArray() ? payload : payload.with("args", List.of());
        String jid = payload.text("jid");
        if (jid == null || jid.isEmpty()) {
            Long number = payload.integer("jid");
            readable = readable.with("jid", number == null ? JobPushes.newJid(random) : number.toString());
        }
        if (!isTime(payload, "enqueued_at")) {
            readable = readable.with("enqueued_at", times.of(now));
        }
        return isTime(payload, "created_at") ? readable : readable.with("created_at", readable.get("enqueued_at"));
    }

    private static boolean isTime(Payload payload, String member) {
        return payload.time(member) != null && payload.text(member) == null;
    }

    /** A JSON object that can never run as a job: kept in the dead set with the reason. */
    public Outcome unusable(Payload stored, String queue, Throwable reason) {
        Payload payload = stored.text("queue") == null ? stored.with("queue", queue) : stored;
        payload = withError(payload, reason).with("failed_at", times.of(clock.instant()));
        return new FailedOutcome.Dead(payload.bytes(), true, reason, payload, null);
    }

    /** An interrupted job, as it goes back to its queue. */
    public Outcome interrupted(Payload stored) {
        Payload payload = Expiry.setAside(withoutNotes(stored, null));
        return new EarlyOutcome.Interrupted(payload.with("enqueued_at", times.of(clock.instant())), true);
    }

    /** A job that goes back to its queue without having begun. */
    public Outcome notBegun(Payload stored) {
        return new EarlyOutcome.Interrupted(stored.with("enqueued_at", times.of(clock.instant())), false);
    }

    /** A job that waits, as it goes to the scheduled set. */
    public Payload waiting(Payload stored, String queue) {
        return readable(stored, clock.instant()).without("enqueued_at").with("queue", queue);
    }

    /** @param failure null if the job goes back, or waits for something else */
    public Payload withoutNotes(Payload payload, @Nullable Throwable failure) {
        Payload without = payload;
        for (Note note : notes) {
            without = note.removed(without, failure);
        }
        return without;
    }

    private Outcome bury(Payload payload, Throwable failure, @Nullable String decidedBy) {
        if (Boolean.FALSE.equals(payload.get("dead"))) {
            return discard(payload, failure, decidedBy);
        }
        return new FailedOutcome.Dead(payload.bytes(), true, failure, payload, decidedBy);
    }

    private Outcome discard(Payload payload, Throwable failure, @Nullable String decidedBy) {
        return new FailedOutcome.Discarded(payload.with("discarded_at", times.of(clock.instant())), failure, decidedBy);
    }

    private boolean isExhausted(Payload payload, int count, Instant now) {
        Object window = payload.get("retry_for");
        if (window instanceof Number seconds) {
            Instant failedAt = payload.time("failed_at");
            Instant first = failedAt == null ? now : failedAt;
            long most = Math.max(0, Math.min(1_000_000_000L, seconds.longValue()));
            return first.isBefore(now.minusSeconds(most)); // no overflow: now is far from Instant.MIN
        }
        return count >= retries(payload.get("retry"));
    }

    /** As in Ruby, every value except a number, false and null means "the default". */
    private long retries(@Nullable Object retry) {
        if (retry instanceof Long number) {
            return number;
        }
        if (retry instanceof BigInteger number) {
            return number.signum() < 0 ? 0 : Long.MAX_VALUE;
        }
        return maxAttempts;
    }

    private @Nullable Decision ask(Payload stored, int count, Throwable failure) {
        for (RetryPolicy policy : hooks.all(RetryPolicy.class)) {
            try {
                Decision decision = policy.decide(stored, count, failure);
                if (decision != null) {
                    return decision;
                }
            } catch (Throwable e) {
                AnyFailure.passOutOfMemory(e);
                hooks.failed(e, "A retry policy failed and is ignored", stored);
            }
        }
        return null;
    }

    /** count⁴ + 15 seconds: 15, 16, 31, 96, 271 … about 20 days for 25 retries. */
    public static Duration defaultDelay(int count) {
        long capped = Math.min(count, 1_000);
        return Duration.ofSeconds(capped * capped * capped * capped + 15);
    }

    /** What is added at most to a delay that is not exact. */
    public static Duration longestJitter(int count) {
        return Duration.ofSeconds(10L * (count + 1L) - 1);
    }

    /** A whole number of seconds, so that jobs that fail together are not retried together. */
    private Duration jitter(int count) {
        return Duration.ofSeconds(random.nextLong(longestJitter(count).toSeconds() + 1));
    }

    /** Adds the error's message and class, as far as they can be stored. */
    public static Payload withError(Payload payload, Throwable failure) {
        return payload.with("error_message", FailureText.message(failure))
                .with("error_class", failure.getClass().getName());
    }

    private static Payload withBacktrace(Payload payload, Throwable failure) {
        Object wanted = payload.get("backtrace");
        if (wanted == null || Boolean.FALSE.equals(wanted)) {
            return payload;
        }
        long lines = wanted instanceof Long number ? Math.max(0, number) : Long.MAX_VALUE;
        return payload.with("error_backtrace", Backtrace.encode(FailureText.stack(failure, lines)));
    }
}
