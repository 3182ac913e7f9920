package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A group of queues and the number of jobs that run from them at once.
 *
 * @param name shown to people; the first capsule is {@code default}
 * @param concurrency 1 to 10,000
 * @param weights the queues in order, with their weights; all 0 means strict order
 */
@Internal
public record CapsuleConfig(String name, int concurrency, Map<String, Integer> weights) {

    private static final int MAX_CONCURRENCY = 10_000;

    /** The order in which queues are claimed from. */
    public enum Mode {
        /** As listed: jobs of a queue start only when the queues before it are empty. */
        STRICT,
        /** A random order, newly drawn for each claim. */
        RANDOM,
        /** Newly drawn for each claim; a queue's chance to be first is proportional to its weight. */
        WEIGHTED
    }

    public CapsuleConfig {
        weights = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            throw new JobDefinitionException(
                    "'concurrency' of capsule '" + name + "' must be 1 to " + MAX_CONCURRENCY + " but was "
                            + concurrency,
                    "Set the number of jobs that may run at once, such as 10.");
        }
        if (weights.isEmpty()) {
            throw new JobDefinitionException(
                    "Capsule '" + name + "' has no queues", "List the queues that it works on, such as [default].");
        }
    }

    /**
     * Reads queues in Sidekiq's syntax: {@code name} or {@code name,weight}. No weights mean strict order, all weights
     * 1 random order, anything else weighted order, in which a queue without a weight counts as 1.
     *
     * @throws JobDefinitionException if an entry is of another form
     */
    public static CapsuleConfig of(String name, int concurrency, List<String> queues) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (String entry : queues) {
            String[] parts = entry.split(",", -1);
            String queue = parts[0].strip();
            int weight = parts.length == 1 ? 0 : weight(name, entry, parts);
            if (!JobDefinition.QUEUE_NAME.matcher(queue).matches()) {
                throw wrong(name, entry);
            }
            if (weights.putIfAbsent(queue, weight) != null) {
                throw new JobDefinitionException(
                        "Capsule '" + name + "' lists the queue '" + queue + "' twice",
                        "List each queue once; give it a weight, as in \"" + queue + ",3\", to prefer it.");
            }
        }
        return new CapsuleConfig(name, concurrency, weights);
    }

    private static int weight(String name, String entry, String[] parts) {
        try {
            int weight = Integer.parseInt(parts[1].strip());
            if (parts.length == 2 && weight >= 0 && weight <= 1_000) {
                return weight;
            }
        } catch (NumberFormatException e) {
            // falls through to the message for all wrong forms
        }
        throw wrong(name, entry);
    }

    private static JobDefinitionException wrong(String capsule, String entry) {
        return new JobDefinitionException(
                "Capsule '" + capsule + "' lists the queue '" + entry
                        + "', which is neither a name nor \"name,weight\"",
                "Use a name of 1 to 128 letters, digits and the characters _ . : - and, if queues are to be weighted, a comma and a weight "
                        + "of 0 to 1000.");
    }

    /** The queues in the order in which they were listed. */
    public List<String> queues() {
        return new ArrayList<>(weights.keySet());
    }

    /** The order in which the queues are claimed from. */
    public Mode mode() {
        if (weights.values().stream().allMatch(weight -> weight == 0)) {
            return Mode.STRICT;
        }
        return weights.values().stream().allMatch(weight -> weight == 1) ? Mode.RANDOM : Mode.WEIGHTED;
    }
}
