package dev.jobs.benchmarks.harness;

import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * Measures everything to be compared once in each round, so that a noisy minute affects all of it.
 *
 * @param number the number of rounds
 * @param limit the time limit of all rounds together; the first one always runs
 */
record Rounds(int number, Duration limit, Results results, String what) {

    private static final Duration LIMIT = Duration.ofMinutes(14);
    private static final Duration NO_LIMIT = Duration.ofDays(1);

    /** The requested number of rounds, or as many as the time allows. */
    static Rounds of(Options options, Results results, String what) {
        return new Rounds(options.rounds(), options.limited() ? LIMIT : NO_LIMIT, results, what);
    }

    void forEach(IntConsumer round) {
        long begin = System.nanoTime();
        for (int i = 1; i <= number; i++) {
            round.accept(i);
            long took = System.nanoTime() - begin;
            if (i < number && took / i * (i + 1) > limit.toNanos()) {
                results.note(what, "round " + (i + 1), "it would take too long; --rounds insists");
                return;
            }
        }
    }
}
