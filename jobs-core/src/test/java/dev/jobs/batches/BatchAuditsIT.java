package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches whose jobs end without their knowledge, beside engines that run the others. */
class BatchAuditsIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    BatchAuditsIT() {
        super(redis);
    }

    private String batchOf(int jobs) {
        return batches.create("sell", batch -> batch.addAll(
                        IntStream.range(0, jobs).mapToObj(product -> JobCall.of(Shop::sell, product)))
                .onFinish(JobCall.of(Shop::tell)));
    }

    @Test
    void aBatchWhoseQueueWasDeletedFinishesAfterItsAudit() throws InterruptedException {
        String id = batchOf(1_500);
        redis.texts().del("queue:default");
        bed.start(shop);

        assertThat(batches.audit(id)).contains(new BatchAudit(1_500, 1_500, 0, 0, 0));

        await().until(() -> shop.ran.contains("told"));
        BatchStatus status = batches.find(id).orElseThrow();
        assertThat(status.isFinished()).isTrue();
        assertThat(status.lost()).isEqualTo(1_500);
        assertThat(status.succeeded()).isZero();
    }

    @LongTest
    @Test
    void auditsWhileJobsRunLoseNone() throws InterruptedException {
        String id = batchOf(5_000);
        bed.start(shop);
        bed.start(shop);
        while (!batches.find(id).orElseThrow().isFinished()) {
            assertThat(batches.audit(id).orElseThrow().lost()).isZero();
        }
        assertThat(batches.find(id).orElseThrow().succeeded()).isEqualTo(5_000);
    }

    @Test
    void thereIsNothingToAuditWithoutABatch() throws InterruptedException {
        assertThat(batches.audit("00c0ffee00c0ffee")).isEmpty();
        assertThat(batches.audit("../nonsense")).isEmpty();
    }
}
