package dev.jobs.admin;

import dev.jobs.JobStoreException;
import dev.jobs.redis.CallLimits;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.JobSets.Entry;
import dev.jobs.redis.JobSets.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One pass through a set that moves some of its jobs, in the order of their scores. It goes from where the set begins to where it ended at
 * the start, and past no more jobs than there were then: so it comes to an end whatever others add meanwhile. Confined to one thread.
 */
final class Sweep {

    private static final int MOVED = 1;
    private static final int GONE = 0;

    /** Where a job goes. */
    interface Mover {
        /** The move, or null if the job stays. */
        @Nullable Move move(JobRecord record);
    }

    /** Takes jobs out of a set, each to where its move says. */
    interface Carrier {
        /** Returns per job 1 if it went, 0 if it was gone, anything else if it stays. */
        List<Integer> carry(List<Move> moves);
    }

    /** Hears of each job that was moved. */
    interface Follower {
        void moved(JobRecord record);
    }

    private final JobSets sets;
    private final JobSet set;
    private final Predicate<? super JobRecord> wanted;
    private final Mover mover;
    private final Follower follower;
    private Carrier carrier;

    private double reached = Double.NEGATIVE_INFINITY;
    private long stayedThere; // jobs of exactly that score that were looked at and are still in the set
    private double end;
    private long left;
    private double target = Double.NaN; // no score equals it
    private long done;
    private long kept;

    Sweep(JobSets sets, JobSet set, Predicate<? super JobRecord> wanted, Mover mover, Follower follower) {
        this.sets = sets;
        this.set = set;
        this.wanted = wanted;
        this.mover = mover;
        this.follower = follower;
        this.carrier = moves -> sets.move(set.stored(), moves);
        List<Entry> last = sets.highest(set.stored(), 0, 1);
        this.end = last.isEmpty() ? 0 : last.get(0).score();
        this.left = last.isEmpty() ? 0 : sets.size(set.stored());
    }

    /** Goes on where another one has stopped. */
    Sweep resume(SweepCursor cursor) {
        end = cursor.end();
        left = cursor.left();
        reached = cursor.reached();
        stayedThere = cursor.stayedThere();
        return this;
    }

    /** Has jobs carried by something else than the plain move. */
    Sweep by(Carrier other) {
        carrier = other;
        return this;
    }

    /** Passes over jobs of exactly that score, which are those that it has moved there itself. */
    Sweep passingOver(double score) {
        target = score;
        return this;
    }

    BulkResult run() {
        while (left > 0 && batch()) {
            // on to the next one
        }
        return new BulkResult(done, kept);
    }

    /**
     * Goes on while it may, which is asked after each batch, and while Redis does, unless that fails in the first batch. Returns where it
     * stopped, or null if it came to the end.
     */
    @Nullable SweepCursor run(BooleanSupplier mayGoOn) {
        boolean began = false;
        try {
            while (left > 0 && batch()) {
                began = true;
                if (left > 0 && !mayGoOn.getAsBoolean()) {
                    return cursor();
                }
            }
            return null;
        } catch (JobStoreException e) {
            if (!began) {
                throw e;
            }
            return cursor();
        }
    }

    private SweepCursor cursor() {
        return new SweepCursor(end, left, reached, stayedThere);
    }

    /** Returns whether there was something to look at. */
    private boolean batch() {
        List<Entry> page = sets.someBetween(
                        set.stored(), reached, end, stayedThere, (int) Math.min(CallLimits.JOBS, left))
                .items();
        if (page.isEmpty()) {
            return false;
        }
        advance(page, move(page));
        left -= page.stream().filter(entry -> entry.score() != target).count();
        return true;
    }

    long done() {
        return done;
    }

    long kept() {
        return kept;
    }

    /** Moves what is wanted of a page. Returns what is still there. Counts nothing before all of it has been moved. */
    private List<JobRecord> move(List<Entry> page) {
        List<JobRecord> staying = new ArrayList<>();
        List<JobRecord> leaving = new ArrayList<>();
        List<Move> moves = new ArrayList<>();
        long meantToGo = 0;
        for (Entry entry : page) {
            JobRecord record = JobRecord.inSet(set, entry.payload(), entry.score());
            boolean meant = entry.score() != target && wanted.test(record);
            Move move = meant ? mover.move(record) : null;
            meantToGo += meant ? 1 : 0;
            if (move != null) {
                leaving.add(record);
                moves.add(move);
            } else {
                staying.add(record);
            }
        }
        List<Integer> results = moves.isEmpty() ? List.of() : carrier.carry(moves);
        kept += meantToGo - moves.size();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) == MOVED) {
                done++;
                follower.moved(leaving.get(i));
            } else if (results.get(i) != GONE) {
                kept++;
                staying.add(leaving.get(i));
            }
        }
        return staying;
    }

    private void advance(List<Entry> page, List<JobRecord> staying) {
        double score = page.get(page.size() - 1).score();
        if (score > reached) {
            reached = score;
            stayedThere = 0;
        }
        stayedThere +=
                staying.stream().filter(record -> record.score() == score).count();
    }
}
