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

    private static final byte[] GATE = Bytes.of("queue_order");

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

    /** Tells a claim which of its queues are ordered, if any is: the arguments of {@code gate_queue_order.lua}. */
    public static void addGate(RedisKeys keys, List<String> queues, List<byte[]> all, List<byte[]> arguments) {
        if (keys.orders().isEmpty()) {
            return;
        }
        int first = all.size() + 1;
        List<byte[]> numbers = new ArrayList<>();
        for (int i = 0; i < queues.size(); i++) {
            OrderedQueue ordered = keys.ordered(queues.get(i));
            if (ordered != null) {
                all.add(ordered.set());
                all.add(ordered.tags());
                numbers.add(Bytes.of(i + 1));
            }
        }
        if (!numbers.isEmpty()) {
            arguments.addAll(List.of(GATE, Bytes.of(first), Bytes.of(numbers.size())));
            arguments.addAll(numbers);
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
