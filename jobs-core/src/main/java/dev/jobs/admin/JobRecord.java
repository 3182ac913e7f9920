package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentMasking;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job where it was found, in a queue or a set. What stands there may be no job at all: then there is no {@link #payload()}, and every
 * question about it is answered with null, nothing or {@link #text}. Immutable.
 *
 * <p>Its identity are its exact stored bytes, which all actions ask for.
 */
public final class JobRecord {

    private final byte[] stored;
    private final @Nullable Payload payload;
    private final @Nullable JobSet set;
    private final @Nullable String foundIn;
    private final double score;

    private JobRecord(byte[] stored, @Nullable JobSet set, @Nullable String foundIn, double score) {
        this.stored = stored;
        this.payload = parse(stored);
        this.set = set;
        this.foundIn = foundIn;
        this.score = score;
    }

    static JobRecord inSet(JobSet set, byte[] stored, double score) {
        return new JobRecord(stored, set, null, score);
    }

    static JobRecord inQueue(String queue, byte[] stored) {
        return new JobRecord(stored, null, queue, Double.NaN);
    }

    private static @Nullable Payload parse(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** The SHA-1 of the stored bytes in 40 hex digits: a short name for exactly this job. */
    public String digest() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(stored));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The bytes as they are stored, in an array of the caller's own. */
    public byte[] bytes() {
        return stored.clone();
    }

    /** How many bytes are stored. */
    public int size() {
        return stored.length;
    }

    /** The stored bytes as text, what is no UTF-8 replaced, cut after so many bytes. */
    public String text(int maxBytes) {
        return new String(stored, 0, Math.min(Math.max(0, maxBytes), stored.length), UTF_8);
    }

    /** The job, or null if the stored bytes are no JSON object. */
    public @Nullable Payload payload() {
        return payload;
    }

    /** The set that it was found in, or null if it was found in a queue. */
    public @Nullable JobSet set() {
        return set;
    }

    /** The queue that it was found in, or else the one it names; null if there is none. */
    public @Nullable String queue() {
        return foundIn != null ? foundIn : text("queue");
    }

    /** In a set: epoch seconds at which it is due or at which it died, any number but NaN. In a queue: NaN. */
    public double score() {
        return score;
    }

    /** The score as a time; null in a queue, and for a score that no calendar has, such as infinity, which means never. */
    public @Nullable Instant at() {
        return Lenient.time(score);
    }

    /** The job's id. */
    public @Nullable String jid() {
        return text("jid");
    }

    /** What people call the job; for what frameworks wrapped, the name of what is inside. */
    public @Nullable String name() {
        return payload == null ? null : DisplayName.of(payload);
    }

    /** The same without arguments that are hidden, one of which may be all that names what a framework wrapped. */
    public @Nullable String name(ArgumentMasking masking) {
        return payload == null ? null : DisplayName.of(payload, masking);
    }

    public @Nullable Instant createdAt() {
        return time("created_at");
    }

    public @Nullable Instant enqueuedAt() {
        return time("enqueued_at");
    }

    /** When it failed for the first time. */
    public @Nullable Instant failedAt() {
        return time("failed_at");
    }

    /** When its latest retry failed. */
    public @Nullable Instant retriedAt() {
        return time("retried_at");
    }

    /** How often it was retried: 0 after the first failure, null before. */
    public @Nullable Long retryCount() {
        return payload == null ? null : payload.integer("retry_count");
    }

    /** What it failed with last. */
    public @Nullable String errorClass() {
        return text("error_class");
    }

    /** What it failed with last. */
    public @Nullable String errorMessage() {
        return text("error_message");
    }

    /** Its labels; what is no text among them is left out. */
    public List<String> tags() {
        return payload == null ? List.of() : Lenient.texts(payload.get("tags"));
    }

    /** Whether the stored bytes contain a text, as {@link JobsAdmin#scan} looks for it; case counts. */
    public boolean contains(String text) {
        byte[] wanted = text.getBytes(UTF_8);
        for (int at = 0; at <= stored.length - wanted.length; at++) {
            if (Arrays.equals(stored, at, at + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
        }
        return false;
    }

    /** The stored bytes themselves, not to be changed. */
    byte[] stored() {
        return stored;
    }

    private @Nullable String text(String member) {
        return payload == null ? null : payload.text(member);
    }

    private @Nullable Instant time(String member) {
        return payload == null ? null : payload.time(member);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobRecord record
                && Arrays.equals(stored, record.stored)
                && set == record.set
                && Objects.equals(foundIn, record.foundIn)
                && Double.compare(score, record.score) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(stored) + Double.hashCode(score);
    }

    /** The id, the name and the place only: arguments may be confidential. */
    @Override
    public String toString() {
        return "JobRecord[" + (payload == null ? size() + " bytes that are no job" : payload) + " in "
                + (set != null ? set.label() : "queue " + foundIn) + "]";
    }
}
