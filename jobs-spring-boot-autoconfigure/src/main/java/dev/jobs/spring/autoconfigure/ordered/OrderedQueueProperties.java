package dev.jobs.spring.autoconfigure.ordered;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.ordered.JobOrder;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRule.By;
import dev.jobs.ordered.OrderRules;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * A queue whose jobs are not simply taken in the order in which they were enqueued. The word alone may stand for it, as
 * in "fair".
 *
 * @param by What orders the jobs: fair, for turns between their keys; priority; or none, if the queue is no longer
 *     ordered and what waits in order is to be taken.
 * @param step Time by which each step of priority lets a job begin earlier, 1 millisecond to 1 day. One minute if it is
 *     missing, as it must be if the queue is fair.
 * @param weights Turns in each round for jobs of some keys, 1 to 100, by key; those of other keys get 1. None
 *     if the queue is ordered by priority.
 */
@Internal
public record OrderedQueueProperties(
        @DefaultValue("") String by,

        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration step,

        @DefaultValue Map<String, Integer> weights) {

    private static final String WORDS = Arrays.stream(By.values())
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));

    /** The word alone. Spring's conversion of texts calls it. */
    public static OrderedQueueProperties valueOf(String by) {
        return new OrderedQueueProperties(by, null, Map.of());
    }

    public void check(String queue, PropertyRules rules) {
        String name = "ordered-queues[" + queue + "]";
        String prefix = name + ".";
        rules.check(
                        name,
                        queue,
                        JobDefinition.QUEUE_NAME.matcher(queue).matches(),
                        "must be the name of a queue: 1 to 128 letters, digits or characters of _.:-")
                .check(
                        prefix + "by",
                        by,
                        Arrays.stream(By.values()).anyMatch(each -> each.name().equalsIgnoreCase(by)),
                        "must be one of " + WORDS)
                .within(prefix + "step", step, "1ms", "1d")
                .check(prefix + "step", step, step == null || !is(By.FAIR), "must be missing: only priority has steps")
                .check(
                        prefix + "weights",
                        weights,
                        weights.isEmpty() || !is(By.PRIORITY),
                        "must be missing: only the keys of a fair queue have weights");
        weights.forEach((key, weight) -> rules.within(prefix + "weights[" + key + "]", weight, 1, OrderRule.HEAVIEST)
                .check(prefix + "weights", key, JobOrder.isKey(key), "must have keys that are " + JobOrder.KEY_FORM));
    }

    private boolean is(By word) {
        return word.name().equalsIgnoreCase(by);
    }

    public static OrderRules rules(Map<String, OrderedQueueProperties> queues) {
        Map<String, OrderRule> rules = new HashMap<>();
        queues.forEach((queue, each) -> rules.put(
                queue,
                new OrderRule(
                        By.valueOf(each.by().toUpperCase(Locale.ROOT)),
                        Objects.requireNonNullElse(each.step(), OrderRule.USUAL_STEP),
                        each.weights())));
        return new OrderRules(rules);
    }
}
