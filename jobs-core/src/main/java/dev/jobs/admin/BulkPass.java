package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.redis.CallBounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One pass through a set that moves the matching jobs, in the order of their scores. It ends at the score of the job
 * that was last at the start, and looks at no more jobs than there were at the start, so it ends although others add
 * jobs. Confined to one thread.
 */
@Internal
public final class BulkPass {

    private static final int MOVED = 1;
    private static final int GONE = 0;

    /** Decides where a job goes. */
    interface Mover {
        /** The move, or null if the job stays. */
        @Nullable Move move(JobRecord record);
    }

    /** Carries out moves. */
    interface Carrier {
        /** Returns for each job 1 if it was moved, 0 if it was gone, anything else if it stays. */
        List<Integer> carry(List<Move> moves);
    }

    /** Is notified of each job that was moved. */
    interface Follower {
        void moved(JobRecord record);
    }

    private final JobSets sets;
    private final JobSet set;
    private final Predicate<? super JobRecord> wanted;
    private Mover mover = record -> null;
    private Carrier carrier;
    private Follower follower = record -> {};
    private Predicate<? super JobRecord> passedOver = record -> false;

    private boolean rewriting;

    /** Where the pass is. */
    private double end;

    private long left;
    private double reached;
    private long stayedThere;

    private long done;
    private long kept;

    /** @param cursor of an earlier pass to continue, or null */
    BulkPass(JobSets sets, JobSet set, Predicate<? super JobRecord> wanted, @Nullable String cursor) {
        this.sets = sets;
        this.set = set;
        this.wanted = wanted;
        this.carrier = moves -> sets.move(set.stored(), moves);
        Cursor from = cursor == null ? begin() : Cursor.parse(cursor);
        this.end = from.end();
        this.left = from.left();
        this.reached = from.reached();
        this.stayedThere = from.stayedThere();
    }

    private Cursor begin() {
        List<Entry> last = sets.highest(set.stored(), 0, 1);
        return last.isEmpty()
                ? new Cursor(0, 0, Double.NEGATIVE_INFINITY, 0)
                : new Cursor(last.get(0).score(), sets.size(set.stored()), Double.NEGATIVE_INFINITY, 0);
    }

    /** Moves matching jobs this way. */
    BulkPass moving(Mover where) {
        mover = where;
        return this;
    }

    /** Notifies of each job that was moved. */
    BulkPass notifying(Follower whom) {
        follower = whom;
        return this;
    }

    /** Replaces the plain move. */
    BulkPass by(Carrier other) {
        carrier = other;
        return this;
    }

    /** Expects moves that leave jobs in the set, under their scores, with other bytes. */
    BulkPass rewriting() {
        rewriting = true;
        return this;
    }

    /** Skips these jobs without counting them, since it may have moved them there itself. */
    BulkPass passingOver(Predicate<? super JobRecord> moved) {
        passedOver = moved;
        return this;
    }

    /** Runs to the end. */
    BulkResult run() {
        while (left > 0 && batch()) {
            // on to the next one
        }
        return result(false);
    }

    /** Runs for about that time, checked after each batch, or until Redis fails after the first batch. */
    BulkResult run(Duration time) {
        BooleanSupplier mayGoOn = until(time);
        boolean began = false;
        try {
            while (left > 0 && batch()) {
                began = true;
                if (left > 0 && !mayGoOn.getAsBoolean()) {
                    return result(true);
                }
            }
            return result(false);
        } catch (JobStoreException e) {
            if (!began) {
                throw e;
            }
            return result(true);
        }
    }

    private BulkResult result(boolean more) {
        return new BulkResult(done, kept, 0, more ? new Cursor(end, left, reached, stayedThere).text() : null);
    }

    public static BooleanSupplier until(Duration time) {
        long start = System.nanoTime();
        return () -> System.nanoTime() - start < time.toNanos();
    }

    /** Returns whether there were jobs to look at. */
    private boolean batch() {
        List<JobRecord> page = sets
                .someBetween(set.stored(), reached, end, stayedThere, (int) Math.min(CallBounds.JOBS, left))
                .items()
                .stream()
                .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                .toList();
        if (page.isEmpty()) {
            return false;
        }
        List<JobRecord> looked =
                page.stream().filter(record -> !passedOver.test(record)).toList();
        List<JobRecord> staying = move(looked, page.get(page.size() - 1));
        page.stream().filter(passedOver).forEach(staying::add);
        advance(page, staying);
        left -= looked.size();
        return true;
    }

    /**
     * Moves the matching jobs of a page. Returns the jobs that stay before its last one, and that one if it stays.
     * Counts nothing before all of them have been moved.
     */
    private List<JobRecord> move(List<JobRecord> page, JobRecord last) {
        List<JobRecord> staying = new ArrayList<>();
        List<JobRecord> leaving = new ArrayList<>();
        List<Move> moves = new ArrayList<>();
        long matching = 0;
        for (JobRecord record : page) {
            boolean matches = wanted.test(record);
            Move move = matches ? mover.move(record) : null;
            matching += matches ? 1 : 0;
            if (move != null) {
                leaving.add(record);
                moves.add(move);
            } else {
                staying.add(record);
            }
        }
        List<Integer> results = moves.isEmpty() ? List.of() : carrier.carry(moves);
        kept += matching - moves.size();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) == MOVED) {
                done++;
                follower.moved(leaving.get(i));
                byte[] bytes = moves.get(i).payload();
                // Redis sorts entries of one score by their bytes.
                if (rewriting && Arrays.compareUnsigned(bytes, last.stored()) < 0) {
                    staying.add(JobRecord.inSet(set, bytes, leaving.get(i).score()));
                }
            } else if (results.get(i) != GONE) {
                kept++;
                staying.add(leaving.get(i));
            }
        }
        return staying;
    }

    private void advance(List<JobRecord> page, List<JobRecord> staying) {
        double score = page.get(page.size() - 1).score();
        if (score > reached) {
            reached = score;
            stayedThere = 0;
        }
        stayedThere +=
                staying.stream().filter(record -> record.score() == score).count();
    }

    /**
     * Where a pass stopped.
     *
     * @param end the score at which it ends
     * @param left jobs that it may still look at
     * @param reached the score of the last job that it looked at
     * @param stayedThere jobs of that score that it looked at and that are still in the set
     */
    private record Cursor(double end, long left, double reached, long stayedThere) {

        static Cursor parse(String text) {
            return CursorText.parse(text, 4, parts -> {
                Cursor cursor = new Cursor(
                        Double.parseDouble(parts[0]),
                        Long.parseLong(parts[1]),
                        Double.parseDouble(parts[2]),
                        Long.parseLong(parts[3]));
                return Double.isNaN(cursor.end) || Double.isNaN(cursor.reached) || cursor.stayedThere < 0
                        ? null
                        : cursor;
            });
        }

        String text() {
            return CursorText.of(end, left, reached, stayedThere);
        }
    }
}
