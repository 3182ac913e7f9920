package dev.jobs.admin;

import java.util.List;

/**
 * A part of a list that may be filtered.
 *
 * @param items what was found, in the order of the list
 * @param from the place in the list at which the search began; lower than asked for if the list has become too short
 * @param next the place at which the next part begins, or -1 if there is none
 * @param total entries in the whole list, wanted or not
 * @param partial whether the search ended before it had found as many as were asked for, because that would have taken too long
 */
public record Slice<T>(List<T> items, long from, long next, long total, boolean partial) {

    public Slice {
        items = List.copyOf(items);
    }
}
