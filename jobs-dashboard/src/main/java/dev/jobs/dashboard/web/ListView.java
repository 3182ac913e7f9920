package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.admin.Page;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A part of a list. */
@Internal
public record ListView(
        List<?> items,
        long from,
        int size,
        @Nullable Long total,
        @Nullable Long next,
        boolean partial) {

    public static <T> ListView of(Page<T> page, int size, Function<T, ?> view) {
        return new ListView(
                page.items().stream().map(view).toList(),
                page.from(),
                size,
                page.total(),
                page.next() < 0 ? null : page.next(),
                page.partial());
    }
}
