package dev.jobs.admin;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.RubyTime;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.lists.MoveEffects;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The moves of jobs out of sets, for one job and for many. Each is one step, so a job is in one place at every moment;
 * its neighbours, even those of the same score, are not touched.
 */
@Internal
public final class SetMoves {

    private static final String DEFAULT_QUEUE = "default";

    private final JobSets sets;
    private final List<MoveEffects> features;
    private final JobHooks hooks;
    private final Clock clock;
    private final PayloadTimes times;

    public SetMoves(JobSets sets, List<MoveEffects> features, JobHooks hooks, Clock clock, PayloadTimes times) {
        this.sets = sets;
        this.features = List.copyOf(features);
        this.hooks = hooks;
        this.clock = clock;
        this.times = times;
    }

    Move delete(byte[] stored) {
        return sets.delete(stored);
    }

    Move toDead(byte[] stored) {
        return sets.toDead(stored, stored);
    }

    Move toTime(JobSet set, JobRecord record, Instant at) {
        byte[] stored = record.stored();
        Payload job = record.payload();
        if (job == null) {
            return sets.toSet(stored, set.stored(), at, stored);
        }
        Instant now = clock.instant();
        byte[] moved = Expiry.anewForRun(job, RubyTime.seconds(at.isBefore(now) ? now : at))
                .bytes();
        if (Arrays.equals(moved, stored)) {
            return sets.toSet(stored, set.stored(), at, stored);
        }
        return sets.toSet(stored, set.stored(), at, moved).with(rewritten(job, moved));
    }

    /** To another queue, in which the job waits once it is due; null if there is nothing to do, or it is no job. */
    @Nullable Move toOtherQueue(JobSet set, JobRecord record, String queue) {
        Payload job = record.payload();
        if (job == null || queue.equals(record.queue())) {
            return null;
        }
        byte[] moved = job.with("queue", queue).bytes();
        return sets.toSet(record.stored(), set.stored(), record.score(), moved).with(rewritten(job, moved));
    }

    private List<Effect> rewritten(Payload job, byte[] moved) {
        return effects(each -> each.rewritten(job, moved));
    }

    private List<Effect> effects(Function<MoveEffects, List<Effect>> asked) {
        return features.stream().flatMap(each -> asked.apply(each).stream()).toList();
    }

    /** Null if a middleware vetoes it. */
    @Nullable Move toQueue(JobSet set, byte[] stored, Payload job) {
        Payload ready = ready(set, job);
        if (ready == null) {
            return null;
        }
        String queue = ready.queue();
        if (queue == null || queue.isEmpty()) {
            queue = DEFAULT_QUEUE;
        }
        if (!RedisKeys.isQueueName(queue)) {
            throw new JobsException("The job " + ready.jid()
                    + " names a queue with a line break or half a character, which no worker can "
                    + "serve, so it stays where it is; delete it or kill it");
        }
        Move move = sets.toQueue(stored, queue, ready.bytes());
        return set == JobSet.DEAD ? move.with(effects(each -> each.revived(ready))) : move;
    }

    /** The same as one of many jobs: null also for a job that can't run; a failure is logged. */
    @Nullable Move toQueueIfPossible(JobRecord record) {
        Payload job = record.payload();
        JobSet set = record.set();
        if (job == null || set == null) {
            return null;
        }
        try {
            return toQueue(set, record.stored(), job);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            hooks.failed(e, "A job can't be run now, it stays in the " + set.label(), job);
            return null;
        }
    }

    /** The job as it is enqueued, or null if a middleware vetoes it. */
    private @Nullable Payload ready(JobSet set, Payload job) {
        Payload next = Expiry.anewForRun(job, RubyTime.seconds(clock.instant()));
        String queue = job.queue();
        if (queue == null || queue.isEmpty()) {
            next = next.with("queue", DEFAULT_QUEUE);
        }
        if (!job.has("retry")) {
            next = next.with("retry", true);
        }
        Long count = job.integer("retry_count");
        if (set != JobSet.SCHEDULED && count != null && count > Long.MIN_VALUE) {
            next = next.with("retry_count", count - 1); // a requested run must not use up a retry
        }
        Payload passed = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), next);
        return passed == null ? null : passed.without("at").with("enqueued_at", times.of(clock.instant()));
    }

    void notifyDeath(JobRecord record) {
        Payload job = record.payload();
        if (job != null) {
            hooks.died(job, null);
        }
    }

    static void checkTime(JobSet set, Instant at) {
        if (set == JobSet.DEAD) {
            throw new IllegalArgumentException("'set' must be SCHEDULED or RETRY: a dead job has no time to change");
        }
        if (at.isBefore(Instant.EPOCH)) {
            throw new IllegalArgumentException("'at' must not be before 1970 but was " + at);
        }
    }

    /** A batch counts a dead job as dead, and one of another queue would be counted as waiting. */
    static void checkMovable(JobSet set, String queue) {
        if (set == JobSet.DEAD) {
            throw new IllegalArgumentException("'set' must be SCHEDULED or RETRY: a dead job waits for no queue");
        }
        QueueMoves.checkName(queue);
    }

    static void checkMortal(JobSet set) {
        if (set == JobSet.DEAD) {
            throw new IllegalArgumentException("'set' must be SCHEDULED or RETRY: a dead job can't be killed");
        }
    }
}
