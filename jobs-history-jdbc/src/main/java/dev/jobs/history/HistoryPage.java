package dev.jobs.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of what a search found.
 *
 * @param next what to pass as {@code after} for the following page; null if there is none
 */
public record HistoryPage<T>(List<T> items, @Nullable String next) {

    public HistoryPage {
        items = List.copyOf(items);
    }
}
