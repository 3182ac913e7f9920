package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers whose clocks are far off: none is given up because of it, and no job runs before it is due. */
@FaultTest
class ClockIT {

    /** Stored times and journals are in microseconds. */
    private static final Duration ROUNDING = Duration.ofMillis(1);

    /** Much less than the clocks are off, much more than a busy machine needs. */
    private static final Duration LATE = Duration.ofMinutes(2);

    private static final Duration SHORTEST_DELAY = Duration.ofSeconds(15);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(25);

    /** The offset of the leader's clock; the other worker's clock is off in the opposite direction. */
    static Stream<Duration> offsets() {
        Duration ahead = Duration.ofMinutes(5);
        return Dose.current().of(Stream.of(ahead), Stream.of(ahead, ahead.negated()));
    }

    @ParameterizedTest
    @MethodSource("offsets")
    void neitherLeasesNorTimesDependOnTheClockOfAWorker(Duration offset) {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("clock", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), Load.QUEUES);
            Worker leader = trial.startAll(1, settings.withClockOffset(offset)).get(0);
            awaitLeader(trial, leader);
            Worker other = trial.startAll(1, settings.withClockOffset(offset.negated()))
                    .get(0);

            Load load = new Load(trial, 13, 50);
            load.enqueue(trial.dose.of(300, 5_000));
            assertThatNothingIsEarly(trial);
            await().until(() -> trial.books().inFlight() == 0 && trial.redis.zcard("schedule") == 0);
            assertThatRetriesWait(trial);
            trial.assertRecovered(trial.books().recovered(), 0); // while nobody died

            killWhileItWorks(trial, leader);
            awaitLeader(trial, other);
            assertThatNothingIsEarly(trial);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertCountedOnce();
            assertThat(verdict.duplicates()).isBetween(1, (int) verdict.recovered());
        }
    }

    private static void awaitLeader(Trial trial, Worker worker) {
        await().until(() -> trial.identities(worker).contains(String.valueOf(trial.redis.get("dear-leader"))));
    }

    private static void assertThatNothingIsEarly(Trial trial) {
        Map<String, Instant> due = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            Duration delay = Duration.ofMillis(200 + 50 * i);
            Instant soonest = Instant.now().plus(delay);
            due.put(trial.producer.enqueueIn(delay, "default", "Work", 1), soonest);
        }
        await().until(() -> trial.executions().stream()
                .map(Execution::jid)
                .collect(Collectors.toSet())
                .containsAll(due.keySet()));
        due.forEach((jid, time) -> assertThat(trial.executions(jid).get(0).started())
                .as("start of a job for %s", time)
                .isBetween(time.minus(ROUNDING), time.plus(LATE)));
    }

    /** Each failed job waits for its next attempt for the required time, or has waited that long. */
    private static void assertThatRetriesWait(Trial trial) {
        Map<String, Instant> again = new HashMap<>();
        trial.redis
                .zrangeWithScores("retry", 0, -1)
                .forEach(retry -> again.put(
                        Payload.parse(retry.getValue().getBytes(UTF_8)).jid(),
                        Instant.ofEpochMilli((long) (retry.getScore() * 1_000))));
        List<Execution> executions = trial.executions();
        executions.stream()
                .filter(execution -> execution.attempt() == 2)
                .forEach(execution -> again.put(execution.jid(), execution.started()));
        Map<String, Instant> failed = executions.stream()
                .filter(execution -> execution.attempt() == 1 && !execution.finished())
                .collect(Collectors.toMap(Execution::jid, ClockIT::end));
        assertThat(again).isNotEmpty();
        again.forEach((jid, time) -> assertThat(time)
                .as("second attempt of a job that failed at %s", failed.get(jid))
                .isBetween(
                        failed.get(jid).plus(SHORTEST_DELAY).minus(ROUNDING),
                        failed.get(jid).plus(LONGEST_DELAY).plus(LATE)));
    }

    private static Instant end(Execution execution) {
        Instant ended = execution.ended();
        return ended == null ? Instant.MIN : ended;
    }

    private static void killWhileItWorks(Trial trial, Worker victim) {
        int threads = trial.alive().stream()
                .mapToInt(worker -> worker.settings.concurrency())
                .sum();
        Set<String> held = new HashSet<>(
                trial.producer.enqueueAll("default", "Until", Collections.nCopies(threads, List.of("killed"))));
        await().until(() -> running(trial.executions(), held) == threads);
        long interrupted = running(victim.executions(), held);
        victim.kill();
        await().until(() -> trial.books().recovered() >= interrupted);
        trial.release("killed");
    }

    private static long running(List<Execution> executions, Set<String> jids) {
        return executions.stream()
                .filter(execution -> jids.contains(execution.jid()))
                .count();
    }
}
