package dev.jobs.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Notices when its process is kept from running, by a busy machine or by a signal: a thread that runs often, and tells
 * when it couldn't. What depends on time is judged by that.
 */
final class Pulse implements AutoCloseable {

    private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration NOTABLE = Duration.ofMillis(500);

    /** A time in which a process didn't run. */
    record Stall(Instant from, Instant to) {

        /** How much of it is in none of these times. */
        Duration outside(Collection<Stall> others) {
            Duration left = Duration.between(from, to);
            for (Stall other : others) {
                Instant begin = from.isAfter(other.from) ? from : other.from;
                Instant end = to.isBefore(other.to) ? to : other.to;
                left = begin.isBefore(end) ? left.minus(Duration.between(begin, end)) : left;
            }
            return left;
        }

        static Stall parse(String line) {
            String[] ends = line.split(" ");
            return new Stall(Instant.parse(ends[0]), Instant.parse(ends[1]));
        }

        @Override
        public String toString() {
            return from + " " + to;
        }
    }

    private final Consumer<Stall> stalled;
    private volatile boolean over;

    /** @param stalled is told of each stall when it is over, by a thread of its own */
    Pulse(Consumer<Stall> stalled) {
        this.stalled = stalled;
        Thread thread = new Thread(this::run, "pulse");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        Instant last = Instant.now();
        while (!over) {
            LockSupport.parkNanos(BEAT_NANOS);
            Instant now = Instant.now();
            if (Duration.between(last, now).compareTo(NOTABLE) >= 0) {
                stalled.accept(new Stall(last, now));
            }
            last = now;
        }
    }

    @Override
    public void close() {
        over = true;
    }
}
