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
        What what, String token, int processed, int failed, String where, byte[] payload, List<Effect> effects) {

    private static final byte[] NOTHING = {};

    /** What stands around its parts. */
    private static final int FRAME_BYTES = 50;

    enum What {
        ACK,
        RETRY,
        DEAD,
        DROP,
        BACK,
        AGAIN
    }

    /** The set that the job goes to; null if it goes to the queue {@link #where}, or nowhere. */
    public @Nullable JobSet set() {
        return what == What.RETRY ? JobSet.RETRY : what == What.DEAD ? JobSet.DEAD : null;
    }

    /** Done. */
    public static Settlement ack(String token) {
        return of(What.ACK, token, 1, 0, "", NOTHING);
    }

    /** Failed and not to be kept. */
    public static Settlement drop(String token) {
        return of(What.DROP, token, 1, 1, "", NOTHING);
    }

    /** Failed: to the retry set, due after a delay by the server's clock. */
    public static Settlement retry(String token, Duration delay, byte[] payload) {
        return of(What.RETRY, token, 1, 1, seconds(delay), payload);
    }

    /** To the dead set. {@code executed} is false for what was no job at all, which counts nowhere. */
    public static Settlement dead(String token, byte[] payload, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(What.DEAD, token, counted, counted, "", payload);
    }

    /** Handed back as it was claimed, to be taken next. {@code executed} says whether it had been started. */
    public static Settlement back(String token, String queue, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(What.BACK, token, counted, counted, queue, NOTHING);
    }

    /** Interrupted itself: to the back of its queue. */
    public static Settlement again(String token, String queue, byte[] payload) {
        return of(What.AGAIN, token, 1, 1, queue, payload);
    }

    /** The same, with these effects besides. */
    public Settlement with(List<Effect> more) {
        return new Settlement(what, token, processed, failed, where, payload, List.copyOf(more));
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
        return what == What.ACK && effects.isEmpty();
    }

    private static Settlement of(What what, String token, int processed, int failed, String where, byte[] payload) {
        return new Settlement(what, token, processed, failed, where, payload, List.of());
    }

    private static String seconds(Duration delay) {
        return String.format(Locale.ROOT, "%d.%06d", delay.toSeconds(), delay.toNanosPart() / 1_000);
    }
}
