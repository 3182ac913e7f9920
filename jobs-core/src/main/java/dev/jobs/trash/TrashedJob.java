package dev.jobs.trash;

import dev.jobs.admin.JobRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A deleted job that can be restored.
 *
 * @param id identifies it in the trash
 * @param batch the name of the jobs that were deleted together
 * @param deletedAt by the server's clock
 * @param job the job, with the set or queue it was in
 */
public record TrashedJob(String id, String batch, @Nullable Instant deletedAt, JobRecord job) {}
