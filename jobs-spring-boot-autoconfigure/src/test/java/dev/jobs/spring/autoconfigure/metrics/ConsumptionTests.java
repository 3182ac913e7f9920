package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.QueueInfo;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.CapsuleWork;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConsumptionTests {

    private static final List<QueueInfo> EMPTY = List.of();
    private static final List<QueueInfo> MAILS = List.of(queue("mail", 3, false));
    private static final List<QueueInfo> REPORTS = List.of(queue("reports", 3, false));

    private final AtomicLong nanos = new AtomicLong();
    private final TestWorker home = new TestWorker();
    private final TestWorker east = new TestWorker();
    private final Consumption consumption = new Consumption(Map.of("home", home, "east", east), nanos::get);

    @Test
    void aWorkerThatTakesNothingThoughItCouldStalls() {
        look(MAILS);
        pass(5);
        look(MAILS);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theTimeGoesOnBetweenTwoLooks() {
        look(MAILS);
        pass(7);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aJobThatWasTakenEndsIt() {
        look(MAILS);
        pass(5);
        home.take("default");
        look(MAILS);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aJobThatWasTakenEndsItBeforeTheNextLook() {
        look(MAILS);
        pass(5);

        home.take("default");

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aWorkerThatIsNotAliveStallsWhateverItSeemsToRun() {
        home.run("default", 2);
        home.shut.add("mail");
        home.alive = false;
        look(MAILS);
        look(MAILS);
        pass(5);

        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
        home.alive = true;
        look(MAILS);
        assertThat(consumption.stall()).isZero();
    }

    @Test
    void anEmptyQueueIsNoStall() {
        look(MAILS);
        look(EMPTY);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void pausedBrokenAndForeignQueuesAreNoStall() {
        look(List.of(
                queue("mail", 3, true),
                queue("elsewhere", 3, false),
                new QueueInfo("reports", 3, Duration.ZERO, false, true)));
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aQueueThatIsShutIsNoStallUntilItIsOpenAgain() {
        home.shut.add("mail");
        look(MAILS);
        pass(5);
        assertThat(consumption.stall()).isZero();

        home.shut.clear();
        look(MAILS);
        pass(3);
        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aWorkerThatIsToTakeNothingDoesNotStall() {
        look(MAILS);
        home.toWork = false;
        look(MAILS);
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void aCapsuleWithoutAFreeThreadDoesNotStall() {
        home.run("reports", 1);
        look(REPORTS);
        look(REPORTS);
        pass(5);
        assertThat(consumption.stall()).isZero();

        home.end("reports");
        look(REPORTS);
        pass(5);
        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aQueueOfTwoCapsulesIsNoStallWhileBothAreBusy() {
        List<QueueInfo> both = List.of(queue("both", 3, false));
        home.run("default", 2);
        home.run("reports", 1);
        look(both);
        look(both);
        pass(5);
        assertThat(consumption.stall()).isZero();

        home.end("default");
        look(both);
        pass(5);
        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aShardThatIsQuietDoesNotStallWhateverTheOthersDo() {
        east.toWork = false;
        consumption.look(Map.of("home", EMPTY, "east", MAILS));
        pass(5);
        assertThat(consumption.stall()).isZero();

        east.toWork = true;
        consumption.look(Map.of("home", EMPTY, "east", MAILS));
        pass(5);
        home.take("default");
        assertThat(consumption.stall()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aShardDoesNotStallWhileTheJobsOfAnotherHaveTheThreads() {
        home.run("reports", 1);
        consumption.look(Map.of("home", EMPTY, "east", REPORTS));
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    @Test
    void queuesThatCannotBeReadAreNoStall() {
        consumption.look(Map.of("east", MAILS));
        consumption.look(Map.of("home", EMPTY));
        pass(5);

        assertThat(consumption.stall()).isZero();
    }

    private void look(List<QueueInfo> queues) {
        consumption.look(Map.of("home", queues));
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private static QueueInfo queue(String name, long size, boolean paused) {
        return new QueueInfo(name, size, Duration.ZERO, paused, false);
    }

    /** Says what the test wants. */
    private static final class TestWorker implements Consumption.Worker {

        private final Map<String, CapsuleConfig> capsules = new LinkedHashMap<>();
        private final Map<String, Integer> taken = new HashMap<>();
        private final Map<String, Integer> running = new HashMap<>();
        private final Set<String> shut = new HashSet<>();
        private boolean toWork = true;
        private boolean alive = true;

        TestWorker() {
            capsules.put("default", CapsuleConfig.of("default", 2, List.of("mail", "default", "both")));
            capsules.put("reports", CapsuleConfig.of("reports", 1, List.of("reports", "both")));
        }

        void take(String capsule) {
            taken.merge(capsule, 1, Integer::sum);
        }

        void run(String capsule, int jobs) {
            taken.merge(capsule, jobs, Integer::sum);
            running.merge(capsule, jobs, Integer::sum);
        }

        void end(String capsule) {
            running.merge(capsule, -1, Integer::sum);
        }

        @Override
        public boolean isToWork() {
            return toWork;
        }

        @Override
        public boolean isAlive() {
            return alive;
        }

        @Override
        public boolean isShut(String queue) {
            return shut.contains(queue);
        }

        @Override
        public List<CapsuleWork> work() {
            return capsules.entrySet().stream()
                    .map(each -> new CapsuleWork(
                            each.getValue(),
                            taken.getOrDefault(each.getKey(), 0),
                            running.getOrDefault(each.getKey(), 0)))
                    .toList();
        }
    }
}
