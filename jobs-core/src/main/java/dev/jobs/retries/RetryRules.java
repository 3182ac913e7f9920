package dev.jobs.retries;

import dev.jobs.ContractTerm;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@link Retry}, writes its number of retries into payloads, and checks the rules of calls there. */
@Internal
public final class RetryRules implements PayloadRule {

    private static final int MOST_RETRIES = 1_000;

    /** The terms of contracts. */
    private static final String RETRIES = "retries";

    private static final String RULE = "retry-rule";

    private static final String FORM = "an object with a 'delay' of 0.001 to 1,000,000,000 s and, if there is one, a"
            + " 'multiplier' of 1 to 1,000, a 'max_delay' that is not less than the delay and a 'jitter', all numbers,";

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Retry.class);
    }

    @Override
    public void options(Map<String, Object> options, JobAnnotations annotations) {
        Retry retry = nearest(annotations);
        if (retry != null && retry.maxRetries() != Job.DEFAULT) {
            checkNumber(retry.maxRetries(), annotations);
            options.put("retry", retry.maxRetries());
        }
    }

    private static @Nullable Retry nearest(JobAnnotations annotations) {
        List<Retry> all = annotations.of(Retry.class);
        return all.isEmpty() ? null : all.get(0);
    }

    private static void checkNumber(int retries, JobAnnotations annotations) {
        Job job = annotations.job();
        if (retries < 0 || retries > MOST_RETRIES) {
            throw annotations.wrong(
                    "its @Retry(maxRetries) is " + retries,
                    "Use 0 to " + MOST_RETRIES + "; @Job(retry = Job.NONE) discards a failed job.");
        }
        if (job.retry() != Job.DEFAULT) {
            throw annotations.wrong(
                    "its @Retry(maxRetries) is " + retries + ", and its @Job(retry) is " + job.retry(),
                    "Set one of them.");
        }
        if (job.retryFor() > 0) {
            throw annotations.wrong(
                    "its @Retry(maxRetries) is " + retries + ", and its @Job(retryFor) is " + job.retryFor()
                            + ", which counts seconds instead of retries",
                    "Set one of them.");
        }
    }

    @Override
    public @Nullable DeclaredRetry read(JobDefinition job, JobAnnotations annotations) {
        Retry retry = nearest(annotations);
        if (retry == null) {
            return null;
        }
        boolean hasPolicy =
                retry.policy() != RetryPolicy.class || !retry.policyName().isEmpty();
        boolean grows = retry.multiplier() != 1
                || !retry.maxDelay().isEmpty()
                || !retry.jitter().isEmpty();
        checkSaysSomething(retry, hasPolicy || grows, annotations);
        if (hasPolicy) {
            checkPolicy(retry, grows, annotations);
        }
        if (grows && retry.delay().isEmpty()) {
            throw annotations.wrong(
                    "its @Retry says how delays grow, and has no delay",
                    "Set delay, the time from the first failure to the first retry, too.");
        }
        checkTypes(retry, annotations);
        return new DeclaredRetry(
                List.of(retry.includes()),
                List.of(retry.excludes()),
                retry.delay().isEmpty() ? null : delays(retry, annotations),
                retry.policy() == RetryPolicy.class ? null : retry.policy(),
                retry.policyName());
    }

    private static void checkSaysSomething(Retry retry, boolean more, JobAnnotations annotations) {
        if (!more
                && retry.delay().isEmpty()
                && retry.maxRetries() == Job.DEFAULT
                && retry.includes().length + retry.excludes().length == 0) {
            throw annotations.wrong(
                    "its @Retry says nothing",
                    "Set maxRetries, delay, a policy, includes or excludes, or remove @Retry: all jobs are retried.");
        }
    }

    private static void checkPolicy(Retry retry, boolean grows, JobAnnotations annotations) {
        if (retry.policy() != RetryPolicy.class && !retry.policyName().isEmpty()) {
            throw annotations.wrong(
                    "its @Retry has the policy " + retry.policy().getName() + " and the policyName '"
                            + retry.policyName() + "'",
                    "Name the bean by its type or by its name.");
        }
        if (grows || !retry.delay().isEmpty()) {
            throw annotations.wrong(
                    "its @Retry has a policy, which decides when the job is retried, and a delay",
                    "Remove the policy, or delay, multiplier, maxDelay and jitter.");
        }
    }

    private static void checkTypes(Retry retry, JobAnnotations annotations) {
        for (Class<? extends Throwable> included : retry.includes()) {
            for (Class<? extends Throwable> excluded : retry.excludes()) {
                if (excluded.isAssignableFrom(included)) {
                    throw annotations.wrong(
                            "its @Retry includes " + included.getName() + " and excludes " + excluded.getName()
                                    + ", so it is never retried after the first one",
                            "Remove one of them.");
                }
            }
        }
    }

    private static RetryRule delays(Retry retry, JobAnnotations annotations) {
        Duration delay = time("delay", retry.delay(), annotations);
        Duration maxDelay = retry.maxDelay().isEmpty() ? null : time("maxDelay", retry.maxDelay(), annotations);
        Duration jitter = retry.jitter().isEmpty() ? null : time("jitter", retry.jitter(), annotations);
        try {
            return new RetryRule(delay, retry.multiplier(), maxDelay, jitter, null);
        } catch (InvalidJobException e) {
            throw annotations.wrong(
                    "in its @Retry, " + e.getMessage(),
                    "delay is the time before the first retry; each further one is multiplier times as long, up to"
                            + " maxDelay.");
        }
    }

    /** @throws JobDefinitionException if it is none */
    private static Duration time(String attribute, String text, JobAnnotations annotations) {
        annotations.secondsOf("@Retry(" + attribute + ")", text);
        return JobAnnotations.duration(text);
    }

    @Override
    public List<ContractTerm> terms(JobDefinition job) {
        List<ContractTerm> terms = new ArrayList<>();
        Object retry = job.options().get("retry");
        Object seconds = job.options().get("retry_for");
        if (seconds != null) {
            terms.add(new ContractTerm(RETRIES, "for " + seconds + " s", 0));
        } else if (retry != null) {
            terms.add(new ContractTerm(RETRIES, retry.equals(false) ? "none, discarded" : retry.toString(), 0));
        }
        DeclaredRetry declared = job.rule(DeclaredRetry.class);
        String rule = declared == null ? "" : declared.toText();
        if (!rule.isEmpty()) {
            terms.add(new ContractTerm(RULE, rule, 0));
        }
        return terms;
    }

    @Override
    public @Nullable String changed(String word, @Nullable String before, @Nullable String now) {
        return switch (word) {
            case RETRIES -> "retries " + change("were ", before, "are ", now) + " Jobs that wait keep what they have.";
            case RULE ->
                "the retry rule " + change("was ", before, "is ", now)
                        + " Jobs that wait are retried by the present one.";
            default -> null;
        };
    }

    private static String change(String were, @Nullable String before, String are, @Nullable String now) {
        String present = are + (now == null ? "as for all jobs" : now);
        return before == null ? present + " now." : were + before + " and " + present + ".";
    }

    /** The time of an annotation would replace the number of retries that the call asks for. */
    @Override
    public void write(Map<String, @Nullable Object> members, @Nullable JobDefinition job, Options options) {
        Object time = members.get("retry_for");
        if (time != null
                && job != null
                && time.equals(job.options().get("retry_for"))
                && options.members().containsKey("retry")) {
            members.remove("retry_for");
        }
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(
                !payload.has(RetryRule.MEMBER) || RetryRule.of(payload) != null, payload, RetryRule.MEMBER, FORM);
    }
}
