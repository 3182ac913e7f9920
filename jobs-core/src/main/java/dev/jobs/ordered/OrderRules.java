package dev.jobs.ordered;

import dev.jobs.Internal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which queues are ordered, and how. Every process that enqueues jobs, runs them or shows them needs the same rules.
 * Immutable.
 *
 * @param byQueue the rule of each ordered queue, by its name
 */
@Internal
public record OrderRules(Map<String, OrderRule> byQueue) {

    /** No queue is ordered. */
    public static final OrderRules NONE = new OrderRules(Map.of());

    public OrderRules {
        byQueue = Map.copyOf(byQueue);
    }

    /** The rule of a queue; null if it isn't ordered. */
    @Nullable public OrderRule of(String queue) {
        return byQueue.isEmpty() ? null : byQueue.get(queue);
    }
}
