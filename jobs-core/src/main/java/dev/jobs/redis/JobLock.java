package dev.jobs.redis;

import dev.jobs.Payload;
import dev.jobs.Unique.Until;
import dev.jobs.UniqueRule;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a unique job, as its payload names it.
 *
 * @param digest names the lock
 * @param jid the job
 * @param millis how long the lock lasts at most
 */
public record JobLock(String digest, String jid, Until until, long millis) {

    private static final Pattern DIGEST = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final double MOST_SECONDS = 1_000_000_000;

    /** The lock of a payload; null if the payload names none, or one that no client of ours can have written. */
    public static @Nullable JobLock of(Payload payload) {
        if (!payload.has(UniqueRule.LOCK)) {
            return null;
        }
        String digest = payload.text(UniqueRule.LOCK);
        String jid = payload.jid();
        Until until = until(payload.get(UniqueRule.UNTIL));
        double seconds = payload.get(UniqueRule.FOR) instanceof Number number ? number.doubleValue() : 0;
        return digest == null
                        || !DIGEST.matcher(digest).matches()
                        || jid == null
                        || until == null
                        || !(seconds >= 0.001 && seconds <= MOST_SECONDS)
                ? null
                : new JobLock(digest, jid, until, (long) (seconds * 1_000));
    }

    private static @Nullable Until until(@Nullable Object text) {
        for (Until each : Until.values()) {
            if (textOf(each).equals(text)) {
                return each;
            }
        }
        return null;
    }

    /** How payloads write it. */
    public static String textOf(Until until) {
        return until.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Takes the lock in the step that stores the job; if another job holds it, the job is refused as
     * {@code locked:JID}.
     *
     * @param due when the job goes to its queue, in epoch seconds
     */
    Check check(RedisKeys keys, double due, Instant now) {
        long delay = (long) Math.max(0, due * 1_000 - now.toEpochMilli());
        return new Check("lock", keys.lock(digest), List.of(Bytes.of(jid), Bytes.of(delay + millis)));
    }

    /** Releases or keeps the lock in the step in which the job ends or moves. */
    List<Effect> effects(RedisKeys keys) {
        if (until == Until.EXPIRY) {
            return List.of();
        }
        long renewal = until == Until.START ? 0 : millis;
        return List.of(new Effect("lock", keys.lock(digest), "", List.of(Bytes.of(jid), Bytes.of(renewal))));
    }
}
