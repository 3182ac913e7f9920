package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Workers that run unique jobs are killed at random, while many producers enqueue jobs with the same keys. */
@FaultTest
class UniqueStormIT {

    @Test
    void aKeyHasOnePendingJobAndEveryJobItsLockWhenWorkersAreKilled() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("unique-storm", server.uri())) {
            UniqueStorm storm = new UniqueStorm(trial, WorkerSettings.of(server.uri(), "default", "low"));
            storm.run();
            storm.note();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(storm.wrong()).as("found in snapshots").isEmpty();
            assertThat(overlaps(trial.executions(), storm.keys()))
                    .as("jobs of one key that ran at the same time")
                    .isEmpty();
            assertThat(trial.redis.keys("unique:*")).as("locks without a job").isEmpty();
            assertThat(storm.duplicates()).isPositive();
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
        }
    }

    /** From the first start of a job to its last end, no other job with its key may run. */
    private static List<String> overlaps(List<Execution> executions, Map<String, String> keys) {
        Map<String, Span> spans = new HashMap<>();
        for (Execution each : executions) {
            if (keys.containsKey(each.jid())) {
                Instant end = each.ended() == null ? each.started() : each.ended();
                spans.merge(each.jid(), new Span(each.jid(), each.started(), end), Span::and);
            }
        }
        Map<String, List<Span>> ofKey = new HashMap<>();
        spans.values().forEach(span -> ofKey.computeIfAbsent(keys.get(span.jid()), key -> new ArrayList<>())
                .add(span));
        List<String> overlaps = new ArrayList<>();
        ofKey.forEach((key, list) -> {
            list.sort(Comparator.comparing(Span::from));
            for (int i = 1; i < list.size(); i++) {
                if (list.get(i).from().isBefore(list.get(i - 1).to())) {
                    overlaps.add(key + ": " + list.get(i - 1) + ", " + list.get(i));
                }
            }
        });
        return overlaps;
    }

    private record Span(String jid, Instant from, Instant to) {

        Span and(Span other) {
            return new Span(jid, from.isBefore(other.from) ? from : other.from, to.isAfter(other.to) ? to : other.to);
        }
    }
}
