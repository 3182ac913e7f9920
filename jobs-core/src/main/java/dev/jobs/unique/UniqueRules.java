package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@link Unique}. */
@Internal
public final class UniqueRules implements JobRule {

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Unique.class);
    }

    @Override
    public @Nullable UniqueRule read(JobDefinition job, JobAnnotations annotations) {
        List<Unique> all = annotations.of(Unique.class);
        if (all.isEmpty()) {
            return null;
        }
        Unique unique = all.get(0);
        Number seconds = annotations.secondsOf("@Unique(forAtMost)", unique.forAtMost());
        String misfit = UniqueRule.misfit(unique);
        if (misfit != null) {
            throw annotations.wrong(misfit, "REPLACE needs until = SUCCESS or START, and LATER needs EXPIRY.");
        }
        try {
            return UniqueRule.of(unique, seconds, job.parameters());
        } catch (IllegalArgumentException e) {
            throw annotations.wrong(
                    "the key '" + unique.key() + "' of its @Unique " + e.getMessage(),
                    "Name arguments by their position or by the parameter's name, with their members, as in {0}, {shop} or"
                            + " {shop.id}, or leave the key out: all arguments then count.");
        }
    }

    /** Those of Sidekiq's own and of the gem for unique jobs, too. */
    @Override
    public Set<String> digests() {
        return Set.of(UniqueRule.LOCK, "unique_digest", "lock_digest");
    }
}
