package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.limiters.OverLimits;
import org.jspecify.annotations.Nullable;

/**
 * What may end a job besides its own code.
 *
 * @param times watches executions that have a timeout; null if none has any
 * @param over decides about jobs that have used up what a limiter allows
 */
@Internal
public record EarlyEnds(Cancelled cancelled, @Nullable TimeWatch times, OverLimits over) {}
