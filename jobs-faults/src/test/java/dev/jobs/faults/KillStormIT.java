package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Workers are repeatedly killed at random under load. */
@FaultTest
class KillStormIT {

    @Test
    void noJobIsLostWhenWorkersAreKilled() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("kill-storm", server.uri())) {
            new KillStorm(trial, WorkerSettings.of(server.uri(), Load.QUEUES)).run();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.duplicates())
                    .as("whatever ran twice was recovered from a killed worker")
                    .isLessThanOrEqualTo((int) verdict.recovered());
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
            // A worker that starts makes the others wait for the processors, as it has to wait for them.
            Duration most = WorkerSettings.LEASE.plusSeconds(3).plus(trial.machine.slowestStartUp());
            assertThat(late(verdict, most))
                    .as(
                            "later than %s, of %s jobs that were cut off",
                            most, verdict.recoveries().size())
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
