package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.faults.RecoveryTimes.Life;
import dev.jobs.faults.RecoveryTimes.Recovery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The measurement of the time until a job runs again. */
class RecoveryTimesTests {

    private static Instant at(int second) {
        return Instant.EPOCH.plusSeconds(second);
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Execution cutOff(String jid, int worker, int started) {
        return new Execution(jid, 1, worker, at(started), null, false);
    }

    @Test
    void timeInWhichNoWorkerWasUpCountsByTheClockAlone() {
        RecoveryTimes recoveries = new RecoveryTimes(
                List.of(new Life(3, at(20), null), new Life(1, at(0), at(10)), new Life(2, at(12), at(15))));

        assertThat(recoveries.of(List.of(cutOff("a", 1, 9), cutOff("a", 3, 26))))
                .containsExactly(new Recovery("a", 0, seconds(16), seconds(3 + 6)));
    }

    @Test
    void timeInWhichSeveralWereUpCountsOnce() {
        RecoveryTimes recoveries = new RecoveryTimes(
                List.of(new Life(1, at(0), at(10)), new Life(2, at(5), at(14)), new Life(3, at(8), null)));

        assertThat(recoveries.of(List.of(cutOff("a", 1, 9), cutOff("a", 3, 17))))
                .containsExactly(new Recovery("a", 0, seconds(7), seconds(7)));
    }

    @Test
    void eachTimeThatAJobWasCutOffCounts() {
        RecoveryTimes recoveries = new RecoveryTimes(
                List.of(new Life(1, at(0), at(10)), new Life(2, at(0), at(20)), new Life(3, at(0), null)));

        assertThat(recoveries.of(List.of(
                        new Execution("a", 1, 3, at(25), at(26), true),
                        cutOff("a", 1, 9),
                        cutOff("a", 2, 13),
                        new Execution("b", 1, 1, at(8), at(9), true))))
                .containsExactly(
                        new Recovery("a", 0, seconds(3), seconds(3)), new Recovery("a", 1, seconds(5), seconds(5)));
    }

    @Test
    void aPercentileIsOneOfTheTimes() {
        List<Duration> times = List.of(seconds(4), seconds(1), seconds(3), seconds(2));
        assertThat(RecoveryTimes.percentile(50, times)).isEqualTo(seconds(2));
        assertThat(RecoveryTimes.percentile(99, times)).isEqualTo(seconds(4));
        assertThat(RecoveryTimes.percentile(99, List.of())).isZero();
    }
}
