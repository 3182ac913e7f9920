package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A queue is transferred to another Redis under load, while the process that does it and workers are killed. */
@FaultTest
class TransferStormIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Dose dose = Dose.current();

    @Test
    void noJobIsLostOrDoubledWhenAQueueGoesToAnotherRedis() {
        try (RedisServer here = new RedisServer(Trial.directory("redis"));
                RedisServer there = new RedisServer(Trial.directory("redis"))) {
            transfer(here.uri(), there.uri());
        }
    }

    private void transfer(String here, String there) {
        try (Trial source = new Trial("queue-transfer", here);
                Trial target = new Trial("queue-transfer-target", there);
                TransferStorm storm = new TransferStorm(source, target, here, there)) {
            storm.run();
            target.awaitDone(PATIENCE);
            source.awaitDone(PATIENCE);
            Verdict verdict = source.judge(target);
            source.assertSound(verdict);
            target.assertSound(verdict);
            assertThat(verdict.duplicates())
                    .as("whatever ran twice was recovered from a killed worker")
                    .isLessThanOrEqualTo((int) verdict.recovered());
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
            assertThat(verdict.executed() + verdict.buried()).isEqualTo(verdict.enqueued());
            assertThat(storm.moved()).as("jobs that went over").isGreaterThan(dose.of(1_000, 10_000));
            if (verdict.buried() == 0) {
                assertThat(source.counter("stat:processed") + target.counter("stat:processed"))
                        .as("attempts by the counters of both")
                        .isEqualTo(Stream.of(source, target)
                                .flatMap(trial -> trial.executions().stream())
                                .map(Trial::attempt)
                                .distinct()
                                .count());
            }
            assertThat(source.redis.keys("jobs:outgoing*")).isEmpty();
            assertThat(source.redis.keys("jobs:slice*")).isEmpty();
        }
    }
}
