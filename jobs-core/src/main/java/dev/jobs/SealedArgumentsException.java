package dev.jobs;

import dev.jobs.codec.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted arguments of a job can't be read. Without its key the job fails as any other, except that it is never
 * discarded; a damaged one goes to the dead set. The message quotes no argument.
 */
public final class SealedArgumentsException extends JobsException implements WithoutArguments {

    private static final long serialVersionUID = 1L;

    private final boolean damaged;

    private SealedArgumentsException(String message, boolean damaged, @Nullable Throwable cause) {
        super(message, cause);
        this.damaged = damaged;
    }

    /**
     * The key of a job is not to be had.
     *
     * @param cause why; null if nobody knows it
     */
    @Internal
    public static SealedArgumentsException withoutKey(Payload job, @Nullable Throwable cause) {
        return new SealedArgumentsException(
                "The arguments of " + named(job)
                        + (cause == null
                                ? ", which this application doesn't have: add it to jobs.encryption.keys, or to what the"
                                        + " bean of type EncryptionKeys finds"
                                : ", which can't be had"),
                false,
                cause);
    }

    /** A job says that it is encrypted in a way that is not known here. */
    @Internal
    public static SealedArgumentsException unknownForm(Payload job) {
        return new SealedArgumentsException(
                "The arguments of " + named(job) + " in a form that this version of the library doesn't know",
                false,
                null);
    }

    /** A job is not as it was stored. */
    @Internal
    public static SealedArgumentsException damaged(Payload job, @Nullable Throwable cause) {
        return new SealedArgumentsException(
                "The arguments of " + named(job)
                        + ", and can't be decrypted with it: they or the job's id or name were changed, or the key of that"
                        + " id is not the one that encrypted them",
                true,
                cause);
    }

    private static String named(Payload job) {
        return "job " + OneLine.of(job.jobName()) + " (jid " + OneLine.of(job.jid()) + ") are encrypted with the key '"
                + OneLine.of(ArgumentSeal.key(job)) + "'";
    }

    /** Whether another attempt can't help, rather than the key being missing. */
    public boolean isDamaged() {
        return damaged;
    }
}
