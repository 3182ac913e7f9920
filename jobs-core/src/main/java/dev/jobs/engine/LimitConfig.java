package dev.jobs.engine;

import dev.jobs.JobDefinitionException;
import dev.jobs.LimitRule;
import java.util.Map;

/**
 * How many jobs may run at once, over all workers.
 *
 * @param limits permits for each key by the name of the limit, 1 to 1,000,000; they win over what the code says
 */
public record LimitConfig(Map<String, Integer> limits) {

    public LimitConfig {
        limits = Map.copyOf(limits);
        limits.forEach((name, permits) -> {
            if (!LimitRule.isName(name) || permits < 1 || permits > LimitRule.MOST_PERMITS) {
                throw new JobDefinitionException(
                        "'limits' must have names of 1 to 200 characters without control characters, and 1 to "
                                + LimitRule.MOST_PERMITS + " permits, but '" + name + "' has " + permits,
                        "Correct the value.");
            }
        });
    }

    /** Only what the code says. */
    public static LimitConfig defaults() {
        return new LimitConfig(Map.of());
    }
}
