package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.PayloadTimes;
import java.time.Duration;

/**
 * Settings of a client.
 *
 * @param maxPayload maximum size of a stored job in bytes, 1,000 to 500,000,000; 1 MiB by default
 * @param bulkSlice maximum number of jobs per slice of a bulk call, 1 to 1,000; 1,000 by default
 * @param times how times are written into payloads, milliseconds by default
 * @param keepResult how long results of submitted jobs are kept, 1 s to 30 days; 1 hour by default
 */
@Internal
public record ClientConfig(long maxPayload, int bulkSlice, PayloadTimes times, Duration keepResult) {

    public ClientConfig {
        if (maxPayload < 1_000 || maxPayload > 500_000_000) {
            throw new JobDefinitionException(
                    "'maxPayload' must be 1,000 to 500,000,000 bytes but was " + maxPayload, "Correct the value.");
        }
        if (bulkSlice < 1 || bulkSlice > 1_000) {
            throw new JobDefinitionException(
                    "'bulkSlice' must be 1 to 1,000 jobs but was " + bulkSlice, "Correct the value.");
        }
        if (keepResult.compareTo(Duration.ofSeconds(1)) < 0 || keepResult.compareTo(Duration.ofDays(30)) > 0) {
            throw new JobDefinitionException(
                    "'keepResult' must be 1 s to 30 days but was " + keepResult, "Correct the value.");
        }
    }

    /** Settings with results that are kept for an hour. */
    public ClientConfig(long maxPayload, int bulkSlice, PayloadTimes times) {
        this(maxPayload, bulkSlice, times, Duration.ofHours(1));
    }

    /** Settings with times in milliseconds. */
    public ClientConfig(long maxPayload, int bulkSlice) {
        this(maxPayload, bulkSlice, PayloadTimes.MILLISECONDS);
    }

    /** The defaults: 1 MiB, 1,000 jobs, times in milliseconds. */
    public static ClientConfig defaults() {
        return new ClientConfig(1 << 20, 1_000);
    }
}
