package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Tells limiters which job a thread runs, and how long a job waits that used up what one allows. Thread-safe. */
@Internal
public final class OverLimits implements JobPart.Around, JobPart.Throws {

    /** The payload's member that counts how often in succession a job was put off: Sidekiq Enterprise's. */
    static final String MEMBER = "overrated";

    private final LimiterConfig config;
    private final CurrentDelivery current;
    private final FailureHandling payloads;
    private final RandomGenerator random;

    /** @param current asked by the limiters that jobs use */
    public OverLimits(LimiterConfig config, CurrentDelivery current, FailureHandling payloads, RandomGenerator random) {
        this.payloads = payloads;
        this.config = config;
        this.current = current;
        this.random = random;
    }

    @Override
    public @Nullable Outcome enter(ClaimedJob job, JobDefinition definition) {
        current.enter(job);
        return null;
    }

    @Override
    public void decided(ClaimedJob job) {
        current.leave();
    }

    /** What a job throws to stop itself says nothing of a limit. */
    @Override
    public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
        Duration delay = thrown instanceof JobInterruptedException ? null : delay(job.payload(), thrown);
        return delay == null
                ? null
                : new EarlyOutcome.Later(
                        Ending.OVER_LIMIT,
                        " after " + EarlyOutcome.TOOK + " s, comes back in " + EarlyOutcome.DELAY + " s: "
                                + EarlyOutcome.REASON,
                        waiting(job.payload(), job.queue()),
                        delay,
                        thrown);
    }

    private Payload waiting(Payload stored, String queue) {
        return payloads.withoutNotes(payloads.waiting(stored, queue), null).with(MEMBER, count(stored) + 1);
    }

    /** The payload of a job that failed, which may be put off as often as before. */
    public static Payload withoutNote(Payload payload, @Nullable Throwable failure) {
        return failure == null || !payload.has(MEMBER) ? payload : payload.without(MEMBER);
    }

    /** How long the job waits, if what it threw is no failure; else null. Up to a tenth longer than it has to. */
    private @Nullable Duration delay(Payload payload, Throwable thrown) {
        Duration delay = thrown instanceof OverLimitException over
                ? over.retryAfter()
                : isNamed(thrown.getClass()) ? config.errorDelay() : null;
        if (delay == null || count(payload) >= config.reschedules()) {
            return null;
        }
        long millis = delay.toMillis();
        return delay.plusMillis(random.nextLong(millis / 10 + 1));
    }

    private static long count(Payload payload) {
        Long count = payload.integer(MEMBER);
        return count == null ? 0 : Math.max(0, count);
    }

    private boolean isNamed(Class<?> thrown) {
        if (config.errors().isEmpty()) {
            return false;
        }
        for (Class<?> type = thrown; type != null; type = type.getSuperclass()) {
            if (config.errors().contains(type.getName())) {
                return true;
            }
        }
        return false;
    }
}
