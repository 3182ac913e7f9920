package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue whose jobs wait in a sorted set, behind those of its list: where that is, and which rank a job has there.
 *
 * @param set the sorted set of its jobs
 * @param tags what the scripts remember of its keys
 */
@Internal
public record SortedQueue(byte[] set, byte[] tags, Rule rule) {

    /** Says which queues have such sets. */
    public interface Rules {

        /** None has. */
        Rules NONE = new Rules() {
            @Override
            public @Nullable Rule of(String queue) {
                return null;
            }

            @Override
            public void addGate(RedisKeys keys, List<String> queues, List<byte[]> all, List<byte[]> arguments) {}

            @Override
            public boolean isEmpty() {
                return true;
            }
        };

        /** The rule of a queue; null if it has no set. */
        @Nullable Rule of(String queue);

        /** Tells a claim which of its queues have sets, if any has: the kind of a gate and its arguments. */
        void addGate(RedisKeys keys, List<String> queues, List<byte[]> all, List<byte[]> arguments);

        /** Whether no queue has one. */
        boolean isEmpty();
    }

    /** Says how one is sorted. */
    public interface Rule {

        /** Whether new jobs go to the sorted set; otherwise they go to the list. */
        boolean takesNew();

        /** The rank of a job, as the scripts read it. */
        byte[] rank(byte[] stored);
    }

    /** What the scripts of such a queue need: how jobs are put into the set and taken from there. */
    public static final LuaPart ORDER = LuaPart.listed("shared_order");

    /** Whether new jobs go there; otherwise they go to the list. */
    public boolean takesNew() {
        return rule.takesNew();
    }

    /** The rank of a job. */
    public byte[] rank(byte[] stored) {
        return rule.rank(stored);
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
