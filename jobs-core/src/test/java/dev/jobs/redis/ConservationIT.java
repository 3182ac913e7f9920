package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No job is ever lost or doubled, and the ledger proves it. */
class ConservationIT {

    private static final int STEPS = 1_800;

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyJobIsInExactlyOnePlaceWhateverHappens(long seed) {
        bed.clear();
        RandomWalk walk = new RandomWalk(bed, seed);
        try {
            for (int i = 1; i <= STEPS; i++) {
                walk.step();
                if (i % 50 == 0) {
                    walk.check();
                }
            }
            walk.finish();
            assertThat(bed.books()).satisfies(books -> {
                // Otherwise the walk was too short to prove anything.
                assertThat(List.of(books.acked(), books.moved(), books.requeued(), books.recovered()))
                        .allSatisfy(count -> assertThat(count).isGreaterThan(100));
                assertThat(books.poisoned()).isPositive();
            });
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("With seed " + seed + " after\n" + walk.trace(), e);
        }
    }
}
