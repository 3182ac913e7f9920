package dev.jobs.limiters;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobsException;
import dev.jobs.codec.OneLine;
import dev.jobs.limiters.LimiterGate.Held;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Checks what limiters are made of, and makes them. Thread-safe. */
@Internal
public final class StoredLimiters implements Limiters, AutoCloseable {

    private static final int MOST_NAME = 200;
    private static final int MOST_PERMITS = 10_000;
    private static final int MOST_LOGGED = 10_000;
    private static final int MOST = 1_000_000_000;
    private static final double MOST_REFILL = 1_000_000;
    private static final Duration MOST_WAIT = Duration.ofDays(1);
    private static final Duration MOST_HOLD = Duration.ofDays(1);
    private static final Duration LEAST_TIME = Duration.ofMillis(1);
    private static final Duration MOST_TIME = Duration.ofDays(31);
    private static final List<Duration> PERIODS =
            List.of(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofDays(1));

    private final LimiterStore store;
    private final LimiterGate gate;

    /**
     * @param current tells whether a caller is inside a job; that of the engine
     * @param hooks whose listeners are told
     * @param nanoTime a monotonic clock, as {@link System#nanoTime()}
     * @param random the source of the names of permits; used by many threads
     */
    public StoredLimiters(
            LimiterStore store,
            CurrentDelivery current,
            JobHooks hooks,
            LongSupplier nanoTime,
            RandomGenerator random) {
        this.store = store;
        this.gate = new LimiterGate(store, current, hooks, nanoTime, random);
    }

    @Override
    public ConcurrentLimiter concurrent(String name, int max) {
        return new StoredPermits(
                gate, rule(Kind.CONCURRENT, name, within(name, "max", max, MOST_PERMITS), 0), Duration.ZERO, null);
    }

    @Override
    public Limiter bucket(String name, int most, Duration period) {
        check(
                PERIODS.contains(period),
                name,
                "'period' must be a second, a minute, an hour or a day but was " + period);
        return rate(Kind.BUCKET, name, within(name, "most", most, MOST), micros(period));
    }

    @Override
    public Limiter window(String name, int most, Duration period) {
        return rate(
                Kind.WINDOW,
                name,
                within(name, "most", most, MOST_LOGGED),
                micros(within(name, "period", period, LEAST_TIME, MOST_TIME)));
    }

    @Override
    public Limiter leaky(String name, int size, Duration drain) {
        return rate(
                Kind.LEAKY,
                name,
                within(name, "size", size, MOST),
                micros(within(name, "drain", drain, LEAST_TIME, MOST_TIME)) / size);
    }

    @Override
    public PointsLimiter points(String name, long size, double refillPerSecond) {
        check(
                refillPerSecond > 0 && refillPerSecond <= MOST_REFILL,
                name,
                "'refillPerSecond' must be more than 0 and at most 1,000,000 but was " + refillPerSecond);
        double fills = within(name, "size", size, MOST) / refillPerSecond;
        check(
                fills <= MOST_TIME.toSeconds(),
                name,
                "it must be full after 31 days at most, but with " + size + " points and " + refillPerSecond
                        + " a second it takes " + Math.round(fills / 86_400) + " days");
        return new StoredPoints(gate, rule(Kind.POINTS, name, size, 1e6 / refillPerSecond), Duration.ZERO, 1);
    }

    private Limiter rate(Kind kind, String name, long size, double micros) {
        return new RateLimiter(gate, rule(kind, name, size, micros), Duration.ZERO);
    }

    private static LimiterRule rule(Kind kind, String name, long size, double micros) {
        boolean right = !name.isEmpty()
                && name.length() <= MOST_NAME
                && name.chars().noneMatch(Character::isISOControl)
                && UTF_8.newEncoder().canEncode(name);
        check(right, name, "its name must have 1 to 200 characters, none of them a control character");
        return new LimiterRule(kind, name, size, micros);
    }

    private static double micros(Duration time) {
        return time.toNanos() / 1_000.0;
    }

    private static long within(String name, String what, long value, long most) {
        check(value >= 1 && value <= most, name, "'" + what + "' must be 1 to " + most + " but was " + value);
        return value;
    }

    private static Duration within(String name, String what, Duration value, Duration least, Duration most) {
        check(
                value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                name,
                "'" + what + "' must be " + least + " to " + most + " but was " + value);
        return value;
    }

    static void check(boolean right, String name, String problem) {
        if (!right) {
            throw new JobsException("The limiter '" + OneLine.of(name) + "' can't be used: " + problem);
        }
    }

    private static Duration checkedWait(LimiterRule rule, Duration most) {
        return within(rule.name(), "wait", most, Duration.ZERO, MOST_WAIT);
    }

    /** A bucket, a window or a leaky bucket. */
    private record RateLimiter(LimiterGate gate, LimiterRule rule, Duration patience) implements Limiter {

        @Override
        public String name() {
            return rule.name();
        }

        @Override
        public Limiter waitAtMost(Duration most) {
            return new RateLimiter(gate, rule, checkedWait(rule, most));
        }

        @Override
        public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
            gate.enter(rule, 1, patience);
            return work.call();
        }
    }

    /** @param hold how long a permit outside a job lasts; null if that was not said */
    private record StoredPermits(
            LimiterGate gate,
            LimiterRule rule,
            Duration patience,
            @Nullable Duration hold) implements ConcurrentLimiter {

        @Override
        public String name() {
            return rule.name();
        }

        @Override
        public ConcurrentLimiter waitAtMost(Duration most) {
            return new StoredPermits(gate, rule, checkedWait(rule, most), hold);
        }

        @Override
        public ConcurrentLimiter holdAtMost(Duration most) {
            return new StoredPermits(gate, rule, patience, within(name(), "hold", most, LEAST_TIME, MOST_HOLD));
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

    /** @param estimate what a use takes at first */
    private record StoredPoints(LimiterGate gate, LimiterRule rule, Duration patience, long estimate)
            implements PointsLimiter {

        @Override
        public String name() {
            return rule.name();
        }

        @Override
        public PointsLimiter waitAtMost(Duration most) {
            return new StoredPoints(gate, rule, checkedWait(rule, most), estimate);
        }

        @Override
        public PointsLimiter estimate(long points) {
            check(
                    points >= 0 && points <= rule.size(),
                    name(),
                    "'points' must be 0 to its size, " + rule.size() + ", but was " + points);
            return new StoredPoints(gate, rule, patience, points);
        }

        @Override
        public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
            gate.enter(rule, estimate, patience);
            PointsUse use = new PointsUse(name(), estimate);
            try {
                return work.call(use);
            } finally {
                if (use.used != estimate) {
                    gate.correct(rule, use.used - estimate);
                }
            }
        }
    }

    /** One use, which has cost its estimate unless it says otherwise. */
    private static final class PointsUse implements PointsLimiter.Call {

        private final String limiter;
        private long used;

        PointsUse(String limiter, long estimate) {
            this.limiter = limiter;
            this.used = estimate;
        }

        @Override
        public void used(long points) {
            check(points >= 0 && points <= MOST, limiter, "'points' must be 0 to " + MOST + " but was " + points);
            used = points;
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
