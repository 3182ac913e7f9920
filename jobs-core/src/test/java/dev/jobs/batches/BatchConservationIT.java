package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.store.ScriptTestBed;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The counters of batches follow from the states of their jobs, each job is where its state says, and each event comes
 * once, whatever happens. {@code -Djobs.batches.steps=100000} and {@code -Djobs.batches.seed} lengthen the walk.
 */
class BatchConservationIT {

    /** Of the walk of each build, and of each of those of the proof. */
    private static final int STEPS = 200;

    private static final int LONG_STEPS = Integer.getInteger("jobs.batches.steps", 1_500);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    static LongStream seeds() {
        Long seed = Long.getLong("jobs.batches.seed");
        return seed == null ? LongStream.of(1, 2) : LongStream.of(seed);
    }

    // What a walk has to have seen, or it was too short to prove anything.

    @Test
    void everyJobIsCountedOnceWhateverHappens() {
        assertThat(walk(1, STEPS).seen())
                .containsKeys("attempted", "finished", "noted", "repeated", "late", "grown", "reaped")
                .containsKeys("DONE", "SKIPPED", "DISCARDED", "DEAD", "RETRIED", "INTERRUPTED")
                .containsKeys("trashed", "restored", "cancelled", "elsewhere");
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("seeds")
    void everyJobIsCountedOnceInLongWalks(long seed) {
        assertThat(walk(seed, LONG_STEPS).seen())
                .containsKeys(
                        "attempted", "finished", "succeeded", "died", "noted", "repeated", "late", "grown", "reaped")
                .containsKeys("DONE", "FAILED", "SKIPPED", "DISCARDED", "DEAD", "RETRIED", "HANDED_BACK", "INTERRUPTED")
                .containsKeys("trashed", "restored", "cleared", "cancelled", "elsewhere", "expired", "refused to grow");
    }

    private static BatchWalk walk(long seed, int steps) {
        bed.clear();
        BatchWalk walk = new BatchWalk(bed, seed);
        try {
            for (int i = 0; i < steps; i++) {
                walk.step();
            }
            walk.finish();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("With seed " + seed + " after\n" + walk.trace(), e);
        }
        return walk;
    }
}
