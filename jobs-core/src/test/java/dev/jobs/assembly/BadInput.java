package dev.jobs.assembly;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.InvalidPayloadException;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.versions.ForeignJobs;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry that a foreign producer put where jobs are expected.
 *
 * @param number its index among the inputs of its seed
 * @param kind how it was made
 * @param key where it is put: a queue's list, {@code schedule} or {@code retry}
 * @param score under which it is put into a set
 * @param mustRun whether it is odd but right, so that its job has to run to its end
 */
record BadInput(int number, String kind, String key, double score, byte[] bytes, boolean mustRun) {

    private static final int MOST_SHOWN = 400;

    /** Scores from this one on are never due; those below have been due for long. */
    static final double NEVER = 1e11;

    /** What the engine writes; all other members are the producer's own and have to survive. */
    private static final List<String> ENGINES_OWN = List.of(
            "queue",
            "retry",
            "created_at",
            "enqueued_at",
            "at",
            "error_message",
            "error_class",
            "error_backtrace",
            "failed_at",
            "retried_at",
            "retry_count",
            PastAttempt.MEMBER,
            ForeignJobs.SINCE);

    /** An id that a failed job without one gets, an empty one, or a number that has become text. */
    private static final Pattern FILLED_IN = Pattern.compile("[0-9a-f]{24}|-?\\d*");

    boolean inSet() {
        return key.equals("schedule") || key.equals("retry");
    }

    /** Whether the input has to stay where it is. */
    boolean neverDue() {
        return inSet() && score >= NEVER;
    }

    /** The input as a payload, or null if it is none. */
    @Nullable Payload payload() {
        return payload(bytes);
    }

    private static @Nullable Payload payload(byte[] bytes) {
        try {
            return Payload.parse(bytes);
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** What stays the same on all paths through the engine, so that an input is recognised wherever it ends up. */
    static String essence(byte[] bytes) {
        Payload payload = payload(bytes);
        if (payload == null) {
            return new String(bytes, ISO_8859_1);
        }
        payload = payload.with("queue", ""); // the first edit tidies up, whatever is edited
        for (String name : ENGINES_OWN) {
            payload = payload.without(name);
        }
        // what the engine may have filled in
        String jid = payload.text("jid");
        if (jid == null || FILLED_IN.matcher(jid).matches()) {
            payload = payload.without("jid");
        }
        if (payload.hasArgsArray() && payload.args().isEmpty()) {
            payload = payload.without("args");
        }
        return new String(payload.bytes(), ISO_8859_1);
    }

    @Override
    public String toString() {
        return "input " + number + " (" + kind + ", " + bytes.length + " bytes) in " + key
                + (inSet() ? " at " + score : "") + ": " + shown(bytes);
    }

    /** The bytes as ASCII without control characters, cut. */
    static String shown(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            if (text.length() > MOST_SHOWN) {
                return text.append(" …").toString();
            }
            if (b >= ' ' && b < 0x7f) {
                text.append((char) b);
            } else {
                text.append(String.format("\\x%02x", b));
            }
        }
        return text.toString();
    }
}
