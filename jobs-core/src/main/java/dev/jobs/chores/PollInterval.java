package dev.jobs.chores;

import dev.jobs.Internal;
import dev.jobs.codec.RubyTime;
import dev.jobs.engine.RunContext;
import java.time.Duration;
import java.time.Instant;

/**
 * How long to wait until the next poll for due jobs: exactly until a job is due on the leader, a random interval on all
 * others.
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
    private final Duration interval;
    private final Duration deaf;

    /**
     * @param interval how often each process polls on average
     * @param deaf how long the leader waits at most while the doorbell doesn't work
     */
    public PollInterval(RunContext context, Duration interval, Duration deaf) {
        this.context = context;
        this.interval = interval;
        this.deaf = deaf;
    }

    /**
     * @param next when the next job is due, in epoch seconds; infinite if none is known
     * @param serverTime when that was read
     */
    public Duration until(double next, Instant serverTime) throws InterruptedException {
        return context.lease().isLeader() ? exactly(next, serverTime) : safetyNet();
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
