package dev.jobs.encryption;

import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.SealedArgumentsException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs whose arguments can't be decrypted. One without its key is retried by its rules, and a damaged one is not,
 * since no attempt can help; what would be discarded goes to the dead set. Thread-safe.
 */
@Internal
public final class EncryptionPart implements JobPart.Throws {

    private final FailureHandling failures;

    public EncryptionPart(FailureHandling failures) {
        this.failures = failures;
    }

    @Override
    public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, Fails fails) {
        if (!(thrown instanceof SealedArgumentsException sealed)) {
            return null;
        }
        Outcome outcome = fails.with(sealed, "can't be decrypted", true, !sealed.isDamaged());
        return outcome.ending() == Ending.DISCARDED ? failures.unusable(job.payload(), job.queue(), sealed) : outcome;
    }
}
