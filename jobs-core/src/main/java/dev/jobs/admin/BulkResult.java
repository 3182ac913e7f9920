package dev.jobs.admin;

import org.jspecify.annotations.Nullable;

/**
 * What an action on many jobs did.
 *
 * @param done jobs on which it was carried out
 * @param kept matching jobs that stay where they are: vetoed by a middleware, not a JSON object, or without a usable
 *     queue
 * @param restorable by how many jobs the batch in the trash has grown; negative if these jobs displaced more jobs of
 *     the same batch that earlier steps had put there. 0 for all actions but {@link MatchingJobs#trash}
 * @param cursor for the next {@link MatchingJobs#step}, or null if the action is complete
 */
public record BulkResult(
        long done, long kept, long restorable, @Nullable String cursor) {}
