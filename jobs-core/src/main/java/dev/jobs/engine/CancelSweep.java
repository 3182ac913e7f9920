package dev.jobs.engine;

import dev.jobs.redis.CallLimits;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.JobSets.JobSet;
import dev.jobs.redis.JobSets.Move;
import dev.jobs.redis.JobSets.Step;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes the jobs of cancelled batches from the scheduled and the retry set, where they might wait for days. Jobs that
 * wait in queues are skipped when they are taken. Goes through both sets in small steps, again and again while a
 * cancelled batch is unfinished, since a worker may learn late of the cancellation. Confined to one thread.
 */
final class CancelSweep {

    private static final Duration EACH = Duration.ofSeconds(5);
    private static final int STEPS = 20;

    private final JobSets sets;
    private final RunContext context;

    private record Place(String batch, JobSet set) {}

    private final Deque<Place> places = new ArrayDeque<>();
    private String cursor = JobSets.FIRST_STEP;
    private @Nullable Long begunNanos;

    CancelSweep(JobSets sets, RunContext context) {
        this.sets = sets;
        this.context = context;
    }

    /** Takes some steps. Returns whether to go on at once. */
    boolean runOnce(Collection<String> cancelled) {
        if (places.isEmpty()) {
            Long begun = begunNanos;
            if (cancelled.isEmpty() || begun != null && context.nanos() - begun < EACH.toNanos()) {
                return false;
            }
            begunNanos = context.nanos();
            for (String batch : cancelled) {
                places.add(new Place(batch, JobSet.RETRY));
                places.add(new Place(batch, JobSet.SCHEDULE));
            }
        }
        for (int step = 0; step < STEPS && !places.isEmpty(); step++) {
            Place place = places.peek();
            Step found = sets.scan(place.set(), cursor, place.batch(), CallLimits.JOBS);
            List<Move> moves = found.found().stream()
                    .filter(entry -> context.batchEffects().belongsTo(place.batch(), entry.payload()))
                    .map(entry -> sets.delete(entry.payload()))
                    .toList();
            if (!moves.isEmpty()) {
                sets.move(place.set(), moves);
            }
            cursor = found.cursor();
            if (found.last()) {
                cursor = JobSets.FIRST_STEP;
                places.remove();
            }
        }
        return !places.isEmpty();
    }
}
