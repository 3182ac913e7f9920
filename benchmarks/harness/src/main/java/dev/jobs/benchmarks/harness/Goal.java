package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.harness.Figure.Named;
import dev.jobs.benchmarks.harness.Results.Row;
import org.jspecify.annotations.Nullable;

/**
 * A goal for a figure of this library.
 *
 * <p>The twin is the same build, measured in turns with this library. Where both differ, that is noise, since nothing else
 * distinguishes them. So the noise of a figure is the median, over the rounds, of the difference between the twin's figure
 * and the library's: how far two measurements of the same thing in the same round typically lie apart. It is a difference
 * and no ratio, since figures that are differences may be near zero. It is no maximum, since that would grow with the
 * number of rounds, although these make the median, which is compared with the goal, more certain. The noise of a peer isn't
 * part of it: both sides are compared with the same peer in the same round.
 *
 * @param atLeast whether the figure has to reach the threshold; otherwise it must not exceed it
 * @param bound what shows how far the goal can be reached, or null
 */
record Goal(
        Named named,
        boolean atLeast,
        double threshold,
        @Nullable Bound bound) {

    /**
     * A program that does the least that the figure needs and nothing else. If it misses the goal, the goal is out of
     * reach.
     *
     * @param own whose figures the goal is about
     * @param program whose figures stand in their place
     */
    record Bound(String own, String program) {

        /** The name in whose rows the program's figures are. */
        String side(String who) {
            return who.equals(own) ? program : who;
        }
    }

    /** What the rounds say of a goal. */
    enum Verdict {
        /** There are figures of every round, and each meets the goal. */
        MET("met"),
        /** The median meets the goal, a round doesn't or is missing. */
        MET_BY_THE_MEDIAN("met by the median"),
        /** The median doesn't meet the goal. */
        MISSED("missed"),
        /** The median doesn't meet the goal, and neither does that of the bare program, by more than the noise. */
        OUT_OF_REACH("out of reach"),
        /** The median and the goal differ by less than the noise, so this run can't tell them apart. */
        EQUAL("equal"),
        /** There is no figure. */
        NOT_MEASURED("not measured");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    static Goal atLeast(double threshold, Named named) {
        return new Goal(named, true, threshold, null);
    }

    static Goal atMost(double threshold, Named named) {
        return new Goal(named, false, threshold, null);
    }

    /** The goal with a driver that shows how far it can be reached. */
    Goal boundedBy(String driver) {
        return boundedBy(Figure.JOBS, driver);
    }

    Goal boundedBy(String own, String program) {
        return new Goal(named, atLeast, threshold, new Bound(own, program));
    }

    String title() {
        return named.title();
    }

    Figure figure() {
        return named.figure();
    }

    /**
     * The verdict. {@link Verdict#EQUAL} wins over all others that need figures.
     *
     * @param twin the twin's figures, empty if it wasn't measured
     * @param bare the bare program's figures, empty if there is none or it wasn't measured
     * @param rounds how many rounds the run had
     */
    Verdict verdict(Row row, Row twin, Row bare, int rounds) {
        if (row.byRound().isEmpty()) {
            return Verdict.NOT_MEASURED;
        }
        if (Math.abs(row.median() - threshold) < noise(row, twin)) {
            return Verdict.EQUAL;
        }
        if (!meets(row.median())) {
            return isMissedBy(bare.median(), noise(row, twin)) ? Verdict.OUT_OF_REACH : Verdict.MISSED;
        }
        boolean every = row.byRound().size() == rounds
                && row.byRound().values().stream().allMatch(this::meets);
        return every ? Verdict.MET : Verdict.MET_BY_THE_MEDIAN;
    }

    /** The noise of the figure, in its unit; NaN if there is no twin. */
    static double noise(Row row, Row twin) {
        return twin.less(row).sizes().median();
    }

    private boolean isMissedBy(double value, double noise) {
        double lacking = atLeast ? threshold - value : value - threshold;
        return lacking > (Double.isNaN(noise) ? 0 : noise);
    }

    private boolean meets(double value) {
        return atLeast ? value >= threshold : value <= threshold;
    }
}
