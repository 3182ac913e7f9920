package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.ClaimedJob;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether something that this process remembers of a job is so. */
@Internal
public enum Known {
    NO,
    YES,
    /** Redis can't be asked now. In doubt a job runs or waits, and never ends. */
    UNKNOWN;

    private static final Logger log = LoggerFactory.getLogger(Known.class);

    public static Known of(boolean known) {
        return known ? YES : NO;
    }

    /** The answer of Redis. */
    public static Known of(ClaimedJob job, BooleanSupplier question) {
        try {
            return of(question.getAsBoolean());
        } catch (JobStoreException e) {
            log.debug("Can't ask whether {} is still cancelled", job, e);
            return isAway(e) ? UNKNOWN : NO;
        }
    }

    /** Whether the same question may be answered a little later. */
    public static boolean isAway(JobStoreException e) {
        return switch (e.kind()) {
            case UNREACHABLE, TIMEOUT, READ_ONLY, FULL, BUSY, UNSAFE -> true;
            case DENIED, WRONG_TYPE, OTHER -> false;
        };
    }
}
