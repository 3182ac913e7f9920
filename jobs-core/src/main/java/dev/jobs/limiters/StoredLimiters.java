package dev.jobs.limiters;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobsException;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Checks what limiters are made of, and makes them. Thread-safe. */
@Internal
public final class StoredLimiters implements Limiters, AutoCloseable {

    static final Duration MOST_WAIT = Duration.ofDays(1);

    private static final int MOST_NAME = 200;
    private static final int MOST_SLOTS = 10_000;
    private static final int MOST_LOGGED = 10_000;
    private static final int MOST = 1_000_000_000;
    private static final double MOST_REFILL = 1_000_000;
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
     * @param random the source of the names of slots; used by many threads
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
        return new SlotLimiter(
                gate, rule(Kind.CONCURRENT, name, within(name, "max", max, MOST_SLOTS), 0), Duration.ZERO, null);
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

    static Duration within(String name, String what, Duration value, Duration least, Duration most) {
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

    @Override
    public void close() {
        store.close();
    }
}
