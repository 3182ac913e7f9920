package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No worker survives to see the others die, or none lives long enough. */
@FaultTest
class CrashLoopIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int MOST_LIVES = 30;

    private final Dose dose = Dose.current();

    @Test
    void noJobIsLostWhenAllWorkersAreKilledAtOnce() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("all-killed", server.uri())) {
            trial.startAll(dose.of(2, 3), settings(server));
            Load load = new Load(trial, 14, 100);
            int deaths = dose.of(1, 5);
            for (int i = 0; i < deaths; i++) {
                load.fill(300);
                trial.awaitStarts(trial.executions().size() + 100);
                List<Worker> all = trial.alive();
                await().until(() -> killAllInTheMiddleOfJobs(all));
                Set<String> interrupted = interrupted(trial);
                all.forEach(trial::replace);
                await().until(() -> ended(trial).containsAll(interrupted));
            }
            end(trial);
        }
    }

    @Test
    void interruptedJobsRunAgainAlthoughNoWorkerLivesAsLongAsALease() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("crash-loop", server.uri())) {
            Load load = new Load(trial, 15, 100);
            Worker next = trial.start(settings(server));
            // On a slow machine the next one may not be up yet when one dies, so it takes more of them.
            for (int i = 0; i < dose.of(5, 10) || trial.books().recovered() == 0 && i < MOST_LIVES; i++) {
                Worker victim = next;
                await().until(() -> !trial.identities(victim).isEmpty());
                next = trial.start(settings(server)); // starts up while this one lives
                Instant end = Instant.now().plus(WorkerSettings.LEASE.dividedBy(2));
                do {
                    load.fill(200); // an idle worker leaves nothing to take over
                } while (Instant.now().isBefore(end) || !victim.killInTheMiddleOfAJob());
            }
            long recovered = trial.books().recovered();
            trial.note("recovered_by_the_dying", recovered);
            assertThat(recovered).as("taken over by those that died soon after").isPositive();
            end(trial);
        }
    }

    @Test
    void onlyTheJobThatEndsItsJvmIsBuriedThoughWorkersDieSoonerThanTheyTakeSuspects() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("pill-in-a-crash-loop", server.uri())) {
            Random random = new Random(16);
            int before = 10; // few, so that the pill becomes a suspect before any other job
            work(trial, random, before);
            String pill = trial.producer.enqueue("default", "Halt");
            work(trial, random, dose.of(1_000, 10_000) - before);

            CrashLoop loop = new CrashLoop(
                    trial,
                    WorkerSettings.of(server.uri(), "default"),
                    dose.of(Duration.ofMillis(300), Duration.ofSeconds(1)),
                    dose.of(Duration.ofMillis(1_200), Duration.ofSeconds(3)));
            loop.rage(dose.of(24, 150));
            loop.calm(() -> trial.buried().contains(pill));
            trial.awaitDone(PATIENCE);

            trial.note("cut_off_twice", cutOffTwice(trial));
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(trial.buried()).as("the pill, and no other job").containsExactly(pill);
            assertThat(verdict.executed()).isEqualTo(verdict.enqueued() - 1);
            assertThat(trial.executions(pill)).as("starts of the pill").hasSizeLessThanOrEqualTo(3);
            assertThat(verdict.duplicates())
                    .as("whatever ran twice was recovered from a dead worker or handed back by one that stopped")
                    .isLessThanOrEqualTo((int) (verdict.recovered() + verdict.handedBack()));
        }
    }

    private void work(Trial trial, Random random, int count) {
        trial.producer.enqueueAll(
                "default",
                "Work",
                Stream.generate(() -> List.of(dose.of(100, 200) + random.nextInt(dose.of(400, 300))))
                        .limit(count)
                        .toList());
    }

    private static long cutOffTwice(Trial trial) {
        return trial.executions().stream()
                .filter(execution -> execution.ended() == null)
                .collect(Collectors.groupingBy(Execution::jid, Collectors.counting()))
                .values()
                .stream()
                .filter(times -> times >= 2)
                .count();
    }

    private static void end(Trial trial) {
        Verdict verdict = trial.end();
        trial.assertSound(verdict);
        assertThat(verdict.recovered()).isPositive();
        assertThat(verdict.duplicates())
                .as("whatever ran twice was recovered from a killed worker")
                .isLessThanOrEqualTo((int) verdict.recovered());
    }

    private static Set<String> interrupted(Trial trial) {
        return trial.executions().stream()
                .filter(execution -> execution.ended() == null)
                .map(Execution::jid)
                .collect(Collectors.toSet());
    }

    private static Set<String> ended(Trial trial) {
        return trial.executions().stream()
                .filter(execution -> execution.ended() != null)
                .map(Execution::jid)
                .collect(Collectors.toSet());
    }

    /** Kills them when all of them stand still, if one runs a job. Returns whether it did. */
    private static boolean killAllInTheMiddleOfJobs(List<Worker> all) {
        all.parallelStream().forEach(Worker::freeze);
        boolean hit = all.stream().anyMatch(Worker::runsAJob);
        all.forEach(hit ? Worker::kill : Worker::thaw);
        return hit;
    }

    private static WorkerSettings settings(RedisServer server) {
        return WorkerSettings.of(server.uri(), Load.QUEUES);
    }
}
