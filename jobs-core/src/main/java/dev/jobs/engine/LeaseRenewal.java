package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.redis.ProcessLeases;
import dev.jobs.redis.ProcessLeases.Alive;
import dev.jobs.redis.ProcessLeases.Beat;
import dev.jobs.redis.ProcessLeases.Fenced;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps this process alive in Redis: registers it, and beats nearly six times per lease, or per shortest lease of all. */
final class LeaseRenewal {

    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    private final ProcessLeases leases;
    private final RunContext context;
    private final BooleanSupplier standsForLeader;
    private final Consumer<Alive> told;
    private final RoundTrips roundTrips = new RoundTrips();

    /**
     * @param standsForLeader whether this process may be leader
     * @param told is given what each beat told
     */
    LeaseRenewal(ProcessLeases leases, RunContext context, BooleanSupplier standsForLeader, Consumer<Alive> told) {
        this.leases = leases;
        this.context = context;
        this.standsForLeader = standsForLeader;
        this.told = told;
    }

    /** One beat. Returns when the next one is due. */
    Duration runOnce() {
        Lease lease = context.lease();
        Incarnation incarnation = lease.current();
        Duration interval = lease.timing().beat();
        if (context.guard().lame() != null) {
            return interval; // others are to take over what this process holds
        }
        Duration leadFor = standsForLeader.getAsBoolean() ? interval.multipliedBy(3) : Duration.ZERO;
        long sent = context.nanos();
        Beat beat;
        try {
            beat = incarnation.isRegistered()
                    ? leases.beat(incarnation.id(), leadFor)
                    : leases.register(incarnation.id(), leadFor);
        } catch (JobStoreException e) {
            context.outage().failed("heartbeat", e);
            if (!incarnation.isRegistered()) {
                // Should this registration come late, after all, it must not revive a name under which jobs were
                // claimed and lost.
                lease.renew(incarnation);
            }
            return PAUSE_AFTER_FAILURE;
        }
        context.outage().worked("heartbeat");
        roundTrips.took((context.nanos() - sent) / 1_000);
        if (beat instanceof Fenced) {
            lease.fenced(incarnation);
            return Duration.ZERO;
        }
        Alive alive = (Alive) beat;
        lease.beaten(incarnation, sent, alive);
        told.accept(alive);
        // Not all processes at the same moment, never later than the interval, and never too early for a round.
        Duration pause = alive.beat().compareTo(interval) < 0 ? alive.beat() : interval;
        return pause.minusMillis(context.environment().random().nextLong(1 + pause.toMillis() / 50));
    }

    /** How long the last beat took to be answered. */
    long roundTripMicros() {
        return roundTrips.lastMicros();
    }

    /** How long Redis takes to answer beats, and a word about it when it takes long. Fed by one thread, read by any. */
    static final class RoundTrips {

        private static final long SLOW_MICROS = 50_000;
        private static final int INCIDENT = 5;

        private volatile long lastMicros;

        // Confined to the thread that feeds it.
        private int slow;

        void took(long micros) {
            lastMicros = micros;
            slow = micros > SLOW_MICROS ? Math.min(slow + 1, INCIDENT + 1) : 0;
            if (slow == INCIDENT) {
                log.warn(
                        "Redis answered five times in a row after more than 50 ms, the last time after {} µs. The network, the server or this "
                                + "machine is overloaded, and every job waits for it",
                        String.format(Locale.ROOT, "%,d", micros));
            }
        }

        long lastMicros() {
            return lastMicros;
        }
    }
}
