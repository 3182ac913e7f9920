package dev.jobs.chores;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Beat;
import dev.jobs.leases.ProcessLeases.Fenced;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of this process: registers it, and beats nearly six times per lease, or per shortest lease of all
 * processes.
 */
@Internal
public final class LeaseRenewal {

    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    private final ProcessLeases leases;
    private final RunContext context;
    private final BooleanSupplier standsForLeader;
    private final Runnable beforeRegistering;
    private final Consumer<Alive> answered;
    private final Runnable fresh;
    private final RoundTrips roundTrips = new RoundTrips();

    /**
     * @param standsForLeader whether this process may become leader
     * @param beforeRegistering reads what the process has to know before its first job
     * @param answered receives the answer to each beat
     * @param fresh called when jobs may be claimed that could not be before
     */
    public LeaseRenewal(
            ProcessLeases leases,
            RunContext context,
            BooleanSupplier standsForLeader,
            Runnable beforeRegistering,
            Consumer<Alive> answered,
            Runnable fresh) {
        this.leases = leases;
        this.context = context;
        this.standsForLeader = standsForLeader;
        this.beforeRegistering = beforeRegistering;
        this.answered = answered;
        this.fresh = fresh;
    }

    /** Sends a beat. Returns how long until the next one. */
    public Duration runOnce() {
        Lease lease = context.lease();
        Incarnation incarnation = lease.current();
        Duration interval = lease.timing().beat();
        if (!context.guard().mayBeat()) {
            return interval; // so that others take over the jobs of this process
        }
        Duration leadFor = standsForLeader.getAsBoolean() ? interval.multipliedBy(3) : Duration.ZERO;
        long sent = context.nanos();
        Beat beat;
        try {
            if (incarnation.isRegistered()) {
                beat = leases.beat(incarnation.id(), leadFor);
            } else {
                beforeRegistering.run();
                sent = context.nanos();
                beat = leases.register(incarnation.id(), leadFor);
            }
        } catch (JobStoreException e) {
            context.outage().failed("beat", e);
            if (!incarnation.isRegistered()) {
                // If this registration arrives late, it must not revive an identity under which jobs were claimed and
                // lost.
                lease.renew(incarnation);
            }
            return PAUSE_AFTER_FAILURE;
        }
        context.outage().worked("beat");
        roundTrips.took((context.nanos() - sent) / 1_000);
        if (beat instanceof Fenced) {
            lease.fenced(incarnation);
            return Duration.ZERO;
        }
        Alive alive = (Alive) beat;
        boolean wasFresh = incarnation.isFresh();
        lease.beaten(incarnation, sent, alive);
        if (!wasFresh) {
            fresh.run();
        }
        answered.accept(alive);
        // Random, so that processes don't beat together, but never later than the interval or too early for a round.
        Duration pause = alive.beat().compareTo(interval) < 0 ? alive.beat() : interval;
        return pause.minusMillis(context.environment().random().nextLong(1 + pause.toMillis() / 50));
    }

    /** How long Redis took to answer the last beat. */
    public long roundTripMicros() {
        return roundTrips.lastMicros();
    }

    /** How long Redis takes to answer beats; logs a warning if it is slow. Written by one thread, read by any. */
    static final class RoundTrips {

        private static final long SLOW_MICROS = 50_000;
        private static final int INCIDENT = 5;

        private volatile long lastMicros;

        // Confined to the writing thread.
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
