package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which queues are ordered, and how. Every process that enqueues jobs, runs a worker or shows jobs needs the same rules:
 * any worker may move due jobs to any queue. Immutable.
 *
 * @param byQueue the rule of each ordered queue, by its name
 */
@Internal
public record OrderRules(Map<String, OrderRule> byQueue) implements SortedQueue.Rules {

    private static final byte[] GATE = Bytes.of("queue_order");

    /** No queue is ordered. */
    public static final OrderRules NONE = new OrderRules(Map.of());

    public OrderRules {
        byQueue = Map.copyOf(byQueue);
    }

    @Override
    public @Nullable OrderRule of(String queue) {
        return byQueue.isEmpty() ? null : byQueue.get(queue);
    }

    /** The arguments of {@code gate_queue_order.lua}. */
    @Override
    public void addGate(RedisKeys keys, List<String> queues, List<byte[]> all, List<byte[]> arguments) {
        if (byQueue.isEmpty()) {
            return;
        }
        int first = all.size() + 1;
        List<byte[]> numbers = new ArrayList<>();
        for (int i = 0; i < queues.size(); i++) {
            String queue = queues.get(i);
            if (byQueue.containsKey(queue)) {
                all.add(keys.order(queue));
                all.add(keys.tags(queue));
                numbers.add(Bytes.of(i + 1));
            }
        }
        if (!numbers.isEmpty()) {
            arguments.addAll(List.of(GATE, Bytes.of(first), Bytes.of(numbers.size())));
            arguments.addAll(numbers);
        }
    }

    @Override
    public boolean isEmpty() {
        return byQueue.isEmpty();
    }
}
