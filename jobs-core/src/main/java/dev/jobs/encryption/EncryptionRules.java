package dev.jobs.encryption;

import dev.jobs.ArgumentSeal;
import dev.jobs.ContractTerm;
import dev.jobs.Internal;
import dev.jobs.JobAnnotations;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@link Encrypted}, and lets the payloads of such jobs ask for it. */
@Internal
public final class EncryptionRules implements PayloadRule {

    private static final String TERM = "arguments";

    /** Methods of a client whose jobs may be encrypted. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient encrypted() {
            return with(ArgumentSeal.WANTED, true);
        }
    }

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Encrypted.class);
    }

    @Override
    public void options(Map<String, Object> options, JobAnnotations annotations) {
        if (!annotations.of(Encrypted.class).isEmpty()) {
            options.put(ArgumentSeal.WANTED, true);
        }
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(
                !payload.has(ArgumentSeal.WANTED) || payload.get(ArgumentSeal.WANTED) instanceof Boolean,
                payload,
                ArgumentSeal.WANTED,
                "true or false");
    }

    @Override
    public List<ContractTerm> terms(JobDefinition job) {
        return job.options().containsKey(ArgumentSeal.WANTED)
                ? List.of(new ContractTerm(TERM, "encrypted", 0))
                : List.of();
    }

    @Override
    public @Nullable String changed(String word, @Nullable String before, @Nullable String now) {
        if (!word.equals(TERM)) {
            return null;
        }
        return now == null
                ? "the arguments are not encrypted any more. Jobs that wait are, and need their key until they have run."
                : "the arguments are encrypted now. Those of jobs that wait are not; workers of the version before can't"
                        + " read those of new ones, which fail there and are retried.";
    }
}
