package dev.jobs.retries;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import dev.jobs.codec.ArgumentException;
import dev.jobs.engine.JobRoutes;
import java.util.Objects;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides about failed jobs as the rule of their call says, or else their annotation. To be asked before the policies
 * that decide about all jobs. Which failures an annotation names doesn't matter if arguments can't be read: the job
 * threw nothing then. Thread-safe.
 */
@Internal
public final class RetryDecisions implements RetryPolicy {

    private final JobRoutes routes;
    private final boolean anyDeclared;
    private final Function<DeclaredRetry, RetryPolicy> policies;
    private final RandomGenerator random;

    /**
     * @param policies finds the bean that an annotation names
     * @param random the source of jitter
     */
    public RetryDecisions(JobRegistry registry, Function<DeclaredRetry, RetryPolicy> policies, RandomGenerator random) {
        this.routes = new JobRoutes(registry, registry.codec());
        this.anyDeclared = registry.definitions().stream().anyMatch(each -> each.rule(DeclaredRetry.class) != null);
        this.policies = policies;
        this.random = random;
    }

    /** Whether the application has policies that decide about all jobs. */
    static boolean areBesides(JobHooks hooks) {
        return hooks.all(RetryPolicy.class).stream().anyMatch(each -> !(each instanceof RetryDecisions));
    }

    @Override
    public @Nullable Decision decide(Payload payload, int count, Throwable failure) {
        DeclaredRetry declared = anyDeclared ? declared(payload) : null;
        if (declared != null && !(failure instanceof ArgumentException) && !declared.allowsAfter(failure)) {
            return Decision.kill().by("@Retry");
        }
        RetryRule ofCall = RetryRule.of(payload);
        if (ofCall != null) {
            return Decision.retryAfter(ofCall.before(count, random)).by("the call");
        }
        if (declared == null) {
            return null;
        }
        RetryRule delays = declared.delays();
        if (delays != null) {
            return Decision.retryAfter(delays.before(count, random)).by("@Retry");
        }
        if (!declared.namesPolicy()) {
            return null;
        }
        Decision decision = policies.apply(declared).decide(payload, count, failure);
        return decision == null ? null : decision.by(declared.policyText());
    }

    /** What the method says that would run the job, after upcasters. */
    private @Nullable DeclaredRetry declared(Payload payload) {
        String name = payload.name();
        if (name == null) {
            return null;
        }
        JobDefinition job = routes.of(payload, name, Objects.requireNonNullElse(payload.jobName(), name))
                .definition();
        return job == null ? null : job.rule(DeclaredRetry.class);
    }
}
