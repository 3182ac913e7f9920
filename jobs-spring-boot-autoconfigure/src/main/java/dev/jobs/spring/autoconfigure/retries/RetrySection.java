package dev.jobs.spring.autoconfigure.retries;

import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import dev.jobs.retries.DeclaredRetry;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The retry rules of this application's jobs in the endpoint. */
final class RetrySection implements Section {

    private final JobRegistry registry;

    /**
     * How a job is retried, as far as its annotations say it; null, or empty, is as for all jobs.
     *
     * @param retries how often; false if it is discarded instead
     * @param retryFor the time after the first failure, in place of the number of retries
     * @param policy the bean that decides, by its type or its name
     */
    public record Rule(
            String job,
            @Nullable Object retries,
            @Nullable Duration retryFor,
            @Nullable Duration delay,
            @Nullable Double multiplier,
            @Nullable Duration maxDelay,
            @Nullable Duration jitter,
            List<String> includes,
            List<String> excludes,
            @Nullable String policy) {

        static Rule of(JobDefinition job) {
            DeclaredRetry declared = job.rule(DeclaredRetry.class);
            RetryRule delays = declared == null ? null : declared.delays();
            Object retryFor = job.options().get("retry_for");
            return new Rule(
                    job.name(),
                    job.options().get("retry"),
                    retryFor instanceof Number seconds ? Duration.ofSeconds(seconds.longValue()) : null,
                    delays == null ? null : delays.delay(),
                    delays == null ? null : Double.valueOf(delays.multiplier()),
                    delays == null ? null : delays.maxDelay(),
                    delays == null ? null : delays.jitter(),
                    declared == null ? List.of() : names(declared.includes()),
                    declared == null ? List.of() : names(declared.excludes()),
                    declared == null ? null : policy(declared));
        }

        private static List<String> names(List<Class<? extends Throwable>> types) {
            return types.stream().map(Class::getName).toList();
        }

        private static @Nullable String policy(DeclaredRetry declared) {
            Class<? extends RetryPolicy> type = declared.policy();
            if (type != null) {
                return type.getName();
            }
            return declared.policyName().isEmpty() ? null : declared.policyName();
        }
    }

    RetrySection(JobRegistry registry) {
        this.registry = registry;
    }

    @Override
    public String name() {
        return "retries";
    }

    @Override
    public boolean isList() {
        return true;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        List<Rule> rules = registry.definitions().stream()
                .map(Rule::of)
                .sorted(Comparator.comparing(Rule::job))
                .toList();
        return Answer.found(Map.of(name(), rules));
    }
}
