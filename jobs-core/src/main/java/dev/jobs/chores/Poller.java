package dev.jobs.chores;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RubyTime;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.RunContext;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Due;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.lists.MoveEffects;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves due jobs from the scheduled and the retry set to their queues. The leader does so on time: it knows when the
 * next job is due, and is notified of earlier ones. All others poll at intervals, in case there is no leader or it
 * receives no notifications.
 */
@Internal
public final class Poller {

    private static final Logger log = LoggerFactory.getLogger(Poller.class);

    /** How long the leader waits at most while the doorbell doesn't work. */
    private static final Duration DEAF = Duration.ofMillis(250);

    /** How long a job is postponed when an enqueue middleware failed. */
    private static final Duration POSTPONED = Duration.ofSeconds(15);

    /** The latest time that a payload may ask for, in epoch seconds. */
    private static final double END_OF_TIME = 1e12;

    /** Looks at what else the sets say is due. For the poller's thread. */
    @FunctionalInterface
    public interface Looks {

        /** Returns whether there is more to do soon. */
        boolean look(Due due);
    }

    private final JobSets sets;
    private final Looks looks;
    private final RunContext context;
    private final MoveEffects effects;
    private final PollInterval pause;

    /**
     * @param effects of a due job that a middleware puts off
     * @param interval how often each process polls on average
     */
    public Poller(JobSets sets, MoveEffects effects, Looks looks, RunContext context, Duration interval) {
        this.sets = sets;
        this.effects = effects;
        this.looks = looks;
        this.context = context;
        this.pause = new PollInterval(context, context.lease()::isLeader, interval, DEAF);
    }

    /**
     * Moves due jobs, at most a hundred of each set, fewer if they are large. Returns how long until the next poll
     * unless woken earlier.
     */
    public Duration runOnce() throws InterruptedException {
        if (!context.lease().current().isFresh()) {
            return PollInterval.AFTER_FAILURE;
        }
        try {
            Due due = sets.due(CallBounds.JOBS);
            promote(StoredSet.RETRY, due.retries(), due.serverTime());
            promote(StoredSet.SCHEDULE, due.scheduled(), due.serverTime());
            due.broken().forEach(context.brokenKeys()::set);
            boolean more = looks.look(due);
            context.outage().worked("poller");
            if (more || due.more() || !due.looks().isEmpty()) {
                return Duration.ZERO;
            }
            return pause.until(due.next(), due.serverTime());
        } catch (JobStoreException e) {
            context.outage().failed("poller", e);
            return PollInterval.AFTER_FAILURE;
        }
    }

