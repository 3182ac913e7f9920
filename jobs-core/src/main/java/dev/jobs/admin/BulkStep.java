package dev.jobs.admin;

import org.jspecify.annotations.Nullable;

/**
 * What one step of an action on many jobs did.
 *
 * @param done jobs that it was done to
 * @param kept jobs that stay although they were meant, as in {@link BulkResult}
 * @param restorable by how many jobs of the batch the trash has grown; less than 0 if these pushed out more of those that earlier steps had
 *     put there. 0 where nothing is deleted
 * @param cursor what the next step is to be given, or null if this was the last one
 */
public record BulkStep(
        long done, long kept, long restorable, @Nullable String cursor) {}
