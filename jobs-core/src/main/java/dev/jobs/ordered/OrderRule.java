package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.SortedQueue;
import java.time.Duration;
import java.util.Map;

/**
 * How an ordered queue orders its jobs.
 *
 * @param by what decides
 * @param step how much earlier each step of priority lets a job begin, more than 0, at most a day; only by priority
 * @param weights how many turns of a round the jobs of a key get, 1 to {@value #HEAVIEST}; 1 for other keys; only if
 *     fair
 */
@Internal
public record OrderRule(By by, Duration step, Map<String, Integer> weights) implements SortedQueue.Rule {

    /** What decides which job is next. */
    public enum By {
        /** The keys of jobs take turns. */
        FAIR,
        /** Jobs with a priority are taken as if they had been enqueued earlier. */
        PRIORITY,
        /** The queue is no longer ordered: new jobs go to its list, and those that wait in order are still taken. */
        NONE
    }

    /** The largest weight of a key. */
    public static final int HEAVIEST = 100;

    /** What each step of priority is worth unless something else is said. */
    public static final Duration USUAL_STEP = Duration.ofMinutes(1);

    private static final Duration LONGEST_STEP = Duration.ofDays(1);

    /** The distance between two turns of a key with weight 1. */
    static final int TURN = 1_000;

    /** @throws IllegalArgumentException if the step or a weight is out of range, or a key can't be one */
    public OrderRule {
        if (step.isNegative() || step.isZero() || step.compareTo(LONGEST_STEP) > 0) {
            throw new IllegalArgumentException("'step' must be more than 0 and at most 1 d but was " + step);
        }
        weights = Map.copyOf(weights);
        weights.forEach((key, weight) -> {
            if (weight < 1 || weight > HEAVIEST) {
                throw new IllegalArgumentException(
                        "'weights' must be 1 to " + HEAVIEST + " but that of '" + key + "' was " + weight);
            }
            if (!JobOrder.isKey(key)) {
                throw new IllegalArgumentException("a key of 'weights' must be " + JobOrder.KEY_FORM);
            }
        });
    }

    /** Turns between all keys. */
    public static OrderRule fair() {
        return fair(Map.of());
    }

    /** Turns between all keys; those with a weight get more of them. */
    public static OrderRule fair(Map<String, Integer> weights) {
        return new OrderRule(By.FAIR, USUAL_STEP, weights);
    }

    /** By priority. */
    public static OrderRule priority(Duration step) {
        return new OrderRule(By.PRIORITY, step, Map.of());
    }

    /** No longer ordered. */
    public static OrderRule none() {
        return new OrderRule(By.NONE, USUAL_STEP, Map.of());
    }

    @Override
    public boolean takesNew() {
        return by != By.NONE;
    }

    /** The rank of a job. One that can't be read has no key and no priority. */
    @Override
    public byte[] rank(byte[] stored) {
        return rank(parsed(stored));
    }

    private static Payload parsed(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return Payload.of(Map.of());
        }
    }

    private byte[] rank(Payload job) {
        if (by == By.PRIORITY) {
            return Bytes.of("P" + step.toNanos() / 1_000 * JobOrder.priority(job));
        }
        String key = JobOrder.key(job);
        return Bytes.of("F" + Math.round((double) TURN / weights.getOrDefault(key, 1)) + " " + key);
    }
}
