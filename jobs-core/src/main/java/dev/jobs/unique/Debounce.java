package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.redis.Bytes;
import dev.jobs.store.Check;
import dev.jobs.store.Effect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a payload says of a debounced job: while it is scheduled, the next job with its key takes its place.
 *
 * @param digest names the key
 * @param jid the job
 * @param pause how long a job waits after the last call, in milliseconds
 * @param atMost how long it waits at most from the first job that was replaced, in milliseconds
 */
@Internal
public record Debounce(String digest, String jid, long pause, long atMost) {

    /** The payload's member for the digest. */
    public static final String KEY = "debounce";

    /** The payload's member for the seconds to wait after the last call. */
    public static final String PAUSE = "debounce_pause";

    /** The payload's member for the seconds from the first job. */
    public static final String AT_MOST = "debounce_at_most";

    private static final double MOST_SECONDS = 1_000_000_000;

    /** What a payload says; null if it says nothing, or what no client of ours can have written. */
    public static @Nullable Debounce of(Payload payload) {
        if (!payload.has(KEY)) {
            return null;
        }
        String digest = payload.text(KEY);
        String jid = payload.jid();
        long pause = millis(payload.get(PAUSE));
        long atMost = millis(payload.get(AT_MOST));
        return digest == null || !JobLock.isDigest(digest) || jid == null || pause < 1 || atMost < pause
                ? null
                : new Debounce(digest, jid, pause, atMost);
    }

    private static long millis(@Nullable Object seconds) {
        double value = seconds instanceof Number number ? number.doubleValue() : 0;
        return value > 0 && value <= MOST_SECONDS ? (long) (value * 1_000) : 0;
    }

    /** Takes the place of the job before it, in the step that stores the job. */
    Check check(LockKeys keys) {
        return new Check(
                "debounce",
                List.of(keys.twin(digest), keys.keys().schedule()),
                List.of(Bytes.of(jid), Bytes.of(pause), Bytes.of(atMost), Bytes.of(atMost + JobLock.TWIN_MILLIS)));
    }

    /** Forgets the job once it is no longer scheduled. */
    List<Effect> effects(LockKeys keys) {
        return List.of(JobLock.twin(keys, digest, jid));
    }

    /** Keeps the twin of a job that gets other bytes while it is scheduled. */
    List<Effect> rewritten(LockKeys keys, byte[] payload) {
        return List.of(JobLock.rewritten(keys, digest, jid, payload));
    }
}
