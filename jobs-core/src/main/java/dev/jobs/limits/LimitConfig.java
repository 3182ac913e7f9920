package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import java.util.Map;

/**
 * How many jobs may run at once or start in a time, over all workers.
 *
 * @param limits numbers for each key by the name of the limit, 1 to 1,000,000 permits; they win over what the code says
 * @param queues how many jobs of a queue may run at once, whatever jobs they are, by its name, 1 to 1,000,000
 */
@Internal
public record LimitConfig(Map<String, LimitNumbers> limits, Map<String, Integer> queues) {

    public LimitConfig {
        limits = Map.copyOf(limits);
        limits.forEach((name, numbers) -> {
            Integer permits = numbers.concurrency();
            boolean right =
                    permits == null ? numbers.rate() != null : permits >= 1 && permits <= LimitRule.MOST_PERMITS;
            if (!LimitRule.isNameOfJobs(name) || !right) {
                throw new JobDefinitionException(
                        "'limits' must have names of 1 to 200 characters without control characters that don't begin with '"
                                + LimitRule.OF_QUEUE + "', and 1 to " + LimitRule.MOST_PERMITS
                                + " permits, a rate or both, but '" + name + "' has " + numbers,
                        "Correct the value.");
            }
        });
        queues = Map.copyOf(queues);
        queues.forEach((queue, permits) -> {
            if (!JobDefinition.QUEUE_NAME.matcher(queue).matches() || permits < 1 || permits > LimitRule.MOST_PERMITS) {
                throw new JobDefinitionException(
                        "'queues' must have names of queues, and 1 to " + LimitRule.MOST_PERMITS + " permits, but '"
                                + queue + "' has " + permits,
                        "Correct the value. To stop a queue, pause it.");
            }
        });
    }

    /** Without limits of whole queues. */
    public LimitConfig(Map<String, LimitNumbers> limits) {
        this(limits, Map.of());
    }

    /** Only what the code says. */
    public static LimitConfig defaults() {
        return new LimitConfig(Map.of());
    }
}
