package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.OnCall;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.OnCallRoster.Answer;
import dev.jobs.leases.Incarnation;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a capsule is on call and so notified of jobs at once, or takes turns polling with others. One thread renews
 * it; what Redis answered may be read by any thread.
 */
@Internal
public final class OnCallDuty implements OnCall {

    private static final Logger log = LoggerFactory.getLogger(OnCallDuty.class);

    private static final Answer NONE = new Answer(false, 1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration UNREGISTERED = Duration.ofMillis(20);

    /**
     * A capsule that is full for a shorter time stays on call and goes on listening: each change costs several calls.
     */
    private static final Duration FULL_FOR = Duration.ofSeconds(1);

    /** How long a job may wait for a capsule that is not on call, however few there are. */
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(200);

    private final List<String> queues;
    private final int index;
    private final OnCallRoster calls;
    private final RunContext context;
    private final Yielding yielding;
    private final Predicate<String> ringsFor;
    private final Runnable wake;

    private volatile Answer answer = NONE;
    private volatile Load reported = Load.FREE;
    private volatile long next;

    /** Since when it has had no room; null while it has some. */
    private volatile @Nullable Long fullSince;

    /**
     * @param index the capsule's number in the process
     * @param ringsFor whether the doorbell rings for a queue
     * @param wake makes the thread that renews this do so at once, and find out which queues to ring for
     */
    OnCallDuty(
            List<String> queues,
            int index,
            OnCallRoster calls,
            RunContext context,
            Yielding yielding,
            Predicate<String> ringsFor,
            Runnable wake) {
        this.queues = queues;
        this.index = index;
        this.calls = calls;
        this.context = context;
        this.yielding = yielding;
        this.ringsFor = ringsFor;
        this.wake = wake;
        this.next = context.nanos();
    }

    /** Asks Redis, if that is due. Returns whether the capsule is on call now and was not before. */
    boolean renew(Load now) {
        boolean urgent = note(now);
        if (context.nanos() - next < 0 && !urgent) {
            return false;
        }
        Load load = yielding.yields()
                ? Load.GONE // others are on call meanwhile
                : now == Load.FULL && !isFullForLong() ? Load.BUSY : now;
        Incarnation incarnation = context.lease().current();
        if (!incarnation.isRegistered()) {
            next = context.nanos() + UNREGISTERED.toNanos();
            return false;
        }
        boolean before = answer.onCall();
        reported = load;
        Duration pause = AFTER_FAILURE;
        try {
            answer = calls.ask(queues, incarnation.id() + " " + index, load);
            pause = answer.next();
        } catch (JobStoreException e) {
            log.debug("Could not find out whether this process is on call, so it polls", e);
            answer = NONE;
        }
        next = context.nanos() + pause.toNanos();
        return answer.onCall() && !before;
    }

    /** How long until the next renewal is due. */
    Duration untilRenewal() {
        return Duration.ofNanos(Math.max(0, next - context.nanos()));
    }

    @Override
    public void loaded(Load load) {
        if (note(load)) {
            wake.run();
        }
    }

    /**
     * Notes the capsule's load. Thread-safe.
     *
     * @return whether others should know at once: that it has room again, so that it listens again, or that it takes no
     *     more jobs
     */
    boolean note(Load load) {
        if (load != Load.FULL) {
            fullSince = null;
            return reported == Load.FULL || load == Load.GONE && reported != Load.GONE;
        }
        if (fullSince == null) {
            fullSince = context.nanos();
        }
        return false;
    }

    private boolean isFullForLong() {
        Long since = fullSince;
        return since != null && context.nanos() - since >= FULL_FOR.toNanos();
    }

    /** Reports that the capsule takes no more jobs. */
    void leave() {
        if (reported != Load.GONE) {
            next = context.nanos();
            renew(Load.GONE);
        }
    }

    @Override
    public boolean isOnCall() {
        return answer.onCall() && !yielding.yields();
    }

    @Override
    public boolean isListening() {
        Answer now = answer;
        return isOnCall() && (reported == Load.FREE || reported == Load.BUSY || now.spares() == 0);
    }

    @Override
    public Duration pollInterval() {
        Duration interval = answer.turn();
        return interval.compareTo(SHORTEST_INTERVAL) > 0 ? interval : SHORTEST_INTERVAL;
    }

    @Override
    public boolean ringsFor(String queue) {
        return ringsFor.test(queue);
    }

    @Override
    public void ringsChanged() {
        wake.run();
    }
}
