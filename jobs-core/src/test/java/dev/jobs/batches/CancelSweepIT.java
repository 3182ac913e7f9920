package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.limits.ParkedSweep;
import dev.jobs.lists.JobSets;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the jobs of cancelled batches leave the scheduled and the retry set, step by step. */
class CancelSweepIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private static final String BATCH = "0123456789abcdef";
    private static final String OTHER = "00000000000000ff";

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private ChoreTestBed process;
    private CancelSweep sweep;

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        sweep = new CancelSweep(
                new BatchReader(process.connection, process.keys),
                new BatchCancellations(process.connection, process.keys),
                new JobSets(
                        process.connection,
                        process.keys,
                        new DeadSetBounds(100, Duration.ofDays(1)),
                        process.context.effects().all()),
                new ParkedSweep(process.connection, process.keys),
                process.context);
    }

    @AfterEach
    void close() {
        process.close();
    }

    /** Cancelled, and not over. */
    private static void cancelled(String batch) {
        redis.texts().hset("jobs:batch:" + batch, "total", "1");
        redis.texts().zadd("jobs:batches:cancelled", 1, batch);
    }

    @SuppressWarnings("unchecked")
    private static void retries(String batch, int count) {
        redis.texts()
                .zadd(
                        "retry",
                        IntStream.range(0, count)
                                .mapToObj(i -> ScoredValue.just(
                                        4e9,
                                        EngineTestBed.payload("Note", batch + "%08x".formatted(i), "[]", "\"jb\":1")))
                                .toArray(ScoredValue[]::new));
    }

    @Test
    void theJobsOfCancelledBatchesAreRemoved() {
        cancelled(BATCH);
        retries(BATCH, 3);
        retries(OTHER, 2);
        assertThat(sweep.runOnce()).isFalse();
        assertThat(redis.texts().zrange("retry", 0, -1)).hasSize(2).allMatch(job -> job.contains(OTHER));
    }

    @Test
    void aBatchThatIsOverBeforeAPassEndsKeepsWhatComesAfterThat() {
        cancelled(BATCH);
        retries(BATCH, 3_000);
        assertThat(sweep.runOnce()).isTrue();
        long left = redis.texts().zcard("retry");
        assertThat(left).isBetween(500L, 2_500L);

        redis.texts().zrem("jobs:batches:cancelled", BATCH);
        while (sweep.runOnce()) {}
        assertThat(redis.texts().zcard("retry")).isEqualTo(left);
    }
}
