package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.codec.RubyTime;
import dev.jobs.redis.Bytes;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job as found in a queue or set. The stored bytes may not be a job at all: then {@link #payload()} and everything
 * that is read from it is null or empty, but {@link #text} still shows them. Immutable.
 *
 * <p>The exact stored bytes identify it; all actions require them.
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

    @Internal
    public static JobRecord inSet(JobSet set, byte[] stored, double score) {
        return new JobRecord(stored, set, null, score);
    }

    @Internal
    public static JobRecord inQueue(String queue, byte[] stored) {
        return new JobRecord(stored, null, queue, Double.NaN);
    }

    /** A job that is not in a queue yet, or no longer. */
    @Internal
    public static JobRecord enqueueable(byte[] stored) {
        return new JobRecord(stored, null, null, Double.NaN);
    }

    private static @Nullable Payload parse(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** The SHA-1 of the stored bytes in 40 hexadecimal digits: a short name for exactly this job. */
    public String digest() {
        return Bytes.sha1(stored);
    }

    /** A copy of the stored bytes. */
    public byte[] bytes() {
        return stored.clone();
    }

    /** The number of stored bytes. */
    public int size() {
        return stored.length;
    }

    /** The stored bytes as text, cut after {@code maxBytes}; invalid UTF-8 is replaced. */
    public String text(int maxBytes) {
        return new String(stored, 0, Math.min(Math.max(0, maxBytes), stored.length), UTF_8);
    }

    /** The job, or null if the stored bytes are not a JSON object. */
    public @Nullable Payload payload() {
        return payload;
    }

    /** The set in which it was found, or null if it was found in a queue. */
    public @Nullable JobSet set() {
        return set;
    }

    /** The queue in which it was found, or else the queue it names; null if there is none. */
    public @Nullable String queue() {
        return foundIn != null ? foundIn : text("queue");
    }

    /** In a set: when it is due or when it died, in epoch seconds; any number but NaN. In a queue: NaN. */
    public double score() {
        return score;
    }

    /** The score as a time; null in a queue, and for a score that is no date, such as infinity, which means never. */
    public @Nullable Instant at() {
        return RubyTime.ofSeconds(score);
    }

    /** The job's id. */
    public @Nullable String jid() {
        return text("jid");
    }

    /** The name of the job for people; of a job that a framework wrapped, the name of the wrapped job. */
    public @Nullable String name() {
        return payload == null ? null : DisplayName.of(payload);
    }

    /** The same without hidden arguments: the name of a wrapped job may be found only in an argument. */
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

    /** The class of its last failure. */
    public @Nullable String errorClass() {
        return text("error_class");
    }

    /** The message of its last failure. */
    public @Nullable String errorMessage() {
        return text("error_message");
    }

    /** Its failed attempts as far as its payload remembers them, oldest first; messages as its workers masked them. */
    public List<PastAttempt> pastAttempts() {
        return payload == null ? List.of() : PastAttempt.of(payload);
    }

    /** Its tags; those that are not texts are omitted. */
    public List<String> tags() {
        return payload == null ? List.of() : LenientValues.texts(payload.get("tags"));
    }

    /** Whether the stored bytes contain a text; case-sensitive, and no character has a special meaning. */
    public boolean contains(String text) {
        byte[] wanted = text.getBytes(UTF_8);
        for (int at = 0; at <= stored.length - wanted.length; at++) {
            if (Arrays.equals(stored, at, at + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
        }
        return false;
    }

    /** The stored bytes themselves, which must not be changed. */
    @Internal
    public byte[] stored() {
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

    /** Only the id, the name and the place: arguments may be confidential. */
    @Override
    public String toString() {
        return "JobRecord[" + (payload == null ? size() + " bytes that are no job" : payload) + " in "
                + (set != null ? set.label() : "queue " + foundIn) + "]";
    }
}
