package dev.jobs.encryption;

import dev.jobs.Payload;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys that encrypt arguments, by their ids: those of {@code jobs.encryption}, or a bean of the application, which
 * may have one for each tenant or ask a key management. Keys are for AES, of 256 bits. Called for each encrypted job, by
 * many threads: what is remote has to be cached. What it throws reaches the caller who enqueues; a job that runs fails.
 */
public interface EncryptionKeys {

    /**
     * The id of the key for a new job.
     *
     * @param job as it is enqueued, with its arguments in plain text
     * @return 1 to 512 letters, digits and the characters {@code . _ : / + = -}; stored with the job and shown to
     *     everybody
     */
    String active(Payload job);

    /**
     * A key. Jobs may wait for weeks in the retry set and for months in the dead set, and need theirs until then.
     *
     * @return null if there is none of this id; the job then fails, and is retried by its rules
     */
    @Nullable SecretKey find(String id);

    /**
     * The key for digests of arguments, by which unique jobs are told apart. It must not change: jobs enqueued before
     * and after a change would not be duplicates.
     *
     * @return null if there is none; unique jobs can't be encrypted then
     */
    default @Nullable SecretKey digestKey() {
        return null;
    }

    /**
     * Fixed keys.
     *
     * @param active the id of the one for new jobs; null if there are none but that for digests
     * @param keys 32 bytes for each id
     * @param digestKey at least 16 bytes, or null if there is none
     * @throws IllegalArgumentException if a key is of another length, or the active one is missing
     */
    static EncryptionKeys of(@Nullable String active, Map<String, byte[]> keys, byte @Nullable [] digestKey) {
        return new FixedKeys(active, keys, digestKey);
    }

    /** A key of 32 bytes. */
    static SecretKey aes(byte[] key) {
        if (key.length != AesGcm.KEY_BYTES) {
            throw new IllegalArgumentException("A key must have 32 bytes but had " + key.length);
        }
        return new SecretKeySpec(key, "AES");
    }
}