    /**
     * Promotes a made-up job that is in no set, so that the classes for it are loaded before the first real job is due.
     * Calls no middleware, notifies no listener, never throws.
     *
     * @param queue a queue that this process may use
     */
    public void rehearse(String queue) {
        try {
            Payload payload =
                    Payload.of(Map.of("class", "Rehearsal", "args", List.of(), "queue", queue, "retry", true));
            Move move = promotion(StoredSet.SCHEDULE, new Entry(payload.bytes(), 0), Instant.EPOCH, List.of())
                    .move();
            byte[] absent = new byte[16]; // random, so it is in no set
            context.environment().random().nextBytes(absent);
            sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(absent, queue, move.payload())));
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e); // other errors are reported when a job is due
        }
    }

    private void promote(StoredSet set, List<Entry> due, Instant serverTime) {
        List<Move> moves = new ArrayList<>();
        List<Runnable> events = new ArrayList<>();
        for (Entry entry : due) {
            Promotion promotion = guarded(set, entry, serverTime);
            moves.add(promotion.move());
            events.add(promotion.done());
        }
        if (moves.isEmpty()) {
            return;
        }
        List<Integer> results = sets.move(set, moves);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) == 1) {
                events.get(i).run();
            } else if (results.get(i) < 0) {
                Move move = moves.get(i);
                if (move.set() != null) {
                    context.brokenKeys().set(move.set());
                } else {
                    context.brokenKeys().queue(move.queue());
                }
                sets.move(set, List.of(sets.toSet(move.stored(), set, POSTPONED, move.stored())));
            }
        }
    }

    /** A move of a due job, and the notifications once it is done. */
    private record Promotion(Move move, Runnable done) {}

    /** An entry that causes an unexpected error must not hold up all others. */
    private Promotion guarded(StoredSet set, Entry entry, Instant serverTime) {
        try {
            return promotion(set, entry, serverTime, context.hooks().enqueueMiddleware());
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            return new Promotion(sets.toSet(entry.payload(), set, POSTPONED, entry.payload()), () -> context.guard()
                    .failed("A due entry, which is tried again every " + POSTPONED.toSeconds() + " s,", e));
        }
    }

    private Promotion promotion(StoredSet set, Entry entry, Instant serverTime, List<EnqueueMiddleware> middleware) {
        Payload stored;
        try {
            stored = Payload.parse(entry.payload());
        } catch (InvalidPayloadException e) {
            return bury(entry, entry.payload(), e, null);
        }
        if (!JobRunner.canRun(stored)) {
            return bury(entry, stored);
        }
        Payload payload;
        try {
            payload = EnqueueMiddleware.apply(middleware, withDefaults(stored));
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            return new Promotion(sets.toSet(entry.payload(), set, POSTPONED, entry.payload()), () -> context.hooks()
                    .failed(e, "An enqueue middleware failed for a due job, which is tried again later", stored));
        }
        if (payload == null) {
            return new Promotion(
                    sets.refuse(entry.payload()),
                    () -> log.info(
                            "An enqueue middleware kept due job {} (jid {}) from its queue; it is discarded",
                            OneLine.of(stored.jobName()),
                            OneLine.of(stored.jid())));
        }
        String queue = payload.queue();
        if (queue == null || !RedisKeys.isQueueName(queue)) {
            return bury(entry, stored);
        }
        Instant later = later(payload, serverTime);
        if (later != null) { // from the entry or the middleware: as if the job were pushed with that time
            byte[] waiting = payload.without("at").without("enqueued_at").bytes();
            Move move = sets.toSet(entry.payload(), StoredSet.SCHEDULE, later, waiting);
            return new Promotion(
                    Arrays.equals(waiting, entry.payload()) ? move : move.with(effects.rewritten(stored, waiting)),
                    () -> {});
        }
        Payload promoted = payload.without("at").with("enqueued_at", context.now());
        return new Promotion(sets.toQueue(entry.payload(), queue, promoted.bytes()), () -> context.hooks()
                .tell(listener -> listener.promoted(
                        String.valueOf(promoted.jobName()), queue, lateness(entry.score(), serverTime))));
    }

    /** The future time that a payload asks for, or null. */
    private static @Nullable Instant later(Payload payload, Instant serverTime) {
        double at = payload.get("at") instanceof Number number ? number.doubleValue() : 0;
        double now = RubyTime.seconds(serverTime);
        if (!(at > now)) {
            return null;
        }
        double seconds = Math.min(at, END_OF_TIME);
        return Instant.ofEpochSecond((long) seconds, (long) (seconds % 1 * 1e9));
    }

    private static Payload withDefaults(Payload stored) {
        Payload payload = stored.has("retry") ? stored : stored.with("retry", true);
        return payload.has("queue") ? payload : payload.with("queue", "default");
    }

    private Promotion bury(Entry entry, Payload stored) {
        JobsException reason =
                new JobsException("A due job has no text 'class', no array 'args' or no usable 'queue' (jid "
                        + OneLine.of(stored.jid()) + ")");
        Payload payload = stored.text("queue") == null ? stored.with("queue", "default") : stored;
        payload = FailureHandling.withError(payload, reason).with("failed_at", context.now());
        return bury(entry, payload.bytes(), reason, payload);
    }

    private Promotion bury(Entry entry, byte[] kept, JobsException reason, @Nullable Payload payload) {
        return new Promotion(sets.toDead(entry.payload(), kept), () -> {
            context.hooks().failed(reason, "A due entry is not a runnable job; it goes to the dead set", payload);
            log.warn("A due entry is not a runnable job and goes to the dead set: {}", reason.getMessage());
        });
    }

    private static Duration lateness(double score, Instant serverTime) {
        double late = RubyTime.seconds(serverTime) - score;
        return Duration.ofNanos((long) (Math.max(0, Math.min(late, 1e9)) * 1e9));
    }
}
