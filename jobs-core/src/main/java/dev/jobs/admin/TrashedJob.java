package dev.jobs.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that was deleted and can be taken back.
 *
 * @param id names it in the trash
 * @param batch what it was deleted together with
 * @param deletedAt by the server's clock
 * @param job the job, in the set or queue that it was in
 */
public record TrashedJob(String id, String batch, @Nullable Instant deletedAt, JobRecord job) {}
