package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.Bytes;
import dev.jobs.store.Check;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.Effect;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.time.Duration;
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
 * @param onConflict what becomes of the job if another one holds the lock; {@link OnConflict#SKIP} for an error, too
 */
@Internal
public record JobLock(String digest, String jid, Until until, long millis, OnConflict onConflict) {

    private static final Pattern DIGEST = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final double MOST_SECONDS = 1_000_000_000;

    /** How long a twin outlives its lock: as long as jobs in sets keep theirs. */
    static final long TWIN_MILLIS = Duration.ofDays(30).toMillis();

    /** Stands for the holder in what becomes of a rejected job. */
    private static final String HOLDER = "<holder>";

    /** The lock of a payload; null if the payload names none, or one that no client of ours can have written. */
    public static @Nullable JobLock of(Payload payload) {
        if (!payload.has(UniqueRule.LOCK)) {
            return null;
        }
        String digest = payload.text(UniqueRule.LOCK);
        String jid = payload.jid();
        Until until = until(payload.get(UniqueRule.UNTIL));
        OnConflict onConflict = onConflict(payload.get(UniqueRule.CONFLICT));
        double seconds = payload.get(UniqueRule.FOR) instanceof Number number ? number.doubleValue() : 0;
        return digest == null
                        || !isDigest(digest)
                        || jid == null
                        || until == null
                        || onConflict == null
                        || onConflict == (until == Until.EXPIRY ? OnConflict.REPLACE : OnConflict.LATER)
                        || !(seconds >= 0.001 && seconds <= MOST_SECONDS)
                ? null
                : new JobLock(digest, jid, until, (long) (seconds * 1_000), onConflict);
    }

    static boolean isDigest(String text) {
        return DIGEST.matcher(text).matches();
    }

    private static @Nullable OnConflict onConflict(@Nullable Object text) {
        for (OnConflict each : OnConflict.values()) {
            if (textOf(each).equals(text)) {
                return each;
            }
        }
        return text == null ? OnConflict.SKIP : null;
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
    static String textOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Takes the lock in the step that stores the job. If another job holds it, the job is refused, or stored elsewhere,
     * as {@link JobLocks} says.
     *
     * @param due when the job goes to its queue, in epoch seconds
     * @param dead the bounds of the set where a rejected job goes
     */
    Check check(LockKeys keys, Payload payload, double due, Instant now, DeadSetBounds dead) {
        long delay = (long) Math.max(0, due * 1_000 - now.toEpochMilli());
        byte[] lock = keys.lock(digest);
        byte[] id = Bytes.of(jid);
        byte[] time = Bytes.of(delay + millis);
        return switch (onConflict) {
            case SKIP, ERROR -> new Check("lock", lock, List.of(id, time));
            case REPLACE ->
                new Check(
                        "replace",
                        List.of(lock, keys.twin(digest), keys.keys().schedule()),
                        List.of(id, time, Bytes.of(delay + millis + TWIN_MILLIS)));
            case REJECT -> {
                String rejected = new String(rejected(payload, due, now), UTF_8);
                int at = rejected.lastIndexOf(HOLDER);
                yield new Check(
                        "reject",
                        List.of(lock, keys.keys().dead()),
                        List.of(
                                id,
                                time,
                                Bytes.of(dead.maxJobs()),
                                Bytes.of(dead.retention().toSeconds()),
                                Bytes.of(rejected.substring(0, at)),
                                Bytes.of(rejected.substring(at + HOLDER.length()))));
            }
            case LATER -> {
                double latest = now.toEpochMilli() / 1_000.0 + millis / 1_000.0;
                Payload later = Expiry.set(payload, latest).without("at").without("enqueued_at");
                yield new Check(
                        "later",
                        List.of(lock, keys.twin(digest), keys.keys().schedule()),
                        List.of(id, time, Bytes.of(millis), Bytes.of(TWIN_MILLIS), later.bytes()));
            }
        };
    }

    /** The job as the dead set keeps it; the message is its last member. */
    private static byte[] rejected(Payload payload, double due, Instant now) {
        PayloadTimes times =
                payload.get("created_at") instanceof Long ? PayloadTimes.MILLISECONDS : PayloadTimes.FLOAT_SECONDS;
        return Expiry.set(payload, Math.max(due, now.toEpochMilli() / 1_000.0))
                .without("at")
                .without("error_message")
                .with("enqueued_at", times.of(now))
                .with("failed_at", times.of(now))
                .with("error_class", DuplicateJobException.class.getName())
                .with("error_message", "Job " + HOLDER + " held the lock of its key, so it was not run")
                .bytes();
    }

    /** Whether the job may be replaced until it begins. */
    public boolean isReplaceable() {
        return onConflict == OnConflict.REPLACE;
    }

    /** Releases or keeps the lock, and what else is stored about the job, in the step in which it ends or moves. */
    List<Effect> effects(LockKeys keys) {
        byte[] lock = keys.lock(digest);
        if (onConflict == OnConflict.LATER) {
            return List.of(twin(keys, digest, jid));
        }
        if (until == Until.EXPIRY) {
            return List.of();
        }
        List<byte[]> arguments = List.of(Bytes.of(jid), Bytes.of(until == Until.START ? 0 : millis));
        return List.of(
                isReplaceable()
                        ? new Effect("replaceable", List.of(lock, keys.twin(digest)), "", arguments)
                        : new Effect("lock", lock, "", arguments));
    }

    /** Takes the lock, if nobody holds it, in the step in which the job comes to a queue or a set. */
    Effect taking(LockKeys keys) {
        return new Effect("lock", keys.lock(digest), "", List.of(Bytes.of(jid), Bytes.of(millis)));
    }

    /** Keeps the twin of a scheduled job that gets other bytes. */
    List<Effect> rewritten(LockKeys keys, byte[] payload) {
        return onConflict == OnConflict.LATER || onConflict == OnConflict.REPLACE
                ? List.of(rewritten(keys, digest, jid, payload))
                : List.of();
    }

    /** Keeps the twin of a scheduled job that gets other bytes. */
    static Effect rewritten(LockKeys keys, String digest, String jid, byte[] payload) {
        return new Effect("rewritten", keys.twin(digest), "set", List.of(Bytes.of(jid), payload));
    }

    /** Forgets the twin of a job that is no longer scheduled. */
    static Effect twin(LockKeys keys, String digest, String jid) {
        return new Effect("twin", keys.twin(digest), "", List.of(Bytes.of(jid)));
    }
}
