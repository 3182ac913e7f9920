package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.redis.OnCall;
import dev.jobs.redis.OnCall.Answer;
import dev.jobs.redis.OnCall.Load;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a capsule is on call, so that it hears of jobs at once, or looks for them in turns with others. Asked on one thread; what was
 * answered is for all.
 */
final class Duty {

    private static final Logger log = LoggerFactory.getLogger(Duty.class);

    private static final Answer NONE = new Answer(false, 1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration UNREGISTERED = Duration.ofMillis(20);

    /** A capsule that is full and has room in turns doesn't say so more often. */
    private static final Duration NO_EARLIER = Duration.ofMillis(200);

    /** How long a job may wait for one that is not on call, however few there are. */
    private static final Duration SHORTEST_TURN = Duration.ofMillis(200);

    private final List<String> queues;
    private final int index;
    private final OnCall calls;
    private final Shared shared;

    private volatile Answer answer = NONE;
    private volatile Load told = Load.FREE;
    private volatile long asked;
    private volatile long next;

    /** @param index its number among the capsules of the process */
    Duty(List<String> queues, int index, OnCall calls, Shared shared) {
        this.queues = queues;
        this.index = index;
        this.calls = calls;
        this.shared = shared;
        this.asked = shared.nanos() - NO_EARLIER.toNanos();
        this.next = shared.nanos();
    }

    /** Asks, if it is time. Returns whether it is on call now and was not before. */
    boolean keep(Load load) {
        if (shared.nanos() - next < 0 && !isWorthTelling(load)) {
            return false;
        }
        Incarnation incarnation = shared.lease().current();
        if (!incarnation.isRegistered()) {
            next = shared.nanos() + UNREGISTERED.toNanos();
            return false;
        }
        boolean before = answer.onCall();
        asked = shared.nanos();
        told = load;
        Duration pause = AFTER_FAILURE;
        try {
            answer = calls.ask(queues, incarnation.id() + " " + index, load);
            pause = answer.next();
        } catch (JobStoreException e) {
            log.debug("Nobody says whether this process is on call, so it looks for jobs now and then", e);
            answer = NONE;
        }
        next = shared.nanos() + pause.toNanos();
        return answer.onCall() && !before;
    }

    /** How long until it is time to ask. */
    Duration pause() {
        return Duration.ofNanos(Math.max(0, next - shared.nanos()));
    }

    /** Whether others should know at once that it has no room any more, or has some again. Thread-safe. */
    boolean isWorthTelling(Load load) {
        return hasRoom(load) != hasRoom(told) && (load == Load.GONE || shared.nanos() - asked >= NO_EARLIER.toNanos());
    }

    private static boolean hasRoom(Load load) {
        return load == Load.FREE || load == Load.BUSY;
    }

    /** Tells others that it takes no more jobs. */
    void leave() {
        if (told != Load.GONE) {
            next = shared.nanos();
            keep(Load.GONE);
        }
    }

    /** Thread-safe. */
    boolean isOnCall() {
        return answer.onCall();
    }

    /** Whether it is on call and, as far as others know, has room. Thread-safe. */
    boolean isListening() {
        return answer.onCall() && hasRoom(told);
    }

    /** How long to wait between looks while nobody tells of jobs. Thread-safe. */
    Duration turn() {
        Duration turn = answer.turn();
        return turn.compareTo(SHORTEST_TURN) > 0 ? turn : SHORTEST_TURN;
    }
}
