package dev.jobs.ends;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobStoreException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import dev.jobs.leases.Lease;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends jobs that have expired before they began. Thread-safe. */
@Internal
public final class ExpiryPart implements JobPart.Refuses, JobPart.Begins {

    private static final Logger log = LoggerFactory.getLogger(ExpiryPart.class);

    private final Clock clock;
    private final Begin begin;

    /** Notes that a job begins. */
    @FunctionalInterface
    @Internal
    public interface Begin {

        /** Returns false if it has expired, at the latest now by this clock. */
        boolean inTime(ClaimedJob job, Instant expiry, Instant now);
    }

    public ExpiryPart(Clock clock, Begin begin) {
        this.clock = clock;
        this.begin = begin;
    }

    /** Asks the clock of Redis. If Redis can't be asked now, what it said at the last beat counts: the job need not wait. */
    public static Begin inRedis(ExpiringJobs expiring, Lease lease) {
        return (job, expiry, now) -> {
            try {
                byte[] begun = Expiry.setAside(job.payload()).bytes();
                return expiring.begin(job.incarnation().id(), job.token(), expiry, begun);
            } catch (JobStoreException e) {
                log.debug("Can't ask whether {} has expired", job, e);
                return !lease.serverTime(now).isAfter(expiry);
            }
        };
    }

    /** Asks the own clock. */
    public static Begin here() {
        return (job, expiry, now) -> !now.isAfter(expiry);
    }

    @Override
    public @Nullable Outcome refused(ClaimedJob job, Ending why) {
        return why == Ending.EXPIRED ? expired(job, Objects.requireNonNull(Expiry.of(job.payload()))) : null;
    }

    @Override
    public @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition) {
        Instant expiry = Expiry.of(job.payload());
        if (expiry == null) {
            return null;
        }
        if (!begin.inTime(job, expiry, clock.instant())) {
            return expired(job, expiry);
        }
        job.attach(new JobEffects.GoesBack(Expiry::setAside)); // since it was begun, it no longer expires
        return null;
    }

    private static Outcome expired(ClaimedJob job, Instant expiry) {
        job.message("It expired at " + expiry);
        return EarlyOutcome.Ended.notRun(Ending.EXPIRED, " at " + expiry + ", is not run", "It expired at " + expiry);
    }
}
