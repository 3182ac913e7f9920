package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Workers are repeatedly killed at random under load. */
class KillStormIT {

    private final Dose dose = Dose.current();

    @Test
    void noJobIsLostWhenWorkersAreKilled() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("kill-storm", server.uri())) {
            Duration lease = dose.of(Duration.ofSeconds(2), Duration.ofSeconds(5));
            new KillStorm(trial, WorkerSettings.of(server.uri(), Load.QUEUES).withLease(lease)).run();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.duplicates())
                    .as("whatever ran twice was recovered from a killed worker")
                    .isLessThanOrEqualTo((int) verdict.recovered());
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
            assertThat(late(verdict, lease.plus(dose.of(Duration.ofMinutes(1), Duration.ofSeconds(3)))))
                    .as(
                            "late, of %s jobs that were cut off",
                            verdict.recoveries().size())
                    .isLessThanOrEqualTo(verdict.recoveries().size() / 100);
        }
    }

    /**
     * The number of jobs that waited longer than this for their next start while any worker was up. Jobs cut off twice
     * have to wait for a process that has lived for a lease, and don't count.
     */
    private static long late(Verdict verdict, Duration most) {
        return verdict.recoveries().stream()
                .filter(recovery -> recovery.before() == 0)
                .filter(recovery -> recovery.whileAnyWasUp().compareTo(most) > 0)
                .count();
    }

    @Test
    void aWorkerThatPopsItsJobsLosesThem() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("kill-storm-plain", server.uri())) {
            new KillStorm(trial, WorkerSettings.of(server.uri(), Load.QUEUES).withProgram(Program.PLAIN)).run();
            trial.awaitDone(Duration.ofSeconds(3));
            assertThat(trial.judge().lost()).isPositive();
        }
    }
}
