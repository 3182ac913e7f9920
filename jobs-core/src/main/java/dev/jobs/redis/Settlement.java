package dev.jobs.redis;

import dev.jobs.redis.JobSets.JobSet;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a claimed job. It has its effect only while the job is still the claimer's.
 *
 * @param processed what it adds to {@code stat:processed}
 * @param failed what it adds to {@code stat:failed}
 * @param where seconds for a retry, the name of the queue for back and again, else empty
 * @param payload what to store; empty where the claimed bytes are kept or nothing is
 * @param effects what else happens in the same step
 */
public record Settlement(
        Outcome outcome, String token, int processed, int failed, String where, byte[] payload, List<Effect> effects) {

    private static final byte[] NOTHING = {};

    /** What stands around its parts. */
    private static final int FRAME_BYTES = 50;

    /** What the settlement says of the job: the name of the outcome in Java, Lua and the metrics. */
    enum Outcome {
        DONE,
        RETRIED,
        DEAD,
        DISCARDED,
        HANDED_BACK,
        INTERRUPTED
    }

    /** The set that the job goes to; null if it goes to the queue {@link #where}, or nowhere. */
    public @Nullable JobSet set() {
        return outcome == Outcome.RETRIED ? JobSet.RETRY : outcome == Outcome.DEAD ? JobSet.DEAD : null;
    }

    /** Done. */
    public static Settlement done(String token) {
        return of(Outcome.DONE, token, 1, 0, "", NOTHING);
    }

    /** Failed and not to be kept. */
    public static Settlement discarded(String token) {
        return of(Outcome.DISCARDED, token, 1, 1, "", NOTHING);
    }

    /** Failed: to the retry set, due after a delay by the server's clock. */
    public static Settlement retried(String token, Duration delay, byte[] payload) {
        return of(Outcome.RETRIED, token, 1, 1, seconds(delay), payload);
    }

    /** To the dead set. {@code executed} is false for what was no job at all, which counts nowhere. */
    public static Settlement dead(String token, byte[] payload, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(Outcome.DEAD, token, counted, counted, "", payload);
    }

    /** Handed back as it was claimed, to be taken next. {@code executed} says whether it had been started. */
    public static Settlement handedBack(String token, String queue, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(Outcome.HANDED_BACK, token, counted, counted, queue, NOTHING);
    }

    /** Interrupted itself: to the back of its queue. */
    public static Settlement interrupted(String token, String queue, byte[] payload) {
        return of(Outcome.INTERRUPTED, token, 1, 1, queue, payload);
    }

    /** The same, with these effects besides. */
    public Settlement with(List<Effect> more) {
        return new Settlement(outcome, token, processed, failed, where, payload, List.copyOf(more));
    }

    /** About how many bytes it has on the way. */
    public int size() {
        int size = FRAME_BYTES + token.length() + where.length() + payload.length;
        for (Effect effect : effects) {
            size += effect.size();
        }
        return size;
    }

    /** Whether it says that the job is done and nothing else, as nearly all do: those share one command. */
    public boolean isPlainAck() {
        return outcome == Outcome.DONE && effects.isEmpty();
    }

    private static Settlement of(
            Outcome outcome, String token, int processed, int failed, String where, byte[] payload) {
        return new Settlement(outcome, token, processed, failed, where, payload, List.of());
    }

    private static String seconds(Duration delay) {
        return String.format(Locale.ROOT, "%d.%06d", delay.toSeconds(), delay.toNanosPart() / 1_000);
    }
}
