package dev.jobs.limits;

import java.time.Duration;
import java.util.Locale;

/**
 * How many jobs with the same key may start in a time; see {@link Limit#rate()}. The starts follow each other at least
 * {@code per / jobs} apart, but up to {@code burst} at once after a quiet time. So in any period of {@code per} at most
 * {@code jobs + burst - 1} start.
 *
 * @param jobs 1 to 1,000,000
 * @param per 1 millisecond to 365 days
 * @param burst 1 to 1,000,000; 1 if even the first ones are to follow each other evenly
 */
public record LimitRate(int jobs, Duration per, int burst) {

    /** The most jobs and the largest burst. */
    public static final int MOST = 1_000_000;

    /** The shortest period. */
    public static final Duration SHORTEST = Duration.ofMillis(1);

    /** The longest period. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private static final Duration BURST_BACK = Duration.ofDays(36_500);

    /** @throws IllegalArgumentException if a value is out of its range */
    public LimitRate {
        if (jobs < 1 || jobs > MOST) {
            throw new IllegalArgumentException("'rate' must be 1 to " + MOST + " but was " + jobs);
        }
        if (per.compareTo(SHORTEST) < 0 || per.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("'per' must be 1 ms to 365 days but was " + per);
        }
        if (burst < 1 || burst > MOST) {
            throw new IllegalArgumentException("'burst' must be 1 to " + MOST + " but was " + burst);
        }
        if (per.dividedBy(jobs).compareTo(BURST_BACK.dividedBy(burst)) > 0) {
            throw new IllegalArgumentException("'burst' must be smaller: at a rate of " + jobs + " per " + per
                    + " a burst of " + burst + " is there again after more than 100 years");
        }
    }

    /** A rate whose burst is as large as the number of jobs. */
    public static LimitRate of(int jobs, Duration per) {
        return new LimitRate(jobs, per, jobs);
    }

    /** The one that lets fewer jobs start in the long run; of equal ones that with the smaller burst. */
    public LimitRate orSlower(LimitRate other) {
        int compared = Double.compare(between(), other.between());
        return compared > 0 || compared == 0 && burst <= other.burst ? this : other;
    }

    /** Nanoseconds from one start to the next. */
    private double between() {
        return per.toNanos() / (double) jobs;
    }

    /** As people write it. */
    @Override
    public String toString() {
        String time = per.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
        return jobs + " per " + time + (burst == jobs ? "" : ", burst " + burst);
    }
}
