package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.ordered.OrderRule.By;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaPart;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayList;
import java.util.List;

/**
 * An ordered queue: where its jobs wait besides its list, and which rank a job has there.
 *
 * @param set the sorted set of its jobs
 * @param tags what the scripts remember of its keys
 */
@Internal
public record OrderedQueue(byte[] set, byte[] tags, OrderRule rule) {

    /** What the scripts of such a queue need: the order of its jobs. */
    public static final LuaPart ORDER = LuaPart.listed("shared_order");

    /** Whether new jobs go there; otherwise they go to the list. */
    public boolean takesNew() {
        return rule.by() != By.NONE;
    }

    /** The rank of a job. One that can't be read has no key and no priority. */
    public byte[] rank(byte[] stored) {
        return rule.rank(parsed(stored));
    }

    private static Payload parsed(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return Payload.of(java.util.Map.of());
        }
    }

    /** How many queues these are and, behind that, the numbers of those that are ordered, from 1. */
    public static byte[] numbers(RedisKeys keys, List<String> queues) {
        if (keys.orders().byQueue().isEmpty()) {
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
