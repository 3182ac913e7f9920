package dev.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long one execution of a job may take, in members of its payload. Workers of Ruby ignore them. */
public final class JobTimeout {

    /** The payload's member for the seconds. */
    public static final String MEMBER = "timeout";

    /** The payload's member that says whether a job that timed out is retried; missing means that it is. */
    public static final String RETRY = "timeout_retry";

    private JobTimeout() {}

    /**
     * The seconds to store for a duration.
     *
     * @throws InvalidJobException if it is not at least a millisecond and at most 1,000,000,000 seconds
     */
    public static Number seconds(Duration duration) {
        return Expiry.seconds(MEMBER, duration);
    }

    /** Whether a payload's {@value #MEMBER} is one that can be stored, or is missing. */
    public static boolean isValid(Payload payload) {
        return Expiry.isValid(payload.get(MEMBER));
    }

    /** The duration in a member; null if it is missing, or if another program wrote something else than seconds. */
    public static @Nullable Duration of(@Nullable Object seconds) {
        return seconds instanceof Number number && Expiry.isValid(number)
                ? Duration.ofNanos(Math.max(1, Math.round(number.doubleValue() * 1e9)))
                : null;
    }
}
