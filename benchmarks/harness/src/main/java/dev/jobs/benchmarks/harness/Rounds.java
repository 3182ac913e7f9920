package dev.jobs.benchmarks.harness;

import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * Measures everything to be compared once in each round, so that a noisy minute affects all of it.
 *
 * @param number the number of rounds
 * @param most the time of all rounds together; the first one always runs
 */
record Rounds(int number, Duration most, Results results, String what) {

    private static final Duration MOST = Duration.ofMinutes(14);
    private static final Duration ENDLESS = Duration.ofDays(1);

    /** The requested number of rounds, or as many as the time allows. */
    static Rounds of(Options options, Results results, String what) {
        return new Rounds(options.rounds(), options.limited() ? MOST : ENDLESS, results, what);
    }

    void forEach(IntConsumer round) {
        long begin = System.nanoTime();
        for (int i = 1; i <= number; i++) {
            round.accept(i);
            long took = System.nanoTime() - begin;
            if (i < number && took / i * (i + 1) > most.toNanos()) {
                results.note(what, "round " + (i + 1), "it would take too long; --rounds insists");
                return;
            }
        }
    }
}
