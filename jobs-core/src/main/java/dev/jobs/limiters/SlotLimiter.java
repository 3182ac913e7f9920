package dev.jobs.limiters;

import dev.jobs.limiters.LimiterGate.Held;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A concurrent limiter. @param hold how long a slot outside a job lasts; null if that was not said */
record SlotLimiter(
        LimiterGate gate,
        LimiterRule rule,
        Duration patience,
        @Nullable Duration hold) implements ConcurrentLimiter {

    private static final Duration MOST_HOLD = Duration.ofDays(1);

    @Override
    public String name() {
        return rule.name();
    }

    @Override
    public ConcurrentLimiter waitAtMost(Duration most) {
        return new SlotLimiter(
                gate, rule, StoredLimiters.within(name(), "wait", most, Duration.ZERO, StoredLimiters.MOST_WAIT), hold);
    }

    @Override
    public ConcurrentLimiter holdAtMost(Duration most) {
        return new SlotLimiter(
                gate, rule, patience, StoredLimiters.within(name(), "hold", most, Duration.ofMillis(1), MOST_HOLD));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
        Held held = gate.hold(rule, patience, hold);
        try {
            return work.call();
        } finally {
            gate.free(held);
        }
    }
}
