package dev.jobs;

import dev.jobs.codec.RubyTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a job expires, in the payload's members that Sidekiq Pro uses: {@code expires_in}, the seconds from the due
 * time, and {@code expiry}, the time in seconds since 1970, which is written when the job is stored.
 */
public final class Expiry {

    /** The payload's member for the seconds from the due time. */
    public static final String AFTER = "expires_in";

    /** The longest {@value #AFTER}. */
    private static final long MOST_SECONDS = 1_000_000_000;

    private static final String AT = "expiry";

    /** Where the time is kept while it doesn't count, since a worker has begun the job in time. */
    private static final String ASIDE = "jobs_expiry";

    private Expiry() {}

    /**
     * The seconds to store for a duration.
     *
     * @throws InvalidJobException if it is not at least a millisecond and at most 1,000,000,000 seconds
     */
    public static Number seconds(Duration duration) {
        return seconds("expiresIn", duration);
    }

    /** The same for another option, which the message names. */
    public static Number seconds(String what, Duration duration) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(Duration.ofSeconds(MOST_SECONDS)) > 0) {
            throw new InvalidJobException("'" + what + "' must be 1 ms to 1,000,000,000 s but was " + duration);
        }
        return duration.getNano() == 0 ? (Number) duration.toSeconds() : duration.toMillis() / 1000.0;
    }

    /** Whether a value is missing or a number of seconds in the range. */
    public static boolean isValid(@Nullable Object after) {
        return after == null
                || after instanceof Number number && number.doubleValue() > 0 && number.doubleValue() <= MOST_SECONDS;
    }

    /**
     * The payload with the time at which it expires, if it has an {@value #AFTER} and no such time yet.
     *
     * @param due in seconds since 1970
     */
    public static Payload set(Payload payload, double due) {
        return payload.has(AFTER) && !payload.has(AT) && payload.get(AFTER) instanceof Number seconds
                ? payload.with(AT, due + seconds.doubleValue())
                : payload;
    }

    /**
     * The payload of a job that becomes due at another time than was thought when it was stored: its time to expire, if
     * it has one, is counted anew, also while it doesn't count. One that nobody counted, as there is no {@value #AFTER},
     * stays.
     *
     * @param due in seconds since 1970
     */
    public static Payload anew(Payload payload, double due) {
        String member = member(payload);
        return member != null && payload.get(AFTER) instanceof Number seconds && isValid(seconds)
                ? payload.with(member, due + seconds.doubleValue())
                : payload;
    }

    /**
     * The same if a person wants the job to run at that time: a time to expire that nobody counted is dropped unless it
     * is later, since the job could never run.
     */
    public static Payload anewForRun(Payload payload, double due) {
        Payload next = anew(payload, due);
        String member = member(next);
        return member != null && next.get(member) instanceof Number at && at.doubleValue() <= due
                ? next.without(member)
                : next;
    }

    /** The member that has the time to expire, if any has. */
    private static @Nullable String member(Payload payload) {
        if (of(payload) != null) {
            return AT;
        }
        return !payload.has(AT) && payload.get(ASIDE) instanceof Number ? ASIDE : null;
    }

    /** The payload of a job that a worker has begun in time: it goes on after its time to expire. */
    public static Payload setAside(Payload payload) {
        return of(payload) == null
                ? payload
                : payload.with(ASIDE, payload.get(AT)).without(AT);
    }

    /** The payload of a job that has failed: a retry counts from the same time as the first execution. */
    public static Payload restored(Payload payload) {
        if (!payload.has(ASIDE)) {
            return payload;
        }
        Object at = payload.get(ASIDE);
        Payload next = payload.without(ASIDE);
        return at instanceof Number && !payload.has(AT) ? next.with(AT, at) : next;
    }

    /** When a payload expires; null if never, or if another program wrote something else than a time. */
    public static @Nullable Instant of(Payload payload) {
        return payload.has(AT) && payload.get(AT) instanceof Number seconds
                ? RubyTime.ofSeconds(seconds.doubleValue())
                : null;
    }
}
