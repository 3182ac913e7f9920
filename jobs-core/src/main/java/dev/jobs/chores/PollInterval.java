package dev.jobs.chores;

import dev.jobs.Internal;
import dev.jobs.codec.RubyTime;
import dev.jobs.engine.RunContext;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/**
 * How long to wait until the next poll for what becomes due: exactly until then in the process that leads, a random
 * interval in all others.
 */
@Internal
public final class PollInterval {

    /** After a poll that failed. */
    public static final Duration AFTER_FAILURE = Duration.ofMillis(250);

    /** The shortest pause after a poll that found nothing, however often the doorbell rings. */
    private static final Duration SHORTEST = Duration.ofMillis(2);

    private static final Duration HEARING = Duration.ofSeconds(5);
    private static final int CROWD = 10;

    private final RunContext context;
    private final BooleanSupplier leads;
    private final Duration interval;
    private final Duration deaf;

    /**
     * @param leads whether this process is the one that polls on time
     * @param interval how often each process polls on average
     * @param deaf how long that process waits at most while the doorbell doesn't work
     */
    public PollInterval(RunContext context, BooleanSupplier leads, Duration interval, Duration deaf) {
        this.context = context;
        this.leads = leads;
        this.interval = interval;
        this.deaf = deaf;
    }

    /**
     * @param next when the next job is due, in epoch seconds; infinite if none is known
     * @param serverTime when that was read
     */
    public Duration until(double next, Instant serverTime) throws InterruptedException {
        return leads.getAsBoolean() ? exactly(next, serverTime) : safetyNet();
    }

    private Duration exactly(double next, Instant serverTime) throws InterruptedException {
        // A ring that came already ends the pause at once; this keeps it from doing so too often.
        Thread.sleep(SHORTEST.toMillis());
        double now = RubyTime.seconds(serverTime);
        Duration trusted = context.hearsRings().get() ? HEARING : deaf;
        if (next - now > trusted.toSeconds() + 1) {
            return trusted;
        }
        long micros = (long) ((next - now) * 1_000_000) - SHORTEST.toNanos() / 1_000;
        Duration exactly = Duration.ofNanos(Math.max(0, micros) * 1_000);
        return exactly.compareTo(trusted) < 0 ? exactly : trusted;
    }

    /** Sidekiq's interval: random, and longer the more processes there are, so that they need no coordination. */
    private Duration safetyNet() {
        return interval(
                interval,
                context.lease().processes(),
                context.environment().random().nextDouble());
    }

    /** @param drawn a number from 0 to 1 */
    static Duration interval(Duration average, int processes, double drawn) {
        double millis = average.toMillis() * (double) processes;
        return Duration.ofMillis((long) (processes < CROWD ? millis * (0.5 + drawn) : millis * 2 * drawn));
    }
}
