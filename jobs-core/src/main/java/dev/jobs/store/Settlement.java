package dev.jobs.store;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Ends the claim of a job with an outcome. It takes effect only while the job still belongs to the process that claimed
 * it.
 *
 * @param processed the increment of {@code stat:processed}
 * @param failed the increment of {@code stat:failed}
 * @param where the delay in seconds if it is retried or postponed, the name of the queue if it is handed back or
 *     interrupted, else empty
 * @param payload the bytes to store; empty if the claimed bytes are kept or nothing is stored
 * @param effects what else changes in the same step
 */
@Internal
public record Settlement(
        Kind kind, String token, int processed, int failed, String where, byte[] payload, List<Effect> effects) {

    private static final byte[] NOTHING = {};

    /** Approximate bytes around its parts on the wire. */
    private static final int FRAME_BYTES = 50;

    /** What becomes of the job; Lua, metrics and docs call it the outcome and use the same names. */
    public enum Kind {
        DONE,
        RETRIED,
        DEAD,
        DISCARDED,
        FAILED,
        SKIPPED,
        HANDED_BACK,
        INTERRUPTED,
        POSTPONED
    }

    /** Done. */
    public static Settlement done(String token) {
        return of(Kind.DONE, token, 1, 0, "", NOTHING);
    }

    /** Failed and kept nowhere. */
    public static Settlement discarded(String token) {
        return of(Kind.DISCARDED, token, 1, 1, "", NOTHING);
    }

    /** Failed for a reason of the business, which a retry doesn't change: kept nowhere. */
    public static Settlement failed(String token) {
        return of(Kind.FAILED, token, 1, 1, "", NOTHING);
    }

    /** Not run, since its batch is cancelled: kept nowhere. */
    public static Settlement skipped(String token) {
        return of(Kind.SKIPPED, token, 0, 0, "", NOTHING);
    }

    /** Failed: to the retry set, due after a delay by the server's clock. */
    public static Settlement retried(String token, Duration delay, byte[] payload) {
        return of(Kind.RETRIED, token, 1, 1, seconds(delay), payload);
    }

    /** To the dead set. {@code executed} is false for an entry that was not a job, which is not counted. */
    public static Settlement dead(String token, byte[] payload, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(Kind.DEAD, token, counted, counted, "", payload);
    }

    /**
     * Back to the front of its queue, as it was claimed unless it gets other bytes.
     *
     * @param executed whether it had been started
     */
    public static Settlement handedBack(String token, String queue, boolean executed) {
        int counted = executed ? 1 : 0;
        return of(Kind.HANDED_BACK, token, counted, counted, queue, NOTHING);
    }

    /** It interrupted itself: to the back of its queue. */
    public static Settlement interrupted(String token, String queue, byte[] payload) {
        return of(Kind.INTERRUPTED, token, 1, 1, queue, payload);
    }

    /** The same of a job that has not begun. */
    public static Settlement notBegun(String token, String queue, byte[] payload) {
        return of(Kind.INTERRUPTED, token, 0, 0, queue, payload);
    }

    /** Not run, since this worker can't: to the scheduled set, due after a delay by the server's clock. */
    public static Settlement postponed(String token, Duration delay, byte[] payload) {
        return of(Kind.POSTPONED, token, 0, 0, seconds(delay), payload);
    }

    /** Over a limit: to the scheduled set, as if postponed, but it has run. */
    public static Settlement overLimit(String token, Duration delay, byte[] payload) {
        return of(Kind.POSTPONED, token, 1, 0, seconds(delay), payload);
    }

    /** The same settlement of a job that moves with these bytes. */
    public Settlement with(byte[] stored) {
        return new Settlement(kind, token, processed, failed, where, stored, effects);
    }

    /** The same settlement with these effects. */
    public Settlement with(List<Effect> more) {
        return new Settlement(kind, token, processed, failed, where, payload, List.copyOf(more));
    }

    /** Approximate size on the wire in bytes. */
    public int size() {
        return FRAME_BYTES + token.length() + where.length() + payload.length + Effect.size(effects);
    }

    /** Whether the job is done without effects, as nearly all are: such settlements share one command. */
    public boolean isPlainAck() {
        return kind == Kind.DONE && effects.isEmpty();
    }

    /**
     * Whether the job is done with a brief effect only, on the same keys as the other one: hundreds of such settlements
     * are a small step.
     */
    public boolean isBriefAckLike(Settlement other) {
        return kind == Kind.DONE
                && effects.size() == 1
                && other.effects.size() == 1
                && effects.get(0).isBrief()
                && effects.get(0).keys() == other.effects.get(0).keys();
    }

    /** Whether it is more than an ack: the job moves, or is kept nowhere although it is not done. */
    boolean isMove() {
        return kind != Kind.DONE;
    }

    /** Whether the job goes back to a queue, which is {@link #where}. */
    boolean goesToQueue() {
        return kind == Kind.HANDED_BACK || kind == Kind.INTERRUPTED;
    }

    /** Whether nothing is left of the job. */
    public boolean isLast() {
        return switch (kind) {
            case DONE, DISCARDED, FAILED, SKIPPED -> true;
            case RETRIED, DEAD, HANDED_BACK, INTERRUPTED, POSTPONED -> false;
        };
    }

    private static Settlement of(Kind kind, String token, int processed, int failed, String where, byte[] payload) {
        return new Settlement(kind, token, processed, failed, where, payload, List.of());
    }

    private static String seconds(Duration delay) {
        return String.format(Locale.ROOT, "%d.%06d", delay.toSeconds(), delay.toNanosPart() / 1_000);
    }
}
