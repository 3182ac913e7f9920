package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.chores.Poller;
import dev.jobs.lists.JobSets.Due;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.function.LongSupplier;

/**
 * Declares the limits of this process once, lets parked jobs go on for which no settlement did that, and has those end
 * that must not be run. For the poller's thread.
 */
@Internal
public final class LimitKeeper implements Poller.Looks {

    /** How many steps through parked jobs it makes in a minute at most: a million of them take some minutes. */
    private static final int STEPS_A_MINUTE = 500;

    private final Permits permits;
    private final ParkedJobs parked;
    private final ParkedSweep sweep;
    private final LimitedJobs limited;
    private final FewCalls fewCalls;
    private int stepsLeft;
    private boolean declared;

    public LimitKeeper(RedisConnection connection, RedisKeys keys, LimitedJobs limited, LongSupplier nanoTime) {
        this.permits = new Permits(connection, keys);
        this.parked = new ParkedJobs(connection, keys, nanoTime);
        this.sweep = new ParkedSweep(connection, keys);
        this.limited = limited;
        this.fewCalls = new FewCalls(nanoTime);
        this.declared = limited.numbers().isEmpty();
    }

    /** Looks at what {@code jobs:wake} says is due. Returns whether there is more to do soon. */
    @Override
    public boolean look(Due due) {
        if (!declared) {
            permits.declare(limited.numbers());
            declared = true;
        }
        if (ParkedJobs.isLookAtAll(due.looks())) {
            sweep.begin();
            stepsLeft = STEPS_A_MINUTE;
        }
        boolean more = parked.look(due.looks(), due.serverTime());
        return sweep() || more;
    }

    /** Returns whether it goes on soon. */
    private boolean sweep() {
        fewCalls.make(() -> {
            boolean any = hasSteps();
            if (any) {
                sweep.step();
                stepsLeft--;
            }
            return any;
        });
        return hasSteps();
    }

    private boolean hasSteps() {
        return stepsLeft > 0 && sweep.isUnderWay();
    }
}
