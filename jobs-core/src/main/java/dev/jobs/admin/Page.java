package dev.jobs.admin;

import java.util.List;
import java.util.function.Function;

/**
 * A part of a list that may be filtered.
 *
 * @param items the matching items, in the order of the list
 * @param from the position in the list at which the search began; lower than requested if the list has become shorter
 * @param next the position at which the next page begins, or -1 if this is the last one
 * @param total entries in the whole list, matching or not
 * @param partial whether the search stopped before it found as many items as requested, because its budget was used up
 *     or they are larger than a page may be, 16 MiB
 */
public record Page<T>(List<T> items, long from, long next, long total, boolean partial) {

    public Page {
        items = List.copyOf(items);
    }

    /** The same page with what is made of each item. */
    public <R> Page<R> map(Function<? super T, ? extends R> made) {
        return new Page<>(items.stream().<R>map(made).toList(), from, next, total, partial);
    }
}
