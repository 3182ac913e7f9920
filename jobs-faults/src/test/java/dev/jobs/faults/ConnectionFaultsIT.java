package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.faults.Fault.Delivery;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The connections between workers and Redis lose answers, break, are slow, or carry nothing although they are open. */
@FaultTest
class ConnectionFaultsIT {

    private static final Duration PRODUCER_TIMEOUT = Duration.ofSeconds(30);

    /** Of a producer whose connections may carry nothing. */
    private static final Duration FORGOTTEN_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Dose dose = Dose.current();

    /** Counts exchanges that were repeated under their old number. */
    private static final class Repetitions implements Fault {

        private final Map<String, String> lastNumbers = new ConcurrentHashMap<>();
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public Delivery command(Command command) {
            if (command.runs("claim")) {
                String number = command.argument(3);
                if (number.equals(lastNumbers.put(command.argument(1) + command.argument(2), number))) {
                    count.incrementAndGet();
                }
            }
            return Delivery.PASS;
        }

        int count() {
            return count.get();
        }
    }

    /**
     * Loses this number of answers to each script: at random it closes the connection, resets it, or cuts the answer in
     * the middle.
     */
    private static final class LostAnswers implements Fault {

        private static final List<String> SCRIPTS = List.of("claim", "beat", "due", "move", "process", "push");
        private static final List<Delivery> DELIVERIES = List.of(Delivery.CUT, Delivery.RESET, Delivery.TORN);

        private final Repetitions repetitions = new Repetitions();
        private final Random random = new Random(42);
        private final Map<String, Integer> left;

        LostAnswers(int each) {
            left = new ConcurrentHashMap<>(
                    SCRIPTS.stream().collect(Collectors.toMap(script -> script, script -> each)));
            left.put("process", Math.min(each, 2)); // only once in two seconds
        }

        @Override
        public Delivery command(Command command) {
            return repetitions.command(command);
        }

        @Override
        public synchronized Delivery answer(Command command) {
            Integer more = left.get(command.script());
            if (more == null || more == 0 || random.nextInt(3) > 0) {
                return Delivery.PASS;
            }
            left.put(command.script(), more - 1);
            return DELIVERIES.get(random.nextInt(DELIVERIES.size()));
        }

        boolean isOver() {
            return left.values().stream().allMatch(more -> more == 0);
        }

        @Override
        public String toString() {
            return "answers left to lose: " + left;
        }
    }

