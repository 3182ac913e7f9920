package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.redis.OrderedQueue;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which queues are ordered, and how. Every process that enqueues jobs, runs them or shows them needs the same rules.
 * Immutable.
 *
 * @param byQueue the rule of each ordered queue, by its name
 */
@Internal
public record OrderRules(Map<String, OrderRule> byQueue) implements OrderedQueue.Rules {

    /** No queue is ordered. */
    public static final OrderRules NONE = new OrderRules(Map.of());

    public OrderRules {
        byQueue = Map.copyOf(byQueue);
    }

    @Override
    public @Nullable OrderRule of(String queue) {
        return byQueue.isEmpty() ? null : byQueue.get(queue);
    }

    @Override
    public boolean isEmpty() {
        return byQueue.isEmpty();
    }
}
