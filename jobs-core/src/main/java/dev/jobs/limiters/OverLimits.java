package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Tells limiters which job a thread runs, and how long a job waits that used up what one allows. Thread-safe. */
@Internal
public final class OverLimits {

    /** The payload's member that counts how often in succession a job was put off: Sidekiq Enterprise's. */
    public static final String MEMBER = "overrated";

    private final LimiterConfig config;
    private final CurrentDelivery current;
    private final RandomGenerator random;

    /** @param current asked by the limiters that jobs use */
    public OverLimits(LimiterConfig config, CurrentDelivery current, RandomGenerator random) {
        this.config = config;
        this.current = current;
        this.random = random;
    }

    /** The current thread begins with the job's code. */
    public void enter(ClaimedJob job) {
        current.enter(job);
    }

    /** The current thread is done with it. */
    public void leave() {
        current.leave();
    }

    /** How long the job waits, if what it threw is no failure; else null. Up to a tenth longer than it has to. */
    @Nullable public Duration delay(Payload payload, Throwable thrown) {
        Duration delay = thrown instanceof OverLimitException over
                ? over.retryAfter()
                : isNamed(thrown.getClass()) ? config.errorDelay() : null;
        if (delay == null || count(payload) >= config.reschedules()) {
            return null;
        }
        long millis = delay.toMillis();
        return delay.plusMillis(random.nextLong(millis / 10 + 1));
    }

    public static long count(Payload payload) {
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
