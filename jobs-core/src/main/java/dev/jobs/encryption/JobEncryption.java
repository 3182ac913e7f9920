package dev.jobs.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.SealedArgumentsException;
import dev.jobs.client.PayloadRules;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.UniqueRule;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts the arguments of new jobs and decrypts those of stored ones. The stored arguments are one text: the Base64 of
 * nonce, ciphertext and tag. They belong to the job's id, its name and the id of the key, so that nobody can give them to
 * another job. Thread-safe.
 */
@Internal
public final class JobEncryption implements ArgumentSeal {

    static final String HMAC = "HmacSHA256";

    private static final long VERSION = 1;
    private static final String ALGORITHM = "A256GCM";
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:/+=-]{1,512}");
    /** What Redis compares. */
    private static final List<String> DIGESTS = List.of(UniqueRule.LOCK, Debounce.KEY);

    private static final String ID_FORM = "1 to 512 letters, digits and the characters . _ : / + = -";

    private final EncryptionKeys keys;
    private final AesGcm cipher = new AesGcm();

    public JobEncryption(EncryptionKeys keys) {
        this.keys = keys;
    }

    /**
     * Whether the id of a key can be stored with jobs.
     *
     * @see #ID_FORM
     */
    public static boolean isId(String id) {
        return ID.matcher(id).matches();
    }

    /**
     * Refuses jobs that could not be enqueued.
     *
     * @param keys null if there are none
     * @throws JobDefinitionException if a job is to be encrypted and can't be
     */
    public static void check(JobRegistry jobs, @Nullable EncryptionKeys keys) {
        for (JobDefinition job : jobs.definitions()) {
            if (!Boolean.TRUE.equals(job.options().get(WANTED))) {
                continue;
            }
            String method = "The @Job method " + job.qualifiedMethodName() + " can't be used: it is @Encrypted";
            if (keys == null || keys instanceof FixedKeys fixed && fixed.isEmpty()) {
                throw new JobDefinitionException(
                        method + ", and there is no key",
                        "Set jobs.encryption.keys and jobs.encryption.active, or declare a bean of type EncryptionKeys.");
            }
            if (job.rule(UniqueRule.class) != null && keys.digestKey() == null) {
                throw new JobDefinitionException(
                        method
                                + " and @Unique, and there is no key for digests: who reads them could try out arguments",
                        "Set jobs.encryption.digest-key, or let the bean of type EncryptionKeys have a digestKey.");
            }
        }
    }

    /** The jobs whose digests of masked arguments can be guessed, since there is no key for them. */
    public static List<JobDefinition> guessable(JobRegistry jobs, @Nullable EncryptionKeys keys) {
        return keys != null && keys.digestKey() != null
                ? List.of()
                : jobs.definitions().stream().filter(JobEncryption::isGuessable).toList();
    }

    private static boolean isGuessable(JobDefinition job) {
        UniqueRule rule = job.rule(UniqueRule.class);
        return rule != null && !Boolean.TRUE.equals(job.options().get(WANTED)) && rule.tellsOf(job.masked());
    }

    @Override
    public Payload sealed(Payload job) {
        Payload plain = job.without(WANTED);
        boolean hasDigest = plain.has(UniqueRule.LOCK) || plain.has(Debounce.KEY);
        if (hasDigest && keys.digestKey() == null) {
            throw refused(
                    job,
                    "it has a key, of which a digest would be stored that tells of its arguments; set"
                            + " jobs.encryption.digest-key",
                    null);
        }
        if (plain.args().isEmpty()) {
            return keyed(plain);
        }
        String id = String.valueOf(keys.active(plain));
        if (!isId(id)) {
            throw refused(
                    job, "the id of its key must be " + ID_FORM + " but was '" + PayloadRules.shown(id) + "'", null);
        }
        SecretKey key = keys.find(id);
        if (key == null) {
            throw refused(job, "there is no key '" + id + "' to encrypt its arguments", null);
        }
        byte[] stored;
        try {
            stored = cipher.encrypt(key, plain.rawArgs(), bound(plain, id));
        } catch (GeneralSecurityException e) {
            throw refused(job, "its arguments can't be encrypted with the key '" + id + "'", e);
        }
        Map<String, Object> how = new LinkedHashMap<>();
        how.put("v", VERSION);
        how.put(KEY, id);
        how.put("alg", ALGORITHM);
        return keyed(plain.with("args", List.of(Base64.getEncoder().encodeToString(stored)))
                .with(MEMBER, how));
    }

    private static InvalidJobException refused(Payload job, String why, @Nullable Throwable cause) {
        return PayloadRules.refused(job.name(), why, cause);
    }

    @Override
    public Payload keyed(Payload job) {
        Payload keyed = job;
        for (String member : DIGESTS) {
            String digest = job.has(member) ? job.text(member) : null;
            keyed = digest == null ? keyed : keyed.with(member, digest(digest));
        }
        return keyed;
    }

    @Override
    public String digest(String digest) {
        SecretKey key = keys.digestKey();
        if (key == null) {
            return digest;
        }
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(digest.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The key for digests can't be used", e);
        }
    }

    @Override
    public byte[] opened(Payload job) {
        String id = ArgumentSeal.key(job);
        if (!(job.get(MEMBER) instanceof Map<?, ?> how)
                || id == null
                || !Objects.equals(how.get("v"), VERSION)
                || !ALGORITHM.equals(how.get("alg"))) {
            throw SealedArgumentsException.unknownForm(job);
        }
        SecretKey key;
        try {
            key = keys.find(id);
        } catch (RuntimeException e) {
            throw SealedArgumentsException.withoutKey(job, e);
        }
        if (key == null) {
            throw SealedArgumentsException.withoutKey(job, null);
        }
        if (job.args().size() != 1 || !(job.args().get(0) instanceof String text)) {
            throw SealedArgumentsException.damaged(job, null);
        }
        try {
            return cipher.decrypt(key, Base64.getDecoder().decode(text), bound(job, id));
        } catch (AEADBadTagException | IllegalArgumentException e) {
            throw SealedArgumentsException.damaged(job, e);
        } catch (GeneralSecurityException e) {
            throw SealedArgumentsException.withoutKey(job, e);
        }
    }

    /** What the ciphertext belongs to; lengths tell where each text ends. */
    private static byte[] bound(Payload job, String id) {
        String jid = String.valueOf(job.jid());
        return ("jobs-arguments-" + VERSION + " " + id.length() + " " + id + " " + jid.length() + " " + jid + " "
                        + job.name())
                .getBytes(UTF_8);
    }
}
