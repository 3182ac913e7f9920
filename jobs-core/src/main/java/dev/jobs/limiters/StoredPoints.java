package dev.jobs.limiters;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A limiter of points. @param estimate what a use takes at first */
record StoredPoints(LimiterGate gate, LimiterRule rule, Duration patience, long estimate) implements PointsLimiter {

    private static final long MOST_USED = 1_000_000_000;

    @Override
    public String name() {
        return rule.name();
    }

    @Override
    public PointsLimiter waitAtMost(Duration most) {
        return new StoredPoints(
                gate,
                rule,
                StoredLimiters.within(name(), "wait", most, Duration.ZERO, StoredLimiters.MOST_WAIT),
                estimate);
    }

    @Override
    public PointsLimiter estimate(long points) {
        StoredLimiters.check(
                points >= 0 && points <= rule.size(),
                name(),
                "'points' must be 0 to its size, " + rule.size() + ", but was " + points);
        return new StoredPoints(gate, rule, patience, points);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
        Use use = begin();
        try {
            return work.call(use);
        } finally {
            end(use);
        }
    }

    private Use begin() {
        gate.enter(rule, estimate, patience);
        return new Use(name(), estimate);
    }

    private void end(Use use) {
        if (use.used != estimate) {
            gate.correct(rule, use.used - estimate);
        }
    }

    /** One use, which has cost its estimate unless it says otherwise. */
    private static final class Use implements Call {

        private final String limiter;
        private long used;

        Use(String limiter, long estimate) {
            this.limiter = limiter;
            this.used = estimate;
        }

        @Override
        public void used(long points) {
            StoredLimiters.check(
                    points >= 0 && points <= MOST_USED,
                    limiter,
                    "'points' must be 0 to " + MOST_USED + " but was " + points);
            used = points;
        }
    }
}
