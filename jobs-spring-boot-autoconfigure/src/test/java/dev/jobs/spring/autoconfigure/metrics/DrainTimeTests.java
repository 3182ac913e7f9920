package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobListener.Ending;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.spring.autoconfigure.StandInJob;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DrainTimeTests {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000); // overflows in each test
    private final DrainTime drain = new DrainTime(config(), nanos::get);

    @Test
    void itIsTheBacklogTimesTheMeanExecutionDividedByTheConcurrency() {
        ended("mail", 1);
        ended("mail", 3);

        drain.look(List.of(queue("mail", 100)));

        assertThat(drain.seconds()).isEqualTo(100 * 2 / 4.0);
    }

    @Test
    void anIdleProcessKnowsItsRateFromTheExecutionsAndNotFromTheirNumber() {
        ended("mail", 2);
        pass(Duration.ofMinutes(4));

        drain.look(List.of(queue("mail", 100)));

        assertThat(drain.seconds()).isEqualTo(50);
    }

    @Test
    void itIsZeroIfNothingWaitsAndUnknownIfNothingHasEnded() {
        assertThat(drain.seconds()).isNaN();

        drain.look(List.of());
        assertThat(drain.seconds()).isZero();

        drain.look(List.of(queue("mail", 1)));
        assertThat(drain.seconds()).isNaN();
    }

    @Test
    void eachQueueCountsWithItsOwnExecutions() {
        ended("mail", 1);
        ended("default", 5);

        drain.look(List.of(queue("mail", 10), queue("default", 2)));

        assertThat(drain.seconds()).isEqualTo((10 * 1 + 2 * 5) / 4.0);
    }

    @Test
    void aQueueWithoutExecutionsCountsWithTheMeanOfItsCapsule() {
        ended("mail", 1);
        ended("mail", 3);

        drain.look(List.of(queue("default", 6)));

        assertThat(drain.seconds()).isEqualTo(6 * 2 / 4.0);
    }

    @Test
    void theSlowestCapsuleCounts() {
        ended("mail", 1);
        ended("reports", 60);

        drain.look(List.of(queue("mail", 10), queue("reports", 2)));

        assertThat(drain.seconds()).isEqualTo(2 * 60 / 1.0);
    }

    @Test
    void anUnknownCapsuleHidesNoKnownOne() {
        ended("mail", 1);

        drain.look(List.of(queue("mail", 8), queue("reports", 2)));

        assertThat(drain.seconds()).isEqualTo(2);
    }

    @Test
    void pausedBrokenAndForeignQueuesDoNotCount() {
        ended("mail", 1);
        ended("reports", 1);

        drain.look(List.of(
                new QueueInfo("mail", 3, Duration.ZERO, true, false),
                new QueueInfo("reports", 3, Duration.ZERO, false, true),
                queue("elsewhere", 3)));

        assertThat(drain.seconds()).isZero();
    }

    @Test
    void executionsOfTheLastFiveMinutesCount() {
        drain.look(List.of());
        ended("mail", 100);
        pass(Duration.ofSeconds(5));
        drain.look(List.of());
        pass(DrainTime.WINDOW.plusSeconds(1));
        drain.look(List.of());
        ended("mail", 2);

        pass(Duration.ofSeconds(5));
        drain.look(List.of(queue("mail", 4)));

        assertThat(drain.seconds()).isEqualTo(4 * 2 / 4.0);
    }

    @Test
    void afterAQuietWindowTheLastExecutionsCount() {
        drain.look(List.of());
        ended("mail", 2);
        pass(Duration.ofSeconds(5));
        drain.look(List.of());
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(5));
            drain.look(List.of());
        }

        drain.look(List.of(queue("mail", 4)));

        assertThat(drain.seconds()).isEqualTo(2);
    }

    @Test
    void anOldReadingIsUnknown() {
        drain.look(List.of());
        pass(JobGauges.VALID);
        assertThat(drain.seconds()).isZero();

        pass(Duration.ofNanos(1));
        assertThat(drain.seconds()).isNaN();
    }

    @Test
    void aClaimedEntryThatIsNoJobDoesNoHarm() {
        drain.finished(new StandInJob("", "elsewhere"), Ending.DEAD, Duration.ZERO, null);
        drain.look(List.of(queue("mail", 1)));

        assertThat(drain.seconds()).isNaN();
    }

    private void ended(String queue, int seconds) {
        drain.finished(new StandInJob("Shop.sell", queue), Ending.DONE, Duration.ofSeconds(seconds), null);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static QueueInfo queue(String name, long size) {
        return new QueueInfo(name, size, Duration.ZERO, false, false);
    }

    private static EngineConfig config() {
        return EngineConfig.of(List.of(
                CapsuleConfig.of("default", 4, List.of("mail", "default")),
                CapsuleConfig.of("reports", 1, List.of("reports"))));
    }
}
