package dev.jobs.limiters;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A bucket, a window or a leaky bucket. */
record RateLimiter(LimiterGate gate, LimiterRule rule, Duration patience) implements Limiter {

    @Override
    public String name() {
        return rule.name();
    }

    @Override
    public Limiter waitAtMost(Duration most) {
        return new RateLimiter(
                gate, rule, StoredLimiters.within(name(), "wait", most, Duration.ZERO, StoredLimiters.MOST_WAIT));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
        gate.enter(rule, 1, patience);
        return work.call();
    }
}
