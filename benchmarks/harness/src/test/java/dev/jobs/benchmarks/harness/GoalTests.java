package dev.jobs.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.benchmarks.harness.Goal.Verdict;
import dev.jobs.benchmarks.harness.Results.Row;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the rounds say of a goal. */
class GoalTests {

    private static final Row NO_TWIN = rounds();
    private static final Row NO_BARE = rounds();
    private static final Goal AT_LEAST = Goal.atLeast(0.75, Ratios.DRAIN);
    private static final Goal AT_MOST = Goal.atMost(6, Ratios.DRAIN);

    private static Row rounds(double... values) {
        Map<Integer, Double> byRound = new TreeMap<>();
        for (double value : values) {
            byRound.put(byRound.size() + 1, value);
        }
        return new Row(byRound);
    }

    @Test
    void aGoalThatEveryRoundMeetsIsMet() {
        assertThat(AT_LEAST.verdict(rounds(0.8, 0.75, 0.9), NO_TWIN, NO_BARE, 3))
                .isEqualTo(Verdict.MET);
        assertThat(AT_MOST.verdict(rounds(5, 6, -1), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MET);
    }

    @Test
    void aGoalThatARoundMissesIsMetByTheMedian() {
        assertThat(AT_LEAST.verdict(rounds(0.8, 0.7, 0.9), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MET_BY_THE_MEDIAN);
        assertThat(AT_MOST.verdict(rounds(5, 7, 4), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MET_BY_THE_MEDIAN);
    }

    @Test
    void aRoundWithoutFigureDoesNotMeetAGoal() {
        assertThat(AT_LEAST.verdict(rounds(0.8, 0.9), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MET_BY_THE_MEDIAN);
    }

    @Test
    void aGoalThatTheMedianMissesIsMissed() {
        assertThat(AT_LEAST.verdict(rounds(0.8, 0.7, 0.6), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MISSED);
        assertThat(AT_MOST.verdict(rounds(5, 7, 8), NO_TWIN, NO_BARE, 3)).isEqualTo(Verdict.MISSED);
    }

    @Test
    void aGoalThatTheBareProgramMissesAsWellIsOutOfReach() {
        assertThat(AT_LEAST.verdict(rounds(0.6, 0.5, 0.6), NO_TWIN, rounds(0.7, 0.8, 0.7), 3))
                .isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(AT_MOST.verdict(rounds(8, 8, 9), NO_TWIN, rounds(5, 7, 6), 3))
                .as("the bare program meets it")
                .isEqualTo(Verdict.MISSED);
        assertThat(AT_MOST.verdict(rounds(9, 9, 9), rounds(10, 10, 10), rounds(6.5, 6.5, 6.5), 3))
                .as("the bare program misses it by less than the noise")
                .isEqualTo(Verdict.MISSED);
        assertThat(AT_MOST.verdict(rounds(5, 5, 5), NO_TWIN, rounds(7, 7, 7), 3))
                .as("it is met, though the bare program is worse")
                .isEqualTo(Verdict.MET);
    }

    @Test
    void theBareProgramStandsInPlaceOfTheLibrary() {
        Goal bounded = AT_LEAST.boundedBy("bare");
        assertThat(bounded.bound().side(Figure.JOBS)).isEqualTo("bare");
        assertThat(bounded.bound().side("sidekiq")).isEqualTo("sidekiq");
    }

    @Test
    void aFigureThatLiesCloserToItsGoalThanTheTwinToItIsEqual() {
        assertThat(AT_LEAST.verdict(rounds(0.8, 0.76, 0.9), rounds(0.7, 0.8, 0.8), NO_BARE, 3))
                .as("met, by 0.05 with a noise of 0.1")
                .isEqualTo(Verdict.EQUAL);
        assertThat(AT_LEAST.verdict(rounds(0.7, 0.7, 0.7), rounds(0.6, 0.9, 0.69), NO_BARE, 3))
                .as("missed, by 0.05 with a noise of 0.1")
                .isEqualTo(Verdict.EQUAL);
    }

    /** The ratio of the twin to it is 3, and says nothing. */
    @Test
    void aDifferenceNearZeroIsFarFromItsGoal() {
        assertThat(AT_MOST.verdict(rounds(0.5), rounds(1.5), NO_BARE, 1)).isEqualTo(Verdict.MET);
    }

    @Test
    void oneRoundInWhichTheTwinWentAstrayDoesNotHideAGoalThatIsMissed() {
        assertThat(AT_LEAST.verdict(rounds(0.6, 0.61, 0.6), rounds(0.61, 0.6, 0.9), NO_BARE, 3))
                .isEqualTo(Verdict.MISSED);
    }

    @Test
    void aGoalWithoutAFigureIsNotMeasured() {
        assertThat(AT_LEAST.verdict(rounds(), rounds(0.8), NO_BARE, 1)).isEqualTo(Verdict.NOT_MEASURED);
    }
}
