package dev.jobs.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time by which delays, retries, cron slots and expiry are measured in a test. Advancing it makes what is due in
 * between happen, in order, without waiting: a retry that fails again is tried again at its next time.
 *
 * <p>It stands still, and starts at the current time; with {@link JobsMode#WORKER} it moves with real time. It never
 * goes back, also not between tests that share an application context. Thread-safe; only one thread may advance it.
 */
public final class TestClock {

    /** Makes happen what is due. */
    interface Timeline {
        void advanceTo(Instant target);

        /** The same as if no worker had run until then. */
        void outageUntil(Instant target);
    }

    private final Clock base;
    private volatile Duration ahead = Duration.ZERO;
    private volatile @Nullable Timeline timeline;

    private TestClock(Clock base) {
        this.base = base;
    }

    /** Payloads carry milliseconds, so a clock that stands still has no more. */
    static TestClock standing() {
        return new TestClock(Clock.fixed(Instant.now().truncatedTo(ChronoUnit.MILLIS), ZoneOffset.UTC));
    }

    static TestClock moving() {
        return new TestClock(Clock.systemUTC());
    }

    void drive(Timeline by) {
        timeline = by;
    }

    /** The current time of the test. */
    public Instant instant() {
        return base.instant().plus(ahead);
    }

    /** This clock for code that takes a {@link Clock}. It is no bean, so that an application may have its own. */
    public Clock asClock() {
        InstantSource source = this::instant;
        return source.withZone(ZoneOffset.UTC);
    }

    /**
     * Advances the clock. In {@link JobsMode#INLINE} and {@link JobsMode#WORKER}, returns when all jobs that became due
     * have ended; a job that failed waits for its retry if that is due later. Failures are not thrown.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("'by' must not be negative but was " + by);
        }
        advanceTo(instant().plus(by));
    }

    /** Advances the clock to a time; see {@link #advance}. Does nothing if that time has passed. */
    public void advanceTo(Instant time) {
        Timeline driven = driven();
        if (time.isAfter(instant())) {
            driven.advanceTo(time);
        }
    }

    /**
     * Advances the clock as if no worker had run meanwhile: jobs that became due run now, and recurring jobs make up for
     * the slots that they missed, as they say.
     *
     * @throws IllegalArgumentException if the duration is not positive
     * @throws IllegalStateException in {@link JobsMode#WORKER}, whose worker runs
     */
    public void outage(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("'time' must be positive but was " + time);
        }
        driven().outageUntil(instant().plus(time));
    }

    private Timeline driven() {
        Timeline driven = timeline;
        if (driven == null) {
            throw new IllegalStateException("The application context is not started yet");
        }
        return driven;
    }

    /** Moves the clock alone. */
    void moveTo(Instant time) {
        Duration step = Duration.between(instant(), time);
        if (!step.isNegative()) {
            ahead = ahead.plus(step);
        }
    }

    /** How far it is ahead of real time, if it moves. */
    Duration ahead() {
        return ahead;
    }
}
