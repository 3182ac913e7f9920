package dev.jobs.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of one name that failed of one cause.
 *
 * @param name what people call the job; empty where an entry is no job
 * @param cause the class of what was thrown; empty where the job doesn't say
 * @param first when the first of them failed for the first time
 * @param last when one of them failed last
 * @param sample one of them
 */
public record FailureGroup(
        String name,
        String cause,
        long count,
        @Nullable Instant first,
        @Nullable Instant last,
        PlacedJob sample) {}
