package dev.jobs.admin;

import dev.jobs.redis.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The actions on all wanted jobs of a set, in steps of a bounded time, for callers that can't wait for the whole: each step is given the
 * cursor of the one before, the first one null. A pass looks at the jobs that were there when it began and at none twice. Where Redis fails
 * after a part of a step, the step ends there and says what it did; the next one throws if Redis fails still.
 * {@link JobsAdmin#bulk} has it. Thread-safe; throws what {@link JobsAdmin} throws, and IllegalArgumentException for a cursor that no step
 * has returned.
 */
public final class BulkSteps {

    private final SetActions actions;
    private final JobTrash trash;

    BulkSteps(SetActions actions, JobTrash trash) {
        this.actions = actions;
        this.trash = trash;
    }

    /** Puts them into their queues; see {@link JobsAdmin#runAll}. */
    public BulkStep run(JobSet set, Predicate<? super JobRecord> wanted, @Nullable String cursor, Duration time) {
        return step(actions.running(set, wanted), cursor, time);
    }

    /** Moves them to the dead set; see {@link JobsAdmin#killAll}. */
    public BulkStep kill(JobSet set, Predicate<? super JobRecord> wanted, @Nullable String cursor, Duration time) {
        return step(actions.killing(set, wanted), cursor, time);
    }

    /**
     * Gives them another time; see {@link JobsAdmin#rescheduleAll}.
     *
     * @param at the same in every step
     */
    public BulkStep reschedule(
            JobSet set, Predicate<? super JobRecord> wanted, Instant at, @Nullable String cursor, Duration time) {
        return step(actions.rescheduling(set, wanted, at), cursor, time);
    }

    /** Moves them to the trash; see {@link Trash}. */
    public BulkStep trash(
            JobSet set, Predicate<? super JobRecord> wanted, String batch, @Nullable String cursor, Duration time) {
        AtomicLong restorable = new AtomicLong();
        Sweep sweep = actions.deleting(set, wanted).by(moves -> {
            List<byte[]> stored = moves.stream().map(move -> move.stored()).toList();
            JobTrash.Added added = trash.add(set.stored(), stored, batch);
            restorable.addAndGet(added.kept());
            return added.fates().stream().map(BulkSteps::result).toList();
        });
        BulkStep step = step(sweep, cursor, time);
        return new BulkStep(step.done(), step.kept(), restorable.get(), step.cursor());
    }

    private static int result(JobTrash.Fate fate) {
        return switch (fate) {
            case KEPT, REMOVED -> 1;
            case GONE -> 0;
            case REFUSED -> -1;
        };
    }

    private static BulkStep step(Sweep sweep, @Nullable String cursor, Duration time) {
        SweepCursor from = SweepCursor.parse(cursor);
        if (from != null) {
            sweep.resume(from);
        }
        SweepCursor stopped = sweep.run(until(time));
        return new BulkStep(sweep.done(), sweep.kept(), 0, stopped == null ? null : stopped.text());
    }

    static BooleanSupplier until(Duration time) {
        long start = System.nanoTime();
        return () -> System.nanoTime() - start < time.toNanos();
    }
}
