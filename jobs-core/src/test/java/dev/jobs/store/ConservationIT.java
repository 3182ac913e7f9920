package dev.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No job is ever lost or doubled, and the ledger proves it. */
class ConservationIT {

    /** Of the walk of each build, and of each of those of the proof. */
    private static final int STEPS = 360;

    private static final int LONG_STEPS = 1_800;

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    @Test
    void everyJobIsInExactlyOnePlaceWhateverHappens() {
        walk(1, STEPS);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyJobIsInExactlyOnePlaceInLongWalks(long seed) {
        walk(seed, LONG_STEPS);
    }

    private static void walk(long seed, int steps) {
        bed.clear();
        RandomWalk walk = new RandomWalk(bed, seed);
        try {
            for (int i = 1; i <= steps; i++) {
                walk.step();
                if (i % 50 == 0) {
                    walk.check();
                }
            }
            walk.finish();
            assertThat(bed.books()).satisfies(books -> {
                // Otherwise the walk was too short to prove anything.
                assertThat(List.of(books.acked(), books.moved(), books.requeued(), books.recovered()))
                        .allSatisfy(count -> assertThat(count).isGreaterThan(steps / 18));
                if (steps == LONG_STEPS) {
                    assertThat(books.poisoned()).isPositive();
                }
            });
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("With seed " + seed + " after\n" + walk.trace(), e);
        }
    }
}
