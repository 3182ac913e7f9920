package dev.jobs.shards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.engine.MeasuredCalls;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** However many large jobs move, no call to Redis carries more of them than it may, or a single one. */
class TransferCallSizesIT {

    private static final int JOBS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @LongTest
    @Test
    void ofATransferToAnotherShard() {
        transfer(MeasuredCalls.SMALL);
    }

    /** The limits of applications. */
    @Test
    @LongTest
    void ofATransferOfJobsOfMegabytes() {
        transfer(CallBounds.STANDARD);
    }

    private static void transfer(CallBounds bounds) {
        try (RedisFixture redis = RedisFixture.start();
                MeasuredCalls calls = new MeasuredCalls(redis, bounds)) {
            for (int i = 0; i < JOBS; i++) {
                redis.texts().zadd("retry", i, large(calls, i));
                redis.texts().lpush("queue:default", large(calls, 500 + i));
            }
            try (QueueTransfer transfer = new QueueTransfer(
                    new QueueTransfer.Shard("a", calls.connections(new RedisKeys("")), "default"),
                    new QueueTransfer.Shard("b", calls.connections(new RedisKeys("b:")), "default"),
                    "default",
                    TransferOptions.standard().evenUnserved())) {
                assertThat(transfer.run(PATIENCE).movedJobs()).isEqualTo(2 * JOBS);
            }
            calls.assertSmall("read_part", "transfer_take", "transfer_store", "transfer_settle");
        }
    }

    private static String large(MeasuredCalls calls, int number) {
        return "{\"class\":\"A\",\"jid\":\"j" + number + "\",\"args\":[\"" + calls.ballast()
                + "\"],\"queue\":\"default\",\"retry\":true}";
    }
}
