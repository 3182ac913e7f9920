package dev.jobs;

import dev.jobs.codec.OneLine;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the arguments of jobs from being read where they are stored. A registry has one for all its jobs. Thread-safe.
 */
@Internal
public interface ArgumentSeal {

    /** The payload's member for a job whose arguments are to be sealed, as Sidekiq Enterprise has it. */
    String WANTED = "encrypt";

    /** The payload's member, an object, for a job whose arguments are sealed. */
    String MEMBER = "encrypted";

    /** Its member for the id of the key. */
    String KEY = "kid";

    /** Without any key. */
    ArgumentSeal NONE = new ArgumentSeal() {
        @Override
        public Payload sealed(Payload job) {
            throw new InvalidJobException("Could not enqueue job " + OneLine.of(job.name())
                    + ": its arguments are to be encrypted, and there is no key; set jobs.encryption.keys and"
                    + " jobs.encryption.active, or declare a bean of type EncryptionKeys");
        }

        @Override
        public Payload keyed(Payload job) {
            return job;
        }

        @Override
        public String digest(String digest) {
            return digest;
        }

        @Override
        public byte[] opened(Payload job) {
            throw SealedArgumentsException.withoutKey(job, null);
        }
    };

    /**
     * A job with its arguments sealed, and with digests of them that nobody can guess.
     *
     * @throws InvalidJobException if that can't be done
     */
    Payload sealed(Payload job);

    /** A job with digests of its arguments that nobody can guess; the same if there is no key for that. */
    Payload keyed(Payload job);

    /** A digest of arguments that nobody can guess; the same if there is no key for that. */
    String digest(String digest);

    /**
     * The JSON text of the arguments of a sealed job.
     *
     * @throws SealedArgumentsException if they can't be read
     */
    byte[] opened(Payload job);

    /** Whether the arguments of a new job are to be sealed. */
    static boolean isWanted(Payload job) {
        return job.has(WANTED) && Boolean.TRUE.equals(job.get(WANTED)) && !isSealed(job);
    }

    /** Whether the arguments of a stored job are sealed. */
    static boolean isSealed(Payload job) {
        return job.has(MEMBER) && job.get(MEMBER) instanceof Map;
    }

    /** The id of the key of a sealed job; null if it names none. */
    static @Nullable String key(Payload job) {
        return job.get(MEMBER) instanceof Map<?, ?> how && how.get(KEY) instanceof String id ? id : null;
    }

    /** What may be seen in place of the arguments of a sealed job. */
    static List<String> shown(Payload job) {
        String text = "encrypted (key " + OneLine.of(key(job)) + ")";
        return job.args().stream().map(each -> text).toList();
    }

    /**
     * Refuses a job whose arguments would be stored as they are.
     *
     * @param what is stored, as in "a recurring job"
     * @throws InvalidJobException if it has arguments and they are to be encrypted
     */
    static void checkNeedsNone(Payload draft, String what) {
        if (isWanted(draft) && !draft.args().isEmpty()) {
            throw new InvalidJobException("Could not enqueue job " + OneLine.of(draft.name())
                    + ": its arguments are to be encrypted, and " + what + " is stored with its arguments as they are;"
                    + " let a job without arguments enqueue it");
        }
    }
}
