package dev.jobs.batches;

import dev.jobs.engine.RunContext;
import dev.jobs.limits.ParkedSweep;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes the jobs of cancelled batches from the scheduled and the retry set, where they might wait for days, and lets
 * those leave their limits that are parked. Jobs that wait in queues are skipped when they are taken. Goes through all
 * of them in small steps, again and again while a cancelled batch is unfinished, since a worker may learn late of the
 * cancellation. Confined to one thread.
 */
final class CancelSweep {

    private static final int STEPS = 20;
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

    /** How many times as long as a pass the pause after it is: large sets must not be read all the time. */
    private static final int PAUSES = 10;

    private final BatchReader reader;
    private final BatchCancellations cancellations;
    private final JobSets sets;
    private final ParkedSweep parked;
    private final RunContext context;

    private final Deque<StoredSet> left = new ArrayDeque<>();
    private Set<String> cancelled = Set.of();
    private String cursor = EntryReader.FIRST;
    private long begunNanos;
    private long dueNanos;
    private boolean first = true;

    CancelSweep(
            BatchReader reader,
            BatchCancellations cancellations,
            JobSets sets,
            ParkedSweep parked,
            RunContext context) {
        this.reader = reader;
        this.cancellations = cancellations;
        this.sets = sets;
        this.parked = parked;
        this.context = context;
    }

    /** Takes some steps. Returns whether to go on at once. */
    boolean runOnce() {
        if (isOver() && !begin()) {
            return false;
        }
        for (int step = 0; step < STEPS && !isOver(); step++) {
            if (parked.isUnderWay()) {
                parked.step(); // first: others may wait behind these
            } else {
                sweepSome();
            }
        }
        if (isOver()) {
            long took = context.nanos() - begunNanos;
            dueNanos = context.nanos() + Math.max(SHORTEST_PAUSE.toNanos(), PAUSES * took);
        }
        return !isOver();
    }

    private boolean isOver() {
        return left.isEmpty() && !parked.isUnderWay();
    }

    private boolean begin() {
        if (!cancellations.hasAny()) {
            first = true; // the next one is swept at once
            return false;
        }
        if (!first && context.nanos() - dueNanos < 0) {
            return false;
        }
        first = false;
        begunNanos = context.nanos();
        cancelled = cancellations.all();
        reader.forgetExpired(cancelled); // those that are gone are swept for the last time
        parked.begin();
        left.addAll(List.of(StoredSet.RETRY, StoredSet.SCHEDULE));
        return true;
    }

    private void sweepSome() {
        StoredSet set = left.element();
        ScanStep<Entry> step = sets.scan(set, BatchReader.JOB_TEXT).next(cursor, CallBounds.JOBS);
        Map<Move, String> moves = new LinkedHashMap<>();
        for (Entry entry : step.found()) {
            String batch = BatchEffects.batchOf(entry.payload());
            if (batch != null && cancelled.contains(batch)) {
                moves.put(sets.delete(entry.payload()), batch);
            }
        }
        if (!moves.isEmpty()) {
            // Since the pass began one may be over, and a dead job of it run again, which waits for its retry.
            moves.values().retainAll(cancellations.among(Set.copyOf(moves.values())));
            sets.move(set, List.copyOf(moves.keySet()));
        }
        cursor = step.cursor();
        if (step.last()) {
            cursor = EntryReader.FIRST;
            left.remove();
        }
    }
}
