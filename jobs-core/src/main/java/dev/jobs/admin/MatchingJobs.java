package dev.jobs.admin;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.lists.JobSets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The matching jobs of a set, for an action on all of them; {@link SetsAdmin#all} returns it. An action looks once at
 * each job that is in the set when it begins, those of the lowest score first. Each call of Redis carries at most 100
 * jobs.
 *
 * <p>By itself an action runs until it is complete, however long that takes; if Redis fails, it throws, and what it did
 * so far stays done. Callers that can't wait go {@linkplain #step step by step}. Immutable and thread-safe; throws what
 * {@link JobsAdmin} throws.
 */
public final class MatchingJobs {

    private final JobSets sets;
    private final SetMoves moves;
    private final RestorableJobs trash;
    private final JobSet set;
    private final Predicate<? super JobRecord> wanted;
    private final @Nullable String cursor;
    private final @Nullable Duration time;

    MatchingJobs(JobSets sets, SetMoves moves, RestorableJobs trash, JobSet set, Predicate<? super JobRecord> wanted) {
        this(sets, moves, trash, set, wanted, null, null);
    }

    private MatchingJobs(
            JobSets sets,
            SetMoves moves,
            RestorableJobs trash,
            JobSet set,
            Predicate<? super JobRecord> wanted,
            @Nullable String cursor,
            @Nullable Duration time) {
        this.sets = sets;
        this.moves = moves;
        this.trash = trash;
        this.set = set;
        this.wanted = wanted;
        this.cursor = cursor;
        this.time = time;
    }

    /**
     * The same jobs, for one step of an action that goes on where the step before ended. If Redis fails after a part of
     * the step, the step ends there and returns what it did; the next one throws if Redis still fails.
     *
     * @param cursor of the result of the step before, or null for the first step; an action throws
     *     IllegalArgumentException for a cursor that no step returned
     * @param time how long the step takes at most; checked after every hundred jobs
     */
    public MatchingJobs step(@Nullable String cursor, Duration time) {
        return new MatchingJobs(sets, moves, trash, set, wanted, cursor, time);
    }

    /**
     * Puts them into their queues, as {@link SetsAdmin#runNow} does. A job that can't run stays and doesn't prevent
     * others from running.
     */
    public BulkResult run() {
        return act(pass().moving(moves::toQueueIfPossible));
    }

    /**
     * Moves scheduled or failed jobs to the dead set and notifies the death handlers. A dead set that becomes too large
     * keeps the last jobs only.
     */
    public BulkResult kill() {
        SetMoves.checkMortal(set);
        return act(pass().moving(record -> moves.toDead(record.stored())).notifying(moves::notifyDeath));
    }

    /**
     * Gives scheduled or failed jobs another time, as {@link SetsAdmin#reschedule} does; jobs that already have it are
     * not counted.
     *
     * @param at 1970 or later, the same in every step
     */
    public BulkResult reschedule(Instant at) {
        SetMoves.checkTime(set, at);
        double score = JobSets.score(at);
        return act(
                pass().moving(record -> moves.toTime(set, record, at)).passingOver(record -> record.score() == score));
    }

    /**
     * Lets scheduled or failed jobs wait in another queue once they are due; jobs that would anyway are not counted.
     *
     * @param queue the same in every step
     */
    public BulkResult move(String queue) {
        SetMoves.checkMovable(set, queue);
        return act(pass().moving(record -> moves.toOtherQueue(set, record, queue))
                .rewriting()
                .passingOver(record -> queue.equals(record.queue())));
    }

    /** Deletes them for good. */
    public BulkResult delete() {
        return act(pass().moving(record -> moves.delete(record.stored())));
    }

    /**
     * Deletes them in a way that can be undone; see {@link JobsAdmin#trash}.
     *
     * @param batch a name for everything to be restored together, the same in every step: 1 to 64 letters, digits and
     *     dashes
     */
    public BulkResult trash(String batch) {
        trash.checkName(batch);
        AtomicLong restorable = new AtomicLong();
        BulkResult bulk =
                act(pass().moving(record -> moves.delete(record.stored())).by(deleted -> {
                    List<byte[]> stored =
                            deleted.stream().map(move -> move.stored()).toList();
                    RestorableJobs.Deleted result = trash.delete(set.stored(), stored, batch);
                    restorable.addAndGet(result.kept());
                    return result.results();
                }));
        return new BulkResult(bulk.done(), bulk.kept(), restorable.get(), bulk.cursor());
    }

    private BulkPass pass() {
        return new BulkPass(sets, set, wanted, cursor);
    }

    private BulkResult act(BulkPass pass) {
        return time == null ? pass.run() : pass.run(time);
    }
}
