package dev.jobs.engine;

import org.jspecify.annotations.Nullable;

/**
 * What may end a job from outside.
 *
 * @param times watches executions that have a timeout; null if none has any
 */
record EarlyEnds(Cancelled cancelled, @Nullable TimeWatch times) {}
