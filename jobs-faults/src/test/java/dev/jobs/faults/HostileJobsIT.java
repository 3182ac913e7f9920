package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobsException;
import dev.jobs.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Jobs that throw anything, never end, or end their JVM harm no other jobs. */
@FaultTest
class HostileJobsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /**
     * The class that {@code Throw} throws, by its argument. The middleware around all jobs passes on only exceptions
     * and errors.
     */
    private static final Map<String, Class<?>> THROWN = Map.ofEntries(
            Map.entry("checked", IOException.class),
            Map.entry("unchecked", IllegalStateException.class),
            Map.entry("error", Error.class),
            Map.entry("assertion", AssertionError.class),
            Map.entry("linkage", NoClassDefFoundError.class),
            Map.entry("throwable", JobsException.class),
            Map.entry("mute", FaultJobs.Mute.class),
            Map.entry("huge", IllegalStateException.class),
            Map.entry("cyclic", Exception.class),
            Map.entry("suppressed", Exception.class),
            Map.entry("deep", StackOverflowError.class),
            Map.entry("high", Exception.class),
            Map.entry("garbled", IllegalStateException.class),
            Map.entry("fatal", InternalError.class),
            Map.entry("death", ThreadDeath.class),
            Map.entry("faceless", FaultJobs.Faceless.class),
            Map.entry("unreadable", FaultJobs.Unreadable.class),
            Map.entry("interrupted", InterruptedException.class),
            Map.entry("both", IllegalStateException.class));

    private static final int EACH = 5;

    private final Dose dose = Dose.current();

    @Test
    void whateverAJobThrowsItEndsAndLeavesNothingBehind() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("throwing-jobs", server.uri())) {
            Worker worker = trial.startAll(1, WorkerSettings.of(server.uri(), "default"))
                    .get(0);
            trial.takeBaseline();
            for (int i = 0; i < EACH; i++) {
                THROWN.keySet().forEach(what -> push(trial, what));
                push(trial, "interrupts");
                trial.producer.enqueue("default", "Work", 1);
            }
            trial.awaitDone(PATIENCE);
            assertThat(causesOfDeath(trial)).isEqualTo(expectedDeaths());
            long before = worker.liveBytes();
            int failing = dose.of(2_000, 10_000);
            fail(trial, failing);
            trial.awaitDone(PATIENCE);
            long growth = worker.liveBytes() - before;
            trial.note("heap_growth", growth);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.buried()).isEqualTo(THROWN.size() * EACH + failing / 2);
            assertThat(verdict.executed()).isEqualTo(verdict.enqueued() - verdict.buried());
            assertThat(trial.redis.get("stat:failed"))
                    .as("those that threw, those that failed once, and none that had the bad luck to run after them")
                    .isEqualTo(Integer.toString(verdict.buried() + failing / 2));
            assertThat(verdict.duplicates()).isZero();
            assertThat(growth).as("bytes that %s failures left behind", failing).isLessThan(1_000_000);
        }
    }

    /** Enqueues it like another client that requests a backtrace and no retry. */
    private static void push(Trial trial, String what) {
        String jid = UUID.randomUUID().toString().replace("-", "").substring(0, 24);
        Payload payload =
                Payload.of(Map.of("class", "Throw", "args", List.of(what), "jid", jid, "retry", 0, "backtrace", true));
        trial.redis.lpush("queue:default", new String(payload.bytes(), UTF_8));
        trial.producer.accepted(jid);
    }

    private static void fail(Trial trial, int count) {
        List<String> quick = List.of("checked", "error", "mute", "cyclic", "deep", "garbled", "faceless", "both");
        for (int i = 0; i < count / 2; i++) {
            push(trial, quick.get(i % quick.size()));
        }
        trial.producer.enqueueAll("default", "FailOnce", Collections.nCopies(count / 2, List.of(0)));
    }

    private static Map<String, Long> causesOfDeath(Trial trial) {
        return trial.redis.zrange("dead", 0, -1).stream()
                .map(payload -> Payload.parse(payload.getBytes(UTF_8)))
                .collect(Collectors.groupingBy(
                        payload -> String.valueOf(payload.text("error_class")), TreeMap::new, Collectors.counting()));
    }

    private static Map<String, Long> expectedDeaths() {
        return THROWN.values().stream()
                .collect(Collectors.groupingBy(Class::getName, TreeMap::new, Collectors.summingLong(thrown -> EACH)));
    }

    @Test
    void aJobThatNeverEndsDelaysNeitherOtherJobsNorTheEndOfItsProcess() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("endless-job", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), Load.QUEUES);
            Worker worker = trial.startAll(1, settings).get(0);
            String endless = trial.producer.enqueue("default", "StubbornUntil", "the end");
            trial.awaitStarts(endless, 1);
            Load load = new Load(trial, 9, 20);
            load.enqueue(200);
            await().until(() -> finished(worker) >= 150);

            worker.terminate();
            trial.start(settings);
            assertThat(worker.awaitEnd(PATIENCE)).as("it ended by itself").isTrue();
            assertThat(String.join("\n", worker.said()))
                    .as("where the job was that refused to stop")
                    .containsPattern("is left behind[^\\n]*\\n(    [^\\n]*\\n)*    .*FaultJobs.stubbornUntil\\(");
            trial.awaitStarts(endless, 2);
            trial.release("the end");

            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertRecovered(verdict.recovered(), 0);
            assertThat(verdict.handedBack()).isPositive();
            assertThat(verdict.duplicates()).isBetween(1, (int) verdict.handedBack());
        }
    }

    private static long finished(Worker worker) {
        return worker.executions().stream().filter(Execution::finished).count();
    }

    @Test
    void aJobThatEndsItsJvmIsBuriedAtItsThirdRecoveryAndNoOtherIs() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("poison", server.uri())) {
            List<Worker> workers = new ArrayList<>();
            dose.of(List.of("one", "two"), List.of("one", "one", "two"))
                    .forEach(queue -> workers.add(start(trial, WorkerSettings.of(server.uri(), queue))));
            trial.awaitAllRegistered();
            Set<String> pills = new HashSet<>();
            for (int wave = 0; wave < dose.of(1, 2); wave++) {
                work(trial);
                pills.add(trial.producer.enqueue("one", "Halt"));
                if (wave == 0) {
                    pills.add(trial.producer.enqueue("two", "EatMemory"));
                }
                work(trial);
                await().until(() -> {
                    workers.replaceAll(each -> each.isAlive() ? each : start(trial, each.settings));
                    return trial.redis.zcard("dead") >= pills.size();
                });
            }
            workers.replaceAll(each -> each.isAlive() ? each : start(trial, each.settings));
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(trial.buried()).as("the pills, and no other jobs").isEqualTo(pills);
            assertThat(verdict.executed()).isEqualTo(verdict.enqueued() - pills.size());
            pills.forEach(pill ->
                    assertThat(trial.executions(pill)).as("starts of %s", pill).hasSize(3));
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((int) verdict.recovered());
        }
    }

    /** Starts a worker with a heap that is quickly filled. */
    private static Worker start(Trial trial, WorkerSettings settings) {
        return trial.start(settings, "-Xmx64m");
    }

    /** Enqueues harmless jobs to each queue. Each queue has its own workers, so no two pills meet in one process. */
    private void work(Trial trial) {
        for (String queue : List.of("one", "two")) {
            trial.producer.enqueueAll(queue, "Work", Collections.nCopies(dose.of(125, 1_250), List.of(20)));
        }
    }
}
