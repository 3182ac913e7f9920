package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Workers are asked to stop under load and replaced, as a rolling update does. */
@FaultTest
class ShutdownStormIT {

    /** Far more than the one second for running jobs and the few seconds for interrupted ones and for Redis. */
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final Dose dose = Dose.current();
    private final Random random = new Random(11);
    private final List<Worker> all = new ArrayList<>();

    @Test
    void noJobIsLostOrLeftWhenWorkersStopUnderLoad() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("shutdown-storm", server.uri())) {
            all.addAll(trial.startAll(2, WorkerSettings.of(server.uri(), Load.QUEUES)));
            Load load = new Load(trial, 11, 50);
            int stops = dose.of(5, 50);
            for (int i = 0; i < stops; i++) {
                Worker victim = all.get(i);
                awaitWork(victim, 20, () -> load.fill(200));
                trial.producer.enqueue("critical", "Work", 1_500);
                victim.terminate();
                all.add(trial.replace(victim));
                awaitEnd(victim);
            }
            trial.note("stops", stops);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertRecovered(verdict.recovered(), 0); // or one that stopped left jobs behind
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((int) (verdict.handedBack() + verdict.recovered()));
        }
    }

    /**
     * Keeps filling the queues until this worker has begun this number of jobs: others may have taken the first ones.
     */
    private static void awaitWork(Worker worker, int jobs, Runnable fill) {
        await().atMost(BOUND).until(() -> {
            fill.run();
            return worker.executions().size() >= jobs;
        });
    }

    /** Waits until this worker runs a job that will not have ended at the deadline of its shutdown: it needs this file. */
    private static void awaitLongJob(Worker worker, Trial trial, String file) {
        Set<String> longJobs = new HashSet<>();
        await().atMost(BOUND).until(() -> {
            longJobs.add(trial.producer.enqueue("default", "Until", file));
            return worker.executions().stream()
                    .anyMatch(execution -> execution.ended() == null && longJobs.contains(execution.jid()));
        });
    }

    private static void awaitEnd(Worker worker) {
        assertThat(worker.awaitEnd(BOUND)).as("%s ended by itself", worker).isTrue();
    }

    @Test
    void noJobRunsTwiceAtATimeWhenTwoCapsulesShareAQueue() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("shutdown-capsules", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri()).withCapsules("one/5/default", "two/5/default");
            all.addAll(trial.startAll(2, settings));
            int kills = 0;
            for (int i = 0; i < dose.of(1, 20); i++) {
                Worker victim = all.get(i);
                awaitWork(victim, 5, () -> fill(trial, 10));
                awaitLongJob(victim, trial, "stopped-" + i);
                victim.terminate();
                all.add(trial.replace(victim));
                if (dose == Dose.LONG && i % 4 == 3) {
                    Trial.letPass(Duration.ofMillis(random.nextInt(1_500)));
                    victim.kill();
                    kills++;
                } else {
                    awaitEnd(victim);
                }
                trial.release("stopped-" + i);
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            int overlaps = overlaps(trial.executions());
            trial.note("overlaps", overlaps);
            trial.note("kills", kills);
            assertThat(verdict.handedBack()).as("the deadline hit").isPositive();
            assertThat(overlaps).as("jobs that ran twice at a time").isLessThanOrEqualTo((int) verdict.handedBack());
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((int) (verdict.handedBack() + verdict.recovered()));
            if (kills == 0) {
                trial.assertRecovered(verdict.recovered(), 0);
            }
        }
    }

    /** Jobs with durations around the shutdown timeout, of which every fifth ignores interruption. */
    private void fill(Trial trial, int backlog) {
        for (long i = trial.queued(); i < backlog; i++) {
            trial.producer.enqueue("default", i % 5 == 0 ? "Stubborn" : "Work", 500 + random.nextInt(1_500));
        }
    }

    private int overlaps(List<Execution> executions) {
        Map<String, List<Execution>> byJob = executions.stream().collect(Collectors.groupingBy(Execution::jid));
        Map<Integer, Worker> byNumber = new HashMap<>();
        all.forEach(worker -> byNumber.put(worker.number, worker));
        return (int) byJob.values().stream()
                .mapToLong(job -> IntStream.range(0, job.size())
                        .mapToLong(i -> job.subList(i + 1, job.size()).stream()
                                .filter(other -> overlap(job.get(i), other, byNumber))
                                .count())
                        .sum())
                .sum();
    }

    private static boolean overlap(Execution one, Execution other, Map<Integer, Worker> workers) {
        return one.started().isBefore(end(other, workers)) && other.started().isBefore(end(one, workers));
    }

    /** An execution without an end ended with its process. */
    private static Instant end(Execution execution, Map<Integer, Worker> workers) {
        Instant ended = execution.ended();
        Instant death = workers.get(execution.worker()).diedAt();
        return ended != null ? ended : death != null ? death : Instant.MAX;
    }
}
