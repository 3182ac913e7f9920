package dev.jobs.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that runs, as its process last showed it: up to ten seconds old, so that short jobs hardly ever appear.
 *
 * @param process the identity of the process
 * @param thread the process's name for the thread
 * @param queue the queue that it was taken from, or empty if the entry doesn't say
 * @param runAt when it began, or null if the entry doesn't say
 * @param job the job; if the entry can't be read, its stored text
 */
public record WorkInfo(
        String process,
        String thread,
        String queue,
        @Nullable Instant runAt,
        JobRecord job) {}
