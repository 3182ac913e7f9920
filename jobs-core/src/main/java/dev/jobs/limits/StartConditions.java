package dev.jobs.limits;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.redis.RedisKeys;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a job must meet to be run, as Redis is told it: it has not expired, neither it nor its batch is cancelled, and
 * no other job has replaced it. It is asked in the step that would take something scarce for the job, and again while
 * the job is parked.
 *
 * @param text all but the last one, as the scripts read it; parked jobs carry it
 * @param digest that of the lock whose next job replaces this one; null if none does, or if the job can't be told from
 *     others while it is parked
 */
@Internal
public record StartConditions(String text, @Nullable String digest) {

    /** Nothing keeps the job from being run. */
    public static final StartConditions NONE = new StartConditions("", null);

    /** What may stand among other words. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private static final long MOST_SECONDS = 99_999_999_999L;

    /**
     * @param cancelled whether a cancellation of the job itself ends it before it begins, as all but iterable ones
     * @param batch whose cancellation ends the job before it begins; null if there is none
     * @param digest that of the lock whose next job replaces this one; null if none does
     */
    public static StartConditions of(
            Payload payload, boolean cancelled, @Nullable String batch, @Nullable String digest) {
        StringBuilder text = new StringBuilder();
        if (batch != null) {
            text.append(" b").append(batch);
        }
        Instant expiry = Expiry.of(payload);
        if (expiry != null) {
            text.append(" e").append(micros(expiry));
        }
        String jid = payload.jid();
        if (jid == null || !PLAIN.matcher(jid).matches()) {
            return new StartConditions(text.toString(), null);
        }
        if (cancelled || digest != null) {
            text.append(cancelled ? " j" : " i").append(jid); // the last word tells replaceable jobs apart
        }
        return new StartConditions(text.toString(), digest);
    }

    /** The key with the times when jobs were cancelled, by jid. */
    public static byte[] cancelledJobs(RedisKeys keys) {
        return keys.key("jobs:cancelled");
    }

    /** The key with the ids of cancelled batches. */
    public static byte[] cancelledBatches(RedisKeys keys) {
        return keys.key("jobs:batches:cancelled");
    }

    /** The key with what is stored about the job that the next one with its lock may replace. */
    public static byte[] twin(RedisKeys keys, String digest) {
        return keys.key("jobs:twin:" + digest);
    }

    /** A time as scripts compare it: microseconds since 1970, at most some three thousand years of them. */
    public static long micros(Instant time) {
        long seconds = Math.max(0, Math.min(time.getEpochSecond(), MOST_SECONDS));
        return seconds * 1_000_000 + time.getNano() / 1_000;
    }

    /** Approximate size on the wire in bytes. */
    public int size() {
        return 8 + text.length() + (digest == null ? 0 : 32 + digest.length());
    }
}
