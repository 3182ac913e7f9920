package dev.jobs.spring.autoconfigure.encryption;

import dev.jobs.Internal;
import dev.jobs.encryption.EncryptionKeys;
import dev.jobs.encryption.JobEncryption;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Encryption of arguments.
 *
 * @param active Id of the key that encrypts new jobs. May be left out if there is one key.
 * @param keys Keys by id: 32 bytes in Base64. All of them decrypt, so a former key stays until no job needs it. A bean of
 *     type EncryptionKeys has precedence.
 * @param digestKey Key for digests by which unique jobs with masked or encrypted arguments are told apart: 16 bytes or
 *     more in Base64. The same in every application that enqueues such jobs, and never changed.
 */
@Internal
public record EncryptionProperties(
        @Nullable String active,
        @DefaultValue Map<String, String> keys,
        @Nullable String digestKey) {

    private static final int KEY_BYTES = 32;
    private static final int LEAST_DIGEST_BYTES = 16;

    public EncryptionProperties {
        active = active == null || active.isEmpty() ? null : active;
        digestKey = digestKey == null || digestKey.isEmpty() ? null : digestKey;
    }

    public void check(PropertyRules rules) {
        keys.forEach((id, key) -> {
            rules.check(
                    "encryption.keys",
                    id,
                    JobEncryption.isId(id),
                    "must have ids of 1 to 512 letters, digits and the characters . _ : / + = -");
            rules.checkSecret("encryption.keys." + id, bytes(key) == KEY_BYTES, "must be 32 bytes in Base64");
        });
        rules.check(
                "encryption.active",
                active,
                active == null ? keys.size() <= 1 : keys.containsKey(active),
                active == null
                        ? "must be the id of one of the jobs.encryption.keys, since there are several"
                        : "must be the id of one of the jobs.encryption.keys");
        rules.checkSecret(
                "encryption.digest-key",
                digestKey == null || bytes(digestKey) >= LEAST_DIGEST_BYTES,
                "must be 16 bytes or more in Base64");
    }

    /** How many bytes a text in Base64 has; -1 if it is none. */
    private static int bytes(String text) {
        try {
            return Base64.getDecoder().decode(text).length;
        } catch (IllegalArgumentException e) {
            return -1;
        }
    }

    /** What they name; null if they name no key at all. */
    @Nullable public EncryptionKeys keysOrNull() {
        if (keys.isEmpty() && digestKey == null) {
            return null;
        }
        Map<String, byte[]> decoded = new HashMap<>();
        keys.forEach((id, key) -> decoded.put(id, Base64.getDecoder().decode(key)));
        byte[] digests = digestKey == null ? null : Base64.getDecoder().decode(digestKey);
        String first = keys.isEmpty() ? null : keys.keySet().iterator().next();
        return EncryptionKeys.of(active == null ? first : active, decoded, digests);
    }

    /** Without keys. */
    @Override
    public String toString() {
        return "EncryptionProperties[active=" + active + ", keys=" + keys.keySet() + "]";
    }
}
