package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered queue: where its jobs wait besides its list, and which rank a job has there.
 *
 * @param set the sorted set of its jobs
 * @param tags what the scripts remember of its keys
 */
@Internal
public record OrderedQueue(byte[] set, byte[] tags, Rule rule) {

    /** Which queues are ordered. */
    public interface Rules {

        /** None is. */
        Rules NONE = new Rules() {
            @Override
            public @Nullable Rule of(String queue) {
                return null;
            }

            @Override
            public boolean isEmpty() {
                return true;
            }
        };

        /** The rule of a queue; null if it isn't ordered. */
        @Nullable Rule of(String queue);

        /** Whether no queue is. */
        boolean isEmpty();
    }

    /** How one is ordered. */
    public interface Rule {

        /** Whether new jobs go to the sorted set; otherwise they go to the list. */
        boolean takesNew();

        /** The rank of a job, as the scripts read it. */
        byte[] rank(byte[] stored);
    }

    /** What the scripts of such a queue need: the order of its jobs. */
    public static final LuaPart ORDER = LuaPart.listed("shared_order");

    /** Whether new jobs go there; otherwise they go to the list. */
    public boolean takesNew() {
        return rule.takesNew();
    }

    /** The rank of a job. */
    public byte[] rank(byte[] stored) {
        return rule.rank(stored);
    }

    /** How many queues these are and, behind that, the numbers of those that are ordered, from 1. */
    public static byte[] numbers(RedisKeys keys, List<String> queues) {
        if (keys.orders().isEmpty()) {
            return Bytes.of(queues.size());
        }
        StringBuilder numbers = new StringBuilder().append(queues.size());
        for (int i = 0; i < queues.size(); i++) {
            if (keys.ordered(queues.get(i)) != null) {
                numbers.append(' ').append(i + 1);
            }
        }
        return Bytes.of(numbers.toString());
    }

    /** Adds the keys of those queues that are ordered. */
    public static void addKeys(RedisKeys keys, List<String> queues, List<byte[]> all) {
        for (String queue : queues) {
            OrderedQueue ordered = keys.ordered(queue);
            if (ordered != null) {
                all.add(ordered.set());
                all.add(ordered.tags());
            }
        }
    }

    /** Each job behind its rank. */
    public List<byte[]> ranked(List<byte[]> jobs) {
        List<byte[]> ranked = new ArrayList<>(2 * jobs.size());
        for (byte[] job : jobs) {
            ranked.add(rank(job));
            ranked.add(job);
        }
        return ranked;
    }
}
