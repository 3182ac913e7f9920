package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Workers that run jobs with limits are killed, stopped and frozen. Files outside Redis say what ran when. */
@FaultTest
class LimitStormIT {

    @Test
    void noMoreJobsOfAKeyRunAtOnceThanItsLimitAllows() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("limit-storm", server.uri())) {
            LimitStorm storm = new LimitStorm(trial, WorkerSettings.of(server.uri(), "default", "low"));
            storm.run();
            storm.note();
            trial.awaitParkedJobs();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(storm.wrong()).as("found in snapshots").isEmpty();
            assertThat(above(trial, storm.limitIds()))
                    .as("more at once than allowed")
                    .isEmpty();
            assertThat(trial.redis.keys("jobs:permits:*"))
                    .as("permits without a job")
                    .isEmpty();
            assertThat(trial.redis.keys("jobs:permitted:*")).isEmpty();
            assertThat(storm.mostParked()).isPositive();
            assertThat(verdict.recovered()).as("the faults hit running jobs").isPositive();
        }
    }

    /** A start or an end of an execution. */
    private record Change(Instant at, int by, String jid) {}

    /** Where more jobs ran at once than their limit allows, at most once for each limit and key. */
    private static List<String> above(Trial trial, Map<String, String> limitIds) {
        Map<String, List<Change>> changes = new TreeMap<>();
        for (Execution each : trial.executions()) {
            String limitId = limitIds.get(each.jid());
            Instant end = end(trial, each);
            if (limitId != null && end != null) {
                List<Change> of = changes.computeIfAbsent(limitId, key -> new ArrayList<>());
                of.add(new Change(each.started(), 1, each.jid()));
                of.add(new Change(end, -1, each.jid()));
            }
        }
        Map<String, String> above = new HashMap<>();
        changes.forEach((limitId, list) -> {
            // Times are noted in milliseconds or less: of the same instant, ends come first.
            list.sort(Comparator.comparing(Change::at).thenComparing(Change::by));
            int most = LimitStorm.LIMITS.get(limitId.substring(0, limitId.indexOf('/')));
            int running = 0;
            for (Change each : list) {
                running += each.by();
                if (running > most) {
                    above.putIfAbsent(limitId, limitId + ": " + running + " at " + each);
                }
            }
        });
        return List.copyOf(above.values());
    }

    /**
     * Until when an execution counts. That of a worker which was given up may go on beside its repetition, which no
     * limit can prevent: it counts until the worker was killed or frozen.
     */
    private static @Nullable Instant end(Trial trial, Execution execution) {
        Instant gone = trial.diedAt(execution.worker());
        Instant started = execution.started();
        Instant ended = execution.ended();
        boolean cutOff = gone != null && started.isBefore(gone) && (ended == null || ended.isAfter(gone));
        return cutOff ? gone : ended;
    }
}
