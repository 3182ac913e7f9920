package dev.jobs.limits;

import dev.jobs.admin.JobRecord;
import org.jspecify.annotations.Nullable;

/**
 * A job that has a permit.
 *
 * @param process the worker that runs it
 * @param queue the queue from which it was taken
 * @param job null if it ended meanwhile
 */
public record LimitHolder(
        String process, String queue, @Nullable JobRecord job) {}
