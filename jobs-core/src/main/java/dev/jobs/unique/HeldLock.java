package dev.jobs.unique;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a unique job.
 *
 * @param digest its name: the key {@code unique:DIGEST} in Redis
 * @param holder the jid of the job that holds it, which may be running, or have ended if the lock lasts until its
 *     expiry
 * @param left how long it lasts at most, unless the job moves; null if it has no end
 */
public record HeldLock(
        String digest, String holder, @Nullable Duration left) {}
