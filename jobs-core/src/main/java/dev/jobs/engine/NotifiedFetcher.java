package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.OnCall.Load;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a fetcher tells its duty and those that notify it of jobs, and what they tell it. Thread-safe. */
@Internal
public final class NotifiedFetcher {

    private final Set<String> queues;
    private final OnCall duty;
    private final AwaitingClaim standing;
    private final HeldJobs held;
    private final IdleWait idleWait;
    private final RunContext context;
    private final BooleanSupplier claiming;

    /**
     * @param queues of its capsule
     * @param claiming whether it still claims jobs
     */
    NotifiedFetcher(
            Set<String> queues,
            OnCall duty,
            AwaitingClaim standing,
            HeldJobs held,
            IdleWait idleWait,
            RunContext context,
            BooleanSupplier claiming) {
        this.queues = queues;
        this.duty = duty;
        this.standing = standing;
        this.held = held;
        this.idleWait = idleWait;
        this.context = context;
        this.claiming = claiming;
    }

    /** The queues whose changes it has to be notified of: all but the one at which a claim stands. */
    public Set<String> queuesToRingFor() {
        if (!claiming.getAsBoolean() || !duty.isListening()) {
            return Set.of();
        }
        Set<String> names = new HashSet<>(queues);
        if (standing.isReliable()) {
            names.remove(standing.queue());
        }
        return names;
    }

    /** How busy it is. */
    public Load load() {
        return claiming.getAsBoolean() ? held.load() : Load.GONE;
    }

    /** It has nothing to ask for. */
    void tellLoad() {
        duty.loaded(load());
    }

    /**
     * It has found nothing, and could leave no further claim.
     *
     * @return how often to poll on average; null if it is notified of jobs
     */
    @Nullable Duration foundNothing() {
        tellLoad();
        if (!duty.isOnCall()) {
            return duty.pollInterval();
        }
        String queue = standing.queue();
        if (!standing.isOut() && !queue.isEmpty() && context.hearsRings().get() && !duty.ringsFor(queue)) {
            duty.ringsChanged();
        }
        return null;
    }

    /** It is on call now. */
    public void called() {
        idleWait.wake();
    }

    /** Opens the connection for standing claims if there is none and it would be of use. Waits for it. */
    public void connect() {
        if (claiming.getAsBoolean() && duty.isOnCall() && standing.connect()) {
            idleWait.wake();
        }
    }

    /** A queue changed. */
    public void rang(String queue) {
        if (queues.contains(queue) && !standing.watches(queue)) {
            idleWait.ring();
        }
    }
}