    @Test
    void lostAnswersNeitherLoseNorRepeatAJob() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("lost-answers", server.uri(), proxy.uri(), PRODUCER_TIMEOUT)) {
            trial.startAll(2, WorkerSettings.of(proxy.uri(), Load.QUEUES));
            trial.takeBaseline();
            LostAnswers fault = new LostAnswers(dose.of(20, 500));
            proxy.fault(fault);
            Load load = new Load(trial, 1, 20);
            while (!fault.isOver()) {
                load.fill(200);
            }
            proxy.heal();
            trial.note("repeated_exchanges", fault.repetitions.count());
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
            assertThat(fault.repetitions.count()).isPositive();
        }
    }

    /** Loses answers to exchanges that were sent behind others, and to those that had others behind them. */
    private static final class LostWhileOverlapping implements Fault {

        private static final String BEHIND = "1";

        private final Map<String, Integer> left = new ConcurrentHashMap<>();
        private volatile boolean overlaps;

        LostWhileOverlapping(int each) {
            left.put("0", each);
            left.put(BEHIND, each);
        }

        @Override
        public Delivery command(Command command) {
            overlaps |= command.settles() && command.argument(2).equals(BEHIND);
            return Delivery.PASS;
        }

        @Override
        public Delivery answer(Command command) {
            if (!overlaps || !command.settles()) {
                return Delivery.PASS;
            }
            Integer more = left.computeIfPresent(command.argument(2), (line, count) -> count - 1);
            if (more == null || more < 0) {
                return Delivery.PASS;
            }
            overlaps = false; // loses one of two, whichever is answered next
            return more % 2 == 0 ? Delivery.CUT : Delivery.TORN;
        }

        boolean isOver() {
            return left.values().stream().allMatch(more -> more <= 0);
        }

        @Override
        public String toString() {
            return "answers left to lose: " + left;
        }
    }

    @Test
    void answersLostWhileTwoExchangesAreUnderWayNeitherLoseNorRepeatAJob() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("lost-overlapping", server.uri())) {
            trial.startAll(1, WorkerSettings.of(proxy.uri()).withCapsules("default/600/default"));
            trial.takeBaseline();
            LostWhileOverlapping fault = new LostWhileOverlapping(dose.of(5, 100));
            proxy.fault(fault);
            List<List<Integer>> thousand = Collections.nCopies(1_000, List.of(1));
            while (!fault.isOver()) {
                await().until(() -> trial.queued() < 2_000);
                trial.producer.enqueueAll("default", "Work", thousand);
            }
            proxy.heal();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
        }
    }

    @Test
    void killedConnectionsAndForgottenScriptsLoseNothing() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("client-kill", server.uri())) {
            Repetitions repetitions = new Repetitions();
            proxy.fault(repetitions);
            trial.startAll(3, WorkerSettings.of(proxy.uri(), Load.QUEUES));
            trial.takeBaseline();
            Load load = new Load(trial, 2, 50);
            int rounds = dose.of(25, 400);
            for (int i = 0; i < rounds; i++) {
                load.fill(300);
                proxy.cut(); // kills by the server look the same to a worker
                trial.redis.clientKill(KillArgs.Builder.typeNormal().skipme());
                if (i % 7 == 0) {
                    trial.redis.scriptFlush();
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(150));
            }
            trial.note("repeated_exchanges", repetitions.count());
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
            assertThat(repetitions.count()).isPositive();
        }
    }

    /** Every answer takes a while, some take long, and sometimes a connection breaks. */
    private static final class BadLine implements Fault {

        private final Random random = new Random(42);
        private final int delayMillis;

        BadLine(int delayMillis) {
            this.delayMillis = delayMillis;
        }

        @Override
        public Delivery answer(Command command) {
            int roll = roll(1_000);
            int delay = roll(2 * delayMillis) + (roll < 50 ? delayMillis : 0);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delay));
            return roll < 995 ? Delivery.PASS : Delivery.TORN;
        }

        private synchronized int roll(int below) {
            return random.nextInt(below);
        }
    }

    @Test
    void aSlowAndBreakingLineOnlySlowsThingsDown() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("bad-line", server.uri(), proxy.uri(), PRODUCER_TIMEOUT)) {
            trial.startAll(2, WorkerSettings.of(proxy.uri(), Load.QUEUES));
            trial.takeBaseline();
            proxy.fault(new BadLine(dose.of(20, 200)));
            Load load = new Load(trial, 3, 50);
            int jobs = dose.of(500, 5_000);
            while (trial.producer.count() < jobs) {
                load.fill(50);
            }
            trial.awaitDone(PATIENCE);
            proxy.heal();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
        }
    }

    /**
     * As behind a load balancer or a NAT: each pause is long enough for a connection without keep-alive to be
     * forgotten.
     */
    @Test
    void connectionsThatAreForgottenWhenTheyAreQuietHoldNothingUp() {
        Duration idle = Duration.ofSeconds(10);
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("forgotten-connections", server.uri(), proxy.uri(), FORGOTTEN_TIMEOUT)) {
            trial.startAll(2, WorkerSettings.of(proxy.uri(), "default"));
            trial.takeBaseline();
            proxy.forgetAfter(idle);
            int rounds = dose.of(1, 20);
            for (int round = 0; round < rounds; round++) {
                Trial.letPass(idle.plusSeconds(2));
                trial.producer.enqueue("default", "Work", 1);
                trial.producer.enqueueAll("default", "Work", java.util.Collections.nCopies(10, List.of(1)));
                trial.producer.enqueueIn(Duration.ofSeconds(1), "default", "Work", 1);
                trial.awaitDone(PATIENCE);
            }
            trial.note("forgotten", proxy.forgotten());
            assertThat(proxy.forgotten()).as("the producer's, at least").isGreaterThanOrEqualTo(rounds);
            proxy.heal();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
        }
    }

    /** Nothing passes, without notice to either side. */
    private static final Fault SILENCE = new Fault() {
        @Override
        public Delivery command(Command command) {
            return Delivery.MUTE;
        }
    };

    @Test
    void aWorkerThatIsCutOffForLongerThanItsLeaseSettlesNothingAndComesBack() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("partition", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), "default");
            Worker cutOff = trial.start(settings.withUri(proxy.uri()));
            trial.start(settings);
            trial.takeBaseline();
            int rounds = dose.of(1, 5);
            int taken = 0;
            for (int round = 0; round < rounds; round++) {
                taken += cutOffOnce(trial, proxy, cutOff, round);
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(taken).as("jobs of the one that was cut off").isPositive();
            trial.assertRecovered(verdict, taken, taken);
            assertThat(trial.redis.get("stat:processed"))
                    .as("what the worker did that was cut off counts for nothing")
                    .isEqualTo(Integer.toString(verdict.enqueued()));
            assertThat(cutOff.said()).anyMatch(line -> line.contains("This process continues as "));
        }
    }

    /**
     * Both workers are busy; one is cut off; its jobs run elsewhere and end there and here; then it is connected again.
     * Returns how many they were.
     */
    private static int cutOffOnce(Trial trial, FaultProxy proxy, Worker cutOff, int round) {
        String end = "partition-" + round;
        Set<String> jids = new HashSet<>(
                trial.producer.enqueueAll("default", "Until", java.util.Collections.nCopies(20, List.of(end))));
        await().until(() -> trial.executions().stream()
                        .filter(execution -> jids.contains(execution.jid()))
                        .count()
                == 20);
        List<String> taken = cutOff.executions().stream()
                .map(Execution::jid)
                .filter(jids::contains)
                .toList();
        proxy.fault(SILENCE);
        // The other worker has no free thread yet: the jobs are back in their queue.
        await().until(() -> trial.redis.llen("queue:default") == taken.size());
        trial.release(end);
        await().until(() -> trial.executions().stream()
                        .filter(execution -> taken.contains(execution.jid()) && execution.finished())
                        .count()
                == 2L * taken.size());
        proxy.heal();
        trial.awaitAllRegistered();
        return taken.size();
    }
}
