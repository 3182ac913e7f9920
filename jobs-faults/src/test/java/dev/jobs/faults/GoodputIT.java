package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What jobs that are never run leave of a rate to those that are. Files outside Redis say when each job started. */
@FaultTest
class GoodputIT {

    /** Of what runs of the key whose jobs all run, on the same machine at the same time. */
    private static final double GOOD = 0.8;

    /** Of what the rate allows, so that there is something to compare with. */
    private static final double LEAST = 0.5;

    @Test
    void jobsThatExpireAreCancelledOrReplacedUseUpNoStarts() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("goodput", server.uri())) {
            GoodputStorm storm = new GoodputStorm(trial, WorkerSettings.of(server.uri(), "default"));

            storm.run();

            Duration stalled = longestStall(trial);
            double allowed = storm.lasted().minus(stalled).toMillis() / 1e3 * GoodputStorm.RATE;
            Map<String, Long> ran = storm.ran();
            long plain = ran.get(GoodputStorm.PLAIN);
            trial.note("allowed", Math.round(allowed));
            trial.note("versions_in_time", Math.round(100 * storm.enqueuedInTime()) / 100.0);
            ran.forEach((key, count) -> trial.note("ran_" + key, count));
            GoodputStorm.KEYS.forEach(key -> trial.note("most_parked_" + key, storm.mostParked(key)));
            trial.note("most_fields_of_a_twin", storm.mostReplaced());
            trial.awaitParkedJobs();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(plain).as("jobs that ran of those that all run").isGreaterThan(Math.round(LEAST * allowed));
            assertThat(ran.get("expiry")).isGreaterThanOrEqualTo(Math.round(GOOD * plain));
            assertThat(ran.get("cancel")).isGreaterThanOrEqualTo(Math.round(GOOD * plain));
            assertThat(ran.get("replace")).isGreaterThanOrEqualTo(Math.round(GOOD * plain * storm.enqueuedInTime()));
            // One that waits, and those on their way: a version that was pushed while its predecessor was asking.
            long onTheirWay = Math.round(GoodputStorm.RATE * (1 + stalled.toMillis() / 1e3));
            assertThat(storm.mostParked("replace")).isLessThan(onTheirWay);
            assertThat(storm.mostReplaced()).isLessThan(2 * onTheirWay);
        }
    }

    /** How long the machine kept this process or a worker from running at a time: nothing started then. */
    private static Duration longestStall(Trial trial) {
        return Stream.concat(
                        Stream.of(trial.machine.longestOwnStall()),
                        trial.alive().stream().map(worker -> worker.longestStall(List.of())))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }
}
