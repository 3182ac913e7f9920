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
public final class OverLimits implements JobPart.Around, JobPart.LeftBehind, JobPart.Throws {

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

    /** Only now, since its code may have gone on with what it had taken. */
    @Override
    public void over(ClaimedJob job) {
        CurrentDelivery.givesBack(job);
    }

    /** What a job throws to stop itself says nothing of a limit. */
    @Override
    public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
        Duration delay = thrown instanceof JobInterruptedException ? null : delay(job, thrown);
        return delay == null
                ? null
                : new EarlyOutcome.Later(
                        Ending.OVER_LIMIT,
                        " after " + EarlyOutcome.TOOK + " s, comes back in " + EarlyOutcome.DELAY + " s: "
                                + EarlyOutcome.REASON,
                        waiting(job),
                        delay,
                        thrown);
    }

    private Payload waiting(ClaimedJob job) {
        return payloads.withoutNotes(payloads.waiting(job.payload(), job.queue()), null)
                .with(MEMBER, count(job) + 1);
    }

    /** The payload of a job that failed, which may be put off as often as before. */
    public static Payload withoutNote(Payload payload, @Nullable Throwable failure) {
        return failure == null || !payload.has(MEMBER) ? payload : payload.without(MEMBER);
    }

    /** How long the job waits, if what it threw is no failure; else null. Up to a tenth longer than it has to. */
    private @Nullable Duration delay(ClaimedJob job, Throwable thrown) {
        Duration delay = thrown instanceof OverLimitException over
                ? over.retryAfter()
                : isNamed(thrown.getClass()) ? config.errorDelay() : null;
        if (delay == null || count(job) >= config.reschedules()) {
            return null;
        }
        long millis = delay.toMillis();
        return delay.plusMillis(random.nextLong(millis / 10 + 1));
    }

    /** How often the job was put off in succession, without having got further in between. */
    private static long count(ClaimedJob job) {
        Long count = job.payload().integer(MEMBER);
        return count == null || job.part(JobPart.Advance.class) != null ? 0 : Math.max(0, count);
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
