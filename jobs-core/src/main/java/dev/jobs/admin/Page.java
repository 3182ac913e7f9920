package dev.jobs.admin;

import java.util.List;

/**
 * A part of a long list.
 *
 * @param items at most {@code size}
 * @param page the number of this page, from 1; lower than asked for if the list has become too short
 * @param size items on a full page
 * @param total items on all pages
 */
public record Page<T>(List<T> items, long page, int size, long total) {

    public Page {
        items = List.copyOf(items);
    }

    /** How many pages there are; an empty list has one. */
    public long pages() {
        return pages(total, size);
    }

    static long pages(long total, int size) {
        return Math.max(1, (total + size - 1) / size);
    }
}
