package dev.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The order in which a capsule claims from its queues. Confined to the capsule's fetcher. */
final class QueueOrder {

    private final Map<String, Integer> weights;
    private final RandomGenerator random;
    private final List<String> listed;
    private final boolean fixed;

    QueueOrder(CapsuleConfig config, RandomGenerator random) {
        this.weights = config.weights();
        this.random = random;
        this.listed = List.copyOf(config.queues());
        this.fixed = config.mode() == CapsuleConfig.Mode.STRICT || listed.size() == 1;
    }

    /**
     * The order for one claim: as listed, or newly drawn, where a queue's chance to be next is proportional to its
     * weight, at least 1.
     */
    List<String> next() {
        if (fixed) {
            return listed;
        }
        List<String> left = new ArrayList<>(listed);
        List<String> order = new ArrayList<>(listed.size());
        while (!left.isEmpty()) {
            order.add(left.remove(draw(left)));
        }
        return order;
    }

    private int draw(List<String> left) {
        int total = left.stream().mapToInt(this::weight).sum();
        int drawn = random.nextInt(total);
        int i = 0;
        while ((drawn -= weight(left.get(i))) >= 0) {
            i++;
        }
        return i;
    }

    private int weight(String queue) {
        return Math.max(1, weights.getOrDefault(queue, 1));
    }
}
