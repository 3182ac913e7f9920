package dev.jobs.chores;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.RunContext;
import dev.jobs.lists.LostEffects;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leader does about effects of jobs that met an error when the job ended or moved: makes them again while they
 * are noted, and drops permits that no job accounts for. Confined to one thread.
 */
@Internal
public final class EffectUpkeep {

    private static final Logger log = LoggerFactory.getLogger(EffectUpkeep.class);

    /** What reports of an outage call it. */
    private static final String DUTY = "effects";

    private static final Duration EACH = Duration.ofSeconds(5);
    private static final Duration PERMITS_EACH = Duration.ofMinutes(1);

    /** How many calls one run makes at most for permits. */
    private static final int STEPS = 20;

    private final LostEffects effects;
    private final Walk permits;
    private final RunContext context;

    /** Finds permits of jobs that no process holds, in small steps. Confined to one thread. */
    public interface Walk {

        void begin();

        /** Whether it has come to its end. */
        boolean isOver();

        /** Returns how many permits were dropped. */
        long step();
    }

    private long effectsDue;
    private long permitsDue;

    public EffectUpkeep(LostEffects effects, Walk permits, RunContext context) {
        this.effects = effects;
        this.permits = permits;
        this.context = context;
        this.effectsDue = context.nanos();
        this.permitsDue = context.nanos();
    }

    /** Does what is due. Returns how long until the next run. */
    public Duration runOnce() {
        if (!context.lease().isLeader()) {
            context.outage().worked(DUTY); // another process may have become leader in an outage
            return EACH;
        }
        try {
            if (context.nanos() - effectsDue >= 0) {
                effectsDue = context.nanos() + EACH.toNanos();
                makeAgain();
            }
            boolean more = dropPermits();
            context.outage().worked(DUTY);
            return more ? Duration.ZERO : EACH;
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.WRONG_TYPE) {
                context.outage().worked(DUTY); // Redis answered
            } else {
                context.outage().failed(DUTY, e);
            }
            return EACH;
        }
    }

    private void makeAgain() {
        LostEffects.Result result =
                effects.makeAgain(context.environment().clock().instant());
        if (result.made() > 0) {
            log.debug("{} effects of jobs that met an error were made again", result.made());
        }
        if (result.dropped() > 0) {
            log.warn(
                    "{} effects of jobs ({}) met errors for ten minutes and are given up. Look for keys of Jobs that hold another type than docs/redis-keys.md says",
                    result.dropped(),
                    String.join(", ", result.kinds()));
        }
    }

    /** Returns whether there may be more. */
    private boolean dropPermits() {
        if (permits.isOver()) {
            if (context.nanos() - permitsDue < 0) {
                return false;
            }
            permitsDue = context.nanos() + PERMITS_EACH.toNanos();
            permits.begin();
        }
        long dropped = 0;
        for (int step = 0; step < STEPS && !permits.isOver(); step++) {
            dropped += permits.step();
        }
        if (dropped > 0) {
            log.warn("{} permits of limits were dropped: no process holds their jobs", dropped);
        }
        return !permits.isOver();
    }
}
