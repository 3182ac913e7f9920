package dev.jobs.retries;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.RetryRule;
import dev.jobs.engine.FailureHandling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a job if it goes on failing, as far as that can be said before.
 *
 * @param decides who says when it is retried
 * @param policy the bean that does, if one is named; may be empty
 * @param retries how often it is retried, 0 if it is discarded at its first failure; null if that is the worker's
 *     default, or not a number of times
 * @param waits the times before the next retries, each after one more failure; empty if a bean decides
 */
@Internal
public record RetriesAhead(
        Decider decides, String policy, @Nullable Integer retries, List<Wait> waits) {

    private static final RandomGenerator SHORTEST = drawing(true);
    private static final RandomGenerator LONGEST = drawing(false);

    /** Who says when a job is retried. */
    public enum Decider {
        CALL,
        ANNOTATION,
        POLICY,
        /** The policies for all jobs, or the default where they leave it to that. */
        POLICY_FOR_ALL,
        DEFAULT,
        /** As the default, unless the application that knows the job has policies for all jobs. */
        OTHERS
    }

    /** The shortest and the longest time before a retry. */
    public record Wait(Duration least, Duration longest) {}

    /**
     * @param payload with the member of a call's rule, if it has one
     * @param job null if it isn't known here
     * @param hooks those of this application
     * @param failures how often it has failed
     * @param most how many waits to tell
     */
    public static RetriesAhead of(
            Payload payload, @Nullable JobDefinition job, JobHooks hooks, int failures, int most) {
        DeclaredRetry declared = job == null ? null : job.rule(DeclaredRetry.class);
        Integer retries = retries(payload, job);
        int left = retries == null ? most : Math.max(0, Math.min(most, retries - failures));
        RetryRule ofCall = RetryRule.of(payload);
        if (ofCall != null) {
            return new RetriesAhead(Decider.CALL, "", retries, waits(ofCall, failures, left));
        }
        RetryRule delays = declared == null ? null : declared.delays();
        if (delays != null) {
            return new RetriesAhead(Decider.ANNOTATION, "", retries, waits(delays, failures, left));
        }
        if (declared != null && declared.namesPolicy()) {
            Class<?> type = declared.policy();
            String name = type == null ? declared.policyName() : type.getName();
            return new RetriesAhead(Decider.POLICY, name, retries, List.of());
        }
        if (job != null && RetryDecisions.areBesides(hooks)) {
            return new RetriesAhead(Decider.POLICY_FOR_ALL, "", retries, List.of());
        }
        return new RetriesAhead(job == null ? Decider.OTHERS : Decider.DEFAULT, "", retries, byDefault(failures, left));
    }

    /** Of a job that is discarded at its first failure there is none, and a time of retries replaces their number. */
    private static @Nullable Integer retries(Payload payload, @Nullable JobDefinition job) {
        Object stored = payload.get("retry");
        Object retry = stored == null && job != null ? job.options().get("retry") : stored;
        if (Boolean.FALSE.equals(retry)) {
            return 0;
        }
        return retry instanceof Number number && !(payload.get("retry_for") instanceof Number)
                ? (int) Math.max(0, Math.min(Integer.MAX_VALUE, number.longValue()))
                : null;
    }

    private static List<Wait> waits(RetryRule rule, int failures, int count) {
        List<Wait> waits = new ArrayList<>();
        for (int i = failures; i < failures + count; i++) {
            waits.add(new Wait(rule.before(i, SHORTEST), rule.before(i, LONGEST)));
        }
        return waits;
    }

    private static List<Wait> byDefault(int failures, int count) {
        List<Wait> waits = new ArrayList<>();
        for (int i = failures; i < failures + count; i++) {
            Duration least = FailureHandling.defaultDelay(i);
            waits.add(new Wait(least, least.plus(FailureHandling.longestJitter(i))));
        }
        return waits;
    }

    private static RandomGenerator drawing(boolean lowest) {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new UnsupportedOperationException();
            }

            @Override
            public long nextLong(long bound) {
                return lowest ? 0 : bound - 1;
            }
        };
    }
}
