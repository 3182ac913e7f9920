package dev.jobs.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A running job, as its process last published it: up to ten seconds old, so short jobs rarely appear.
 *
 * @param process the identity of the process
 * @param thread the name of the thread in its process
 * @param queue the queue it was taken from, or empty if the entry doesn't contain it
 * @param runAt when it began, or null if the entry doesn't contain it
 * @param job the job, or the entry itself if it can't be read
 */
public record WorkInfo(
        String process,
        String thread,
        String queue,
        @Nullable Instant runAt,
        JobRecord job) {}
