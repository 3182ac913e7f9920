package dev.jobs.engine;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The order in which a capsule claims from its queues. Confined to the capsule's fetcher. */
@Internal
public final class QueueOrder {

    private final Map<String, Integer> weights;
    private final RandomGenerator random;
    private final List<String> listed;
    private final boolean fixed;

    public QueueOrder(CapsuleConfig config, RandomGenerator random) {
        this.weights = config.weights();
        this.random = random;
        this.listed = List.copyOf(config.queues());
        this.fixed = config.mode() == CapsuleConfig.Mode.STRICT || listed.size() == 1;
    }

    /**
     * The order for one claim: as listed, or newly drawn, where a queue's chance to be next is proportional to its
     * weight, at least 1.
     */
    public List<String> next() {
        if (fixed) {
            return listed;
        }
        List<Drawn> drawn = new ArrayList<>(listed.size());
        for (String queue : listed) {
            drawn.add(new Drawn(queue, -Math.log(1 - random.nextDouble()) / weight(queue)));
        }
        drawn.sort(Comparator.comparingDouble(Drawn::at));
        return drawn.stream().map(Drawn::queue).toList();
    }

    /**
     * A queue and the time at which its turn comes, drawn from an exponential distribution whose rate is its weight: of
     * those left, each is next with a chance proportional to its weight, and thousands take one draw each.
     */
    private record Drawn(String queue, double at) {}

    private int weight(String queue) {
        return Math.max(1, weights.getOrDefault(queue, 1));
    }
}
