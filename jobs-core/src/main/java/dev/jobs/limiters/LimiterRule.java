package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.limiters.Limiters.Kind;
import java.util.Locale;

/**
 * What a limiter allows, as the code says.
 *
 * @param size how many uses, permits or points
 * @param micros microseconds: the period of a bucket or a window; the time in which one point of the others drains; 0
 *     for a concurrent limiter
 */
@Internal
public record LimiterRule(Kind kind, String name, long size, double micros) {

    String kindName() {
        return name(kind);
    }

    static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    String unit() {
        return String.format(Locale.ROOT, "%.6f", micros);
    }
}
