package dev.jobs.spring.autoconfigure.operations;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/**
 * An action on one entry of a section.
 *
 * @param concurrency for the action set: how many jobs with the same key may run at once
 * @param rate for the action set: how many jobs with the same key may start in the time {@code per}
 * @param per that time, such as {@code 20s}
 * @param burst how many of them may start at once after a quiet time; as many as the rate if it is not given
 */
@Internal
public record Change(
        String action,
        @Nullable Integer concurrency,
        @Nullable Integer rate,
        @Nullable String per,
        @Nullable Integer burst) {}
