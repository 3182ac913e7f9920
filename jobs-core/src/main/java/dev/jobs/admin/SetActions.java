package dev.jobs.admin;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.AnyFailure;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.JobSets.Move;
import dev.jobs.redis.RedisKeys;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What can be done to jobs in sets. Every job moves in one step from where it was to where it goes, so at each moment it is in one place;
 * jobs around it, also those of the same score, are not touched.
 */
final class SetActions {

    private static final String DEFAULT_QUEUE = "default";
    private static final int MOVED = 1;
    private static final int REFUSED = -1;

    private final JobSets sets;
    private final JobHooks hooks;
    private final Clock clock;
    private final PayloadTimes times;

    SetActions(JobSets sets, JobHooks hooks, Clock clock, PayloadTimes times) {
        this.sets = sets;
        this.hooks = hooks;
        this.clock = clock;
        this.times = times;
    }

    boolean delete(JobSet set, byte[] stored) {
        return move(set, sets.delete(stored));
    }

    boolean reschedule(JobSet set, byte[] stored, Instant at) {
        checkTime(set, at);
        return move(set, sets.toSet(stored, set.stored(), at, stored));
    }

    boolean kill(JobSet set, byte[] stored) {
        checkMortal(set);
        boolean killed = move(set, sets.toDead(stored, stored));
        if (killed) {
            tellDeath(JobRecord.inSet(set, stored.clone(), 0));
        }
        return killed;
    }

    RunResult runNow(JobSet set, byte[] stored) {
        Payload job = parse(set, stored);
        if (sets.score(set.stored(), stored) == null) {
            return RunResult.GONE; // a middleware should not be asked for nothing
        }
        Payload ready = ready(set, job);
        if (ready == null) {
            return RunResult.VETOED;
        }
        return move(set, toQueue(stored, ready)) ? RunResult.ENQUEUED : RunResult.GONE;
    }

    BulkResult rescheduleAll(JobSet set, Predicate<? super JobRecord> wanted, Instant at) {
        return rescheduling(set, wanted, at).run();
    }

    long deleteAll(JobSet set) {
        return sets.clear(set.stored());
    }

    BulkResult deleteAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return deleting(set, wanted).run();
    }

    BulkResult killAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return killing(set, wanted).run();
    }

    BulkResult runAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return running(set, wanted).run();
    }

    Sweep deleting(JobSet set, Predicate<? super JobRecord> wanted) {
        return new Sweep(sets, set, wanted, record -> sets.delete(record.stored()), record -> {});
    }

    Sweep killing(JobSet set, Predicate<? super JobRecord> wanted) {
        checkMortal(set);
        return new Sweep(sets, set, wanted, record -> sets.toDead(record.stored(), record.stored()), this::tellDeath);
    }

    Sweep running(JobSet set, Predicate<? super JobRecord> wanted) {
        return new Sweep(sets, set, wanted, this::toQueue, record -> {});
    }

    Sweep rescheduling(JobSet set, Predicate<? super JobRecord> wanted, Instant at) {
        checkTime(set, at);
        return new Sweep(
                        sets,
                        set,
                        wanted,
                        record -> sets.toSet(record.stored(), set.stored(), at, record.stored()),
                        record -> {})
                .passingOver(JobSets.score(at));
    }

    /** For many jobs at once: one that can't go stays, and doesn't keep the others from going. */
    private @Nullable Move toQueue(JobRecord record) {
        Payload job = record.payload();
        JobSet set = record.set();
        if (job == null || set == null) {
            return null;
        }
        try {
            Payload ready = ready(set, job);
            return ready == null ? null : toQueue(record.stored(), ready);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            hooks.failed(e, "A job can't be run now, it stays in the " + set.label(), job);
            return null;
        }
    }

    private Move toQueue(byte[] stored, Payload ready) {
        String queue = ready.queue();
        if (queue == null || queue.isEmpty()) {
            queue = DEFAULT_QUEUE;
        }
        if (!RedisKeys.isQueueName(queue)) {
            throw new JobsException("The job " + ready.jid()
                    + " names a queue with a line break or half a character, which no worker can "
                    + "serve, so it stays where it is; delete it or kill it");
        }
        return sets.toQueue(stored, queue, ready.bytes());
    }

    /** The job as it is to be enqueued, or null if a middleware doesn't want it. */
    private @Nullable Payload ready(JobSet set, Payload job) {
        Payload next = job;
        String queue = job.queue();
        if (queue == null || queue.isEmpty()) {
            next = next.with("queue", DEFAULT_QUEUE);
        }
        if (!job.has("retry")) {
            next = next.with("retry", true);
        }
        Long count = job.integer("retry_count");
        if (set != JobSet.SCHEDULED && count != null && count > Long.MIN_VALUE) {
            next = next.with("retry_count", count - 1); // a run that somebody asked for must not use up a retry
        }
        Payload passed = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), next);
        return passed == null ? null : passed.without("at").with("enqueued_at", times.of(clock.instant()));
    }

    private static Payload parse(JobSet set, byte[] stored) {
        try {
            return Payload.parse(stored.clone());
        } catch (InvalidPayloadException e) {
            throw new JobsException(
                    "This entry of the " + set.label() + " can't be run, it stays there: " + e.getMessage()
                            + " Delete it" + (set == JobSet.DEAD ? "." : " or kill it."),
                    e);
        }
    }

    private boolean move(JobSet set, Move move) {
        int result = sets.move(set.stored(), List.of(move)).get(0);
        if (result == REFUSED) {
            String where = move.queue().isEmpty() ? "the dead set" : "queue '" + move.queue() + "'";
            throw new JobStoreException(
                    Kind.WRONG_TYPE,
                    "The key of " + where + " holds another type than it should, so the job stays in the " + set.label()
                            + "; remove that key first",
                    null);
        }
        return result == MOVED;
    }

    private void tellDeath(JobRecord record) {
        Payload job = record.payload();
        if (job != null) {
            hooks.died(job, null);
        }
    }

    private static void checkTime(JobSet set, Instant at) {
        if (set == JobSet.DEAD) {
            throw new IllegalArgumentException("'set' must be SCHEDULED or RETRY: a dead job has no time to change");
        }
        if (at.isBefore(Instant.EPOCH)) {
            throw new IllegalArgumentException("'at' must not be before 1970 but was " + at);
        }
    }

    private static void checkMortal(JobSet set) {
        if (set == JobSet.DEAD) {
            throw new IllegalArgumentException("'set' must be SCHEDULED or RETRY: a dead job can't be killed");
        }
    }
}
