package dev.jobs.benchmarks.harness;

import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * Everything that is compared is measured once in each round, so that a noisy minute hits it all.
 *
 * @param number how many there are
 * @param limit so long may all rounds take together; the first one is made anyway
 */
record Rounds(int number, Duration limit, Results results, String what) {

    private static final Duration LIMIT = Duration.ofMinutes(14);
    private static final Duration NO_LIMIT = Duration.ofDays(1);

    /** As many as were asked for, or those that the time allows. */
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
