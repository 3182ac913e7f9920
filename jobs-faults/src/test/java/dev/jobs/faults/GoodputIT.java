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

    private static final double GOOD = 0.9;

    @Test
    void jobsThatExpireAreCancelledOrReplacedUseUpNoStarts() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("goodput", server.uri())) {
            GoodputStorm storm = new GoodputStorm(trial, WorkerSettings.of(server.uri(), "default"));

            storm.run();

            Duration stalled = longestStall(trial);
            Duration lasted = storm.lasted().minus(stalled);
            double allowed = lasted.toMillis() / 1e3 * GoodputStorm.RATE;
            Map<String, Long> ran = storm.ran();
            trial.note("seconds_at_the_rate", lasted.toSeconds());
            ran.forEach((key, count) -> trial.note("goodput_" + key, Math.round(100 * count / allowed) / 100.0));
            GoodputStorm.KEYS.forEach(key -> trial.note("most_parked_" + key, storm.mostParked(key)));
            trial.note("most_fields_of_a_twin", storm.mostReplaced());
            trial.awaitParkedJobs();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(ran)
                    .as("jobs that ran, where the rate allows %s", allowed)
                    .allSatisfy(
                            (key, count) -> assertThat(count / allowed).as(key).isGreaterThanOrEqualTo(GOOD));
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
