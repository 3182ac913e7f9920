package dev.jobs.ordered;

import java.util.List;

/**
 * The jobs of an ordered queue that wait in its order, without those that are taken before it.
 *
 * @param waiting how many
 * @param keys how many keys take turns; 0 in a queue by priority
 * @param longest some of these keys: at most 20, those whose last job has the longest way first
 */
public record OrderedJobs(long waiting, long keys, List<Key> longest) {

    /** Of a queue that isn't ordered, or in which no job waits. */
    public static final OrderedJobs NONE = new OrderedJobs(0, 0, List.of());

    /**
     * A key with waiting jobs.
     *
     * @param rounds in which round of turns its last job starts, 1 for the present one
     */
    public record Key(String key, long rounds) {}

    public OrderedJobs {
        longest = List.copyOf(longest);
    }
}
