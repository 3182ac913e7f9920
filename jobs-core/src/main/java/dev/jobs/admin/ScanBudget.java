package dev.jobs.admin;

import java.time.Duration;

/**
 * How far a search goes before it stops and returns a partial result.
 *
 * @param entries the approximate number of jobs to look at, 1 to 1,000,000
 * @param time checked between steps from the end of the first step on, which may have had to connect; 0 to 10 seconds
 */
public record ScanBudget(int entries, Duration time) {

    private static final int MOST_ENTRIES = 1_000_000;
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    public ScanBudget {
        if (entries < 1 || entries > MOST_ENTRIES) {
            throw new IllegalArgumentException("'entries' must be 1 to " + MOST_ENTRIES + " but was " + entries);
        }
        if (time.isNegative() || time.compareTo(MOST_TIME) > 0) {
            throw new IllegalArgumentException("'time' must be 0 to " + MOST_TIME + " but was " + time);
        }
    }

    /** 10,000 jobs or 250 ms: suitable for a web page. */
    public static ScanBudget standard() {
        return new ScanBudget(10_000, Duration.ofMillis(250));
    }
}
