package dev.jobs.retries;

import dev.jobs.Internal;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Retry} says of when a job is retried, and after which failures.
 *
 * @param delays null if the annotation has none
 * @param policy the type of the bean that decides instead; null for none
 * @param policyName the name of that bean; empty for none
 */
@Internal
public record DeclaredRetry(
        List<Class<? extends Throwable>> includes,
        List<Class<? extends Throwable>> excludes,
        @Nullable RetryRule delays,
        @Nullable Class<? extends RetryPolicy> policy,
        String policyName) {

    /** More causes than that are a circle. */
    private static final int MOST_CAUSES = 100;

    /** Whether a bean decides. */
    public boolean namesPolicy() {
        return policy != null || !policyName.isEmpty();
    }

    /** The bean that decides, for people. */
    String policyText() {
        return "policy " + (policy == null ? policyName : policy.getSimpleName());
    }

    /** All of it but the number of retries, under the names of the annotation; empty if that is all it says. */
    String toText() {
        List<String> parts = new ArrayList<>();
        if (delays != null) {
            parts.add("delay " + delays.delay());
            if (delays.multiplier() != 1) {
                parts.add("multiplier " + delays.multiplier());
            }
            if (delays.maxDelay() != null) {
                parts.add("maxDelay " + delays.maxDelay());
            }
            if (delays.jitter() != null) {
                parts.add("jitter " + delays.jitter());
            }
        }
        if (namesPolicy()) {
            parts.add("policy " + (policy == null ? policyName : policy.getName()));
        }
        addTypes("includes", includes, parts);
        addTypes("excludes", excludes, parts);
        return String.join(", ", parts);
    }

    private static void addTypes(String attribute, List<Class<? extends Throwable>> types, List<String> parts) {
        if (!types.isEmpty()) {
            parts.add(
                    attribute + types.stream().map(each -> " " + each.getName()).collect(Collectors.joining()));
        }
    }

    /** Whether a job that failed so may be retried. */
    boolean allowsAfter(Throwable failure) {
        return !hasAny(excludes, failure) && (includes.isEmpty() || hasAny(includes, failure));
    }

    private static boolean hasAny(List<Class<? extends Throwable>> types, Throwable failure) {
        Throwable each = failure;
        for (int i = 0; i < MOST_CAUSES && each != null && !types.isEmpty(); i++) {
            for (Class<? extends Throwable> type : types) {
                if (type.isInstance(each)) {
                    return true;
                }
            }
            each = each.getCause();
        }
        return false;
    }
}
