package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.redis.OnCallRoster;
import dev.jobs.redis.OnCallRoster.Answer;
import dev.jobs.redis.OnCallRoster.Load;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a capsule is on call, so that it hears of jobs at once, or looks for them in turns with others. Asked on one thread; what was
 * answered is for all.
 */
final class OnCallDuty {

    private static final Logger log = LoggerFactory.getLogger(OnCallDuty.class);

    private static final Answer NONE = new Answer(false, 1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration UNREGISTERED = Duration.ofMillis(20);

    /** A capsule that is full for less long than this keeps its place and goes on listening: each change costs several calls. */
    private static final Duration FULL_FOR = Duration.ofSeconds(1);

    /** How long a job may wait for one that is not on call, however few there are. */
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(200);

    private final List<String> queues;
    private final int index;
    private final OnCallRoster calls;
    private final RunContext context;

    private volatile Answer answer = NONE;
    private volatile Load told = Load.FREE;
    private volatile long next;

    /** Since when it has had no room; null while it has some. */
    private volatile @Nullable Long fullSince;

    /** @param index its number among the capsules of the process */
    OnCallDuty(List<String> queues, int index, OnCallRoster calls, RunContext context) {
        this.queues = queues;
        this.index = index;
        this.calls = calls;
        this.context = context;
        this.next = context.nanos();
    }

    /** Asks, if it is time. Returns whether it is on call now and was not before. */
    boolean keep(Load now) {
        boolean worthTelling = loaded(now);
        if (context.nanos() - next < 0 && !worthTelling) {
            return false;
        }
        Load load = now == Load.FULL && !isFullForLong() ? Load.BUSY : now;
        Incarnation incarnation = context.lease().current();
        if (!incarnation.isRegistered()) {
            next = context.nanos() + UNREGISTERED.toNanos();
            return false;
        }
        boolean before = answer.onCall();
        told = load;
        Duration pause = AFTER_FAILURE;
        try {
            answer = calls.ask(queues, incarnation.id() + " " + index, load);
            pause = answer.next();
        } catch (JobStoreException e) {
            log.debug("Nobody says whether this process is on call, so it looks for jobs now and then", e);
            answer = NONE;
        }
        next = context.nanos() + pause.toNanos();
        return answer.onCall() && !before;
    }

    /** How long until it is time to ask. */
    Duration pause() {
        return Duration.ofNanos(Math.max(0, next - context.nanos()));
    }

    /**
     * Notes what the capsule has to do. Thread-safe.
     *
     * @return whether others should know at once: that it has room again, so that it listens again, or that it takes no more jobs
     */
    boolean loaded(Load load) {
        if (load != Load.FULL) {
            fullSince = null;
            return told == Load.FULL || load == Load.GONE && told != Load.GONE;
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

    /** Tells others that it takes no more jobs. */
    void leave() {
        if (told != Load.GONE) {
            next = context.nanos();
            keep(Load.GONE);
        }
    }

    /** Thread-safe. */
    boolean isOnCall() {
        return answer.onCall();
    }

    /** Whether it is on call and, if others could take its place, has had room lately. Thread-safe. */
    boolean isListening() {
        Answer now = answer;
        return now.onCall() && (told == Load.FREE || told == Load.BUSY || now.spares() == 0);
    }

    /** How long to wait between looks while nobody tells of jobs. Thread-safe. */
    Duration pollInterval() {
        Duration interval = answer.turn();
        return interval.compareTo(SHORTEST_INTERVAL) > 0 ? interval : SHORTEST_INTERVAL;
    }
}
