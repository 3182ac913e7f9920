package dev.jobs.admin;

import org.jspecify.annotations.Nullable;

/**
 * What one step of an action on many jobs did.
 *
 * @param done jobs that it was done to
 * @param kept jobs that stay although they were meant, as in {@link BulkResult}
 * @param cursor what the next step is to be given, or null if this was the last one
 */
public record BulkStep(long done, long kept, @Nullable String cursor) {}
