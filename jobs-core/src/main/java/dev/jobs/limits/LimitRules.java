package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import java.lang.annotation.Annotation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@link Limit} and {@link Job#concurrency()}. */
@Internal
public final class LimitRules implements JobRule {

    private record Declared(List<LimitRule> limits) {}

    /** How many calls of a job may run at once, over all workers; empty if any number. */
    public static List<LimitRule> of(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared == null ? List.of() : declared.limits();
    }

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Limit.class);
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        List<LimitRule> limits;
        try {
            limits = LimitRule.of(
                    job.name(), annotations.job().concurrency(), annotations.of(Limit.class), job.parameters());
        } catch (IllegalArgumentException e) {
            throw annotations.wrong(
                    String.valueOf(e.getMessage()),
                    "Correct its @Job(concurrency) or @Limit; the documentation of @Limit says what they may have.");
        }
        limits.forEach(each -> job.checkHidesMasked("the key of its @Limit '" + each.name() + "'", each.arguments()));
        return limits.isEmpty() ? null : new Declared(limits);
    }
}
