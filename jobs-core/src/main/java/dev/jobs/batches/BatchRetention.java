package dev.jobs.batches;

import dev.jobs.Internal;
import java.time.Duration;

/**
 * How long batches are kept after their end.
 *
 * @param plain 24 hours by default
 * @param withDead for a batch with dead jobs, which may still be revived, 7 days by default
 */
@Internal
public record BatchRetention(Duration plain, Duration withDead) {

    /** 24 hours, and 7 days with dead jobs. */
    public static BatchRetention defaults() {
        return new BatchRetention(Duration.ofHours(24), Duration.ofDays(7));
    }
}
