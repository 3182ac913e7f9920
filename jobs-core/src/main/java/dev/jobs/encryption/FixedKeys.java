package dev.jobs.encryption;

import dev.jobs.InvalidJobException;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Keys that are known at start. Immutable. */
final class FixedKeys implements EncryptionKeys {

    private static final int LEAST_DIGEST_BYTES = 16;

    private final @Nullable String active;
    private final Map<String, SecretKey> keys = new HashMap<>();
    private final @Nullable SecretKey digestKey;

    FixedKeys(@Nullable String active, Map<String, byte[]> keys, byte @Nullable [] digestKey) {
        this.active = active;
        keys.forEach((id, key) -> this.keys.put(id, EncryptionKeys.aes(key)));
        if (active == null ? !keys.isEmpty() : !keys.containsKey(active)) {
            throw new IllegalArgumentException("There is no key of the id '" + active + "', which is the active one");
        }
        if (digestKey != null && digestKey.length < LEAST_DIGEST_BYTES) {
            throw new IllegalArgumentException(
                    "The key for digests must have 16 bytes or more but had " + digestKey.length);
        }
        this.digestKey = digestKey == null ? null : new SecretKeySpec(digestKey, JobEncryption.HMAC);
    }

    @Override
    public String active(Payload job) {
        if (active == null) {
            throw new InvalidJobException("Could not enqueue job " + OneLine.of(job.name())
                    + ": its arguments are to be encrypted, and there is no key but that for digests; set"
                    + " jobs.encryption.keys");
        }
        return active;
    }

    /** Whether there is none but that for digests. */
    boolean isEmpty() {
        return active == null;
    }

    @Override
    public @Nullable SecretKey find(String id) {
        return keys.get(id);
    }

    @Override
    public @Nullable SecretKey digestKey() {
        return digestKey;
    }
}
