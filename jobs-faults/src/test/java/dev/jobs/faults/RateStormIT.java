package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workers that run jobs with a rate are killed. Files outside Redis say when each job started. */
@FaultTest
class RateStormIT {

    private final Dose dose = Dose.current();

    /**
     * How long a job that may start waits for its thread, at least to be expected: with ten thousand keys others are
     * before it. Starts may come so much closer together, or as much as the latest start was late.
     */
    private final Duration delay = dose.of(Duration.ofSeconds(1), Duration.ofSeconds(10));

    @Test
    void noMoreJobsOfAKeyStartInAPeriodThanItsRateAllows() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("rate-storm", server.uri())) {
            RateStorm storm = new RateStorm(trial, WorkerSettings.of(server.uri(), "default"));
            storm.run();
            Starts starts = new Starts();
            storm.starts().forEach((key, all) -> starts.look(storm, key, all));
            trial.note("kills", storm.kills());
            trial.note("keys", storm.keys());
            trial.note("period_ms", storm.period().toMillis());
            trial.note("starts", starts.count);
            trial.note("tightest_ms", starts.tightest.toMillis());
            trial.note("late_median_ms", starts.late(0.5));
            trial.note("late_p99_ms", starts.late(0.99));
            trial.awaitParkedJobs();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.executed()).isEqualTo(verdict.enqueued());
            assertThat(starts.keys).isEqualTo(storm.keys());
            assertThat(starts.early).as("starts before their time").isEmpty();
            assertThat(starts.tightest)
                    .as("time that one start more than may be in a period took")
                    .isGreaterThan(storm.period().minus(starts.latest(delay)).minus(trial.machine.longestOwnStall()));
            assertThat(trial.redis.zrange("jobs:wake", 0, -1))
                    .as("keys to look at, but for the look at all of them")
                    .isSubsetOf("");
        }
    }

    /** What the files say. */
    private static final class Starts {

        private final List<String> early = new ArrayList<>();
        private final List<Long> lateMillis = new ArrayList<>();
        private int keys;
        private int count;

        /** The shortest time in which one more started than may start in a period. */
        private Duration tightest = Duration.ofDays(1);

        void look(RateStorm storm, String key, List<Instant> starts) {
            keys++;
            count += starts.size();
            for (int i = 0; i < starts.size(); i++) {
                Instant start = starts.get(i);
                // Counted from when there were none, whatever delayed them: this holds to the microsecond.
                Instant first = storm.enqueued(key).plus(storm.every().multipliedBy(i - RateStorm.BURST + 1L));
                if (start.isBefore(first)) {
                    early.add(key + ": start " + i + " at " + start + ", not before " + first);
                }
                int others = RateStorm.RATE + RateStorm.BURST - 1;
                if (i >= others) {
                    Duration took = Duration.between(starts.get(i - others), start);
                    tightest = took.compareTo(tightest) < 0 ? took : tightest;
                }
                // The first one that waits: its time is known from the starts of the burst before it.
                if (i == RateStorm.BURST && start.isBefore(storm.firstKill())) {
                    Instant due = starts.get(0).plus(storm.every());
                    lateMillis.add(Duration.between(due, start).toMillis());
                }
            }
        }

        /** By how much the latest start was late, or the given time if that is longer. */
        Duration latest(Duration atLeast) {
            long latest = lateMillis.stream().mapToLong(Long::longValue).max().orElse(0);
            return Duration.ofMillis(Math.max(latest, atLeast.toMillis()));
        }

        /** By how much of these starts were at most late. */
        Object late(double part) {
            Collections.sort(lateMillis);
            return lateMillis.isEmpty() ? "none" : lateMillis.get((int) Math.ceil(part * lateMillis.size()) - 1);
        }
    }
}
