package dev.jobs.shards.spring;

import dev.jobs.JobDefinitionException;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Key prefixes for many shards on one Redis Cluster: with N of them, each of N equal ranges of hash slots has exactly
 * one.
 *
 * <p>The first is the home shard's. Whenever the number doubles, each range is cut in halves; in ascending order, the
 * half without a shard gets a new one. So the first shards keep their prefixes if their number changes. The hash tag of
 * a new one is that of home with a dash and the lowest number that leads to a hash slot in its range.
 */
final class ClusterPrefixes {

    private ClusterPrefixes() {}

    /**
     * @param home the prefix of the home shard's keys
     * @param count a power of 2
     * @throws JobDefinitionException if the home shard's prefix has no hash tag
     */
    static List<String> of(String home, int count) {
        int open = home.indexOf('{');
        int close = home.indexOf('}', open + 1);
        if (open < 0 || close <= open + 1) {
            throw new JobDefinitionException(
                    "There are " + count + " jobs.cluster-shards, and jobs.key-prefix is '" + home
                            + "': without a hash tag in it no other prefixes can be made",
                    "Set jobs.key-prefix to a name in braces, such as \"{shop}:\".");
        }
        String before = home.substring(0, close) + "-";
        String after = home.substring(close);
        List<String> prefixes = new ArrayList<>(List.of(home));
        for (int ranges = 2; ranges <= count; ranges *= 2) {
            int width = SlotHash.SLOT_COUNT / ranges;
            BitSet taken = new BitSet(ranges);
            prefixes.forEach(prefix -> taken.set(SlotHash.getSlot(prefix) / width));
            for (int range = taken.nextClearBit(0); range < ranges; range = taken.nextClearBit(range + 1)) {
                prefixes.add(first(before, after, range, width));
            }
        }
        return prefixes;
    }

    private static String first(String before, String after, int range, int width) {
        for (int number = 1; ; number++) {
            String prefix = before + number + after;
            if (SlotHash.getSlot(prefix) / width == range) {
                return prefix;
            }
        }
    }
}
