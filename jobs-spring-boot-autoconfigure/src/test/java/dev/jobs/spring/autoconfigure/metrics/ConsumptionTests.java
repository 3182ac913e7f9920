package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.spring.autoconfigure.StandInJob;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConsumptionTests {

    private static final List<QueueInfo> EMPTY = List.of();
    private static final List<QueueInfo> MAILS = List.of(queue("mail", 3, false));

    private final AtomicLong nanos = new AtomicLong();
    private final Consumption consumption = new Consumption(config(), nanos::get);

    @Test
    void aWorkerThatTakesNothingThoughItCouldStalls() {
        consumption.look(MAILS, true, true);
        pass(5);
        consumption.look(MAILS, true, true);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theTimeGoesOnBetweenTwoLooks() {
        consumption.look(MAILS, true, true);
        pass(7);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aJobThatStartedEndsIt() {
        consumption.look(MAILS, true, true);
        pass(5);
        JobContext job = new StandInJob("Mails.send", "mail");
        consumption.started(job);
        consumption.finished(job, Ending.DONE, Duration.ZERO, null);
        consumption.look(MAILS, true, true);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aJobThatStartedEndsItBeforeTheNextLook() {
        consumption.look(MAILS, true, true);
        pass(5);

        consumption.started(new StandInJob("Mails.send", "mail"));

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aWorkerThatIsNotAliveStallsWhateverItSeemsToRun() {
        for (int i = 0; i < config().concurrency(); i++) {
            consumption.started(new StandInJob("Mails.send", "mail"));
        }
        consumption.look(MAILS, true, false);
        consumption.look(MAILS, true, false);
        pass(5);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
        consumption.look(MAILS, true, true);
        assertThat(consumption.stall()).isZero();
    }

    @Test
    void anEmptyQueueIsNoStall() {
        consumption.look(MAILS, true, true);
        consumption.look(EMPTY, true, true);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void pausedBrokenAndForeignQueuesAreNoStall() {
        consumption.look(
                List.of(
                        queue("mail", 3, true),
                        queue("elsewhere", 3, false),
                        new QueueInfo("reports", 3, Duration.ZERO, false, true)),
                true,
                true);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aWorkerThatIsToTakeNothingDoesNotStall() {
        consumption.look(MAILS, true, true);
        consumption.look(MAILS, false, true);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aCapsuleWithoutAFreeThreadDoesNotStall() {
        JobContext report = new StandInJob("Reports.run", "reports");
        consumption.started(report);
        List<QueueInfo> reports = List.of(queue("reports", 3, false));
        consumption.look(reports, true, true);
        consumption.look(reports, true, true);
        pass(5);
        assertThat(consumption.stall()).isZero();

        consumption.finished(report, Ending.DONE, Duration.ZERO, null);
        consumption.look(reports, true, true);
        pass(5);
        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aJobThatEndedWithoutAStartFreesNoThread() {
        consumption.started(new StandInJob("Reports.run", "reports"));
        consumption.finished(new StandInJob("", "reports"), Ending.DEAD, Duration.ZERO, null);
        List<QueueInfo> reports = List.of(queue("reports", 3, false));
        consumption.look(reports, true, true);
        consumption.look(reports, true, true);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private static QueueInfo queue(String name, long size, boolean paused) {
        return new QueueInfo(name, size, Duration.ZERO, paused, false);
    }

    private static EngineConfig config() {
        return EngineConfig.of(List.of(
                CapsuleConfig.of("default", 2, List.of("mail", "default")),
                CapsuleConfig.of("reports", 1, List.of("reports"))));
    }
}
