package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.PayloadRules;
import dev.jobs.codec.RawJson;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads {@link Limit} and {@link Job#concurrency()}, and writes the limits of calls into payloads. */
@Internal
public final class LimitRules implements JobRule {

    private record Declared(List<LimitRule> limits) {}

    /** How many calls of a job may run at once, over all workers; empty if any number. */
    public static List<LimitRule> of(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared == null ? List.of() : declared.limits();
    }

    /** Methods of a client whose jobs may count for more limits. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient limit(String name, String key) {
            if (!LimitRule.isNameOfJobs(name)) {
                throw new InvalidJobException(
                        "'name' must be 1 to 200 characters without control characters and not begin with '"
                                + LimitRule.OF_QUEUE + "' but was '" + PayloadRules.shown(name) + "'");
            }
            List<Object> limits = new ArrayList<>();
            RawJson before = options().members().get(LimitRule.MEMBER);
            if (before != null
                    && Payload.of(Map.of(LimitRule.MEMBER, before)).get(LimitRule.MEMBER) instanceof List<?> given) {
                limits.addAll(given);
            }
            limits.add(List.of(name, Objects.requireNonNull(key, "'key' must not be null")));
            if (limits.size() > LimitRule.MOST) {
                throw new InvalidJobException("A call can have " + LimitRule.MOST + " limits at most");
            }
            return with(LimitRule.MEMBER, limits);
        }
    }

    @Override
    public List<String> lua() {
        return List.of(
                "effect_permit shared_limits",
                "effect_room shared_limits",
                "effect_start",
                "gate_queue_limits shared_limits",
                "shared_limits shared_rates shared_conditions",
                "shared_rates");
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
                    job.name(),
                    annotations.job().concurrency(),
                    annotations.of(Limit.class),
                    job.parameters(),
                    job.codec());
        } catch (IllegalArgumentException e) {
            throw annotations.wrong(
                    String.valueOf(e.getMessage()),
                    "Correct its @Job(concurrency) or @Limit; the documentation of @Limit says what they may have.");
        }
        limits.forEach(each -> job.checkHidesMasked("the key of its @Limit '" + each.name() + "'", each.arguments()));
        return limits.isEmpty() ? null : new Declared(limits);
    }
}
