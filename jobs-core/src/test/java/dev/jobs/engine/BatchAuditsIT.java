package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.BatchAudit;
import dev.jobs.BatchStatus;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.RedisBatches;
import dev.jobs.client.RedisJobClient;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches whose jobs end without their knowledge, beside engines that run the others. */
class BatchAuditsIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Shop shop = new Shop();
    private EngineTestBed bed;
    private RedisJobClient client;
    private RedisBatches batches;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        client = new RedisJobClient(
                bed.connections(),
                JobRegistry.of(shop),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
        batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
    }

    @AfterEach
    void close() {
        bed.stopEngines();
        batches.close();
        client.close();
        bed.close();
    }

    /** The jobs, and what ran. */
    static final class Shop {

        final List<String> ran = new CopyOnWriteArrayList<>();

        @Job("sell")
        void sell(int product) {
            ran.add("sell " + product);
        }

        @Job("report")
        void report() {
            ran.add("report");
        }
    }

    private String batchOf(int jobs) {
        return batches.create("sell", batch -> batch.addAll(
                        IntStream.range(0, jobs).mapToObj(product -> JobCall.of(Shop::sell, product)))
                .onFinish(JobCall.of(Shop::report)));
    }

    @Test
    void aBatchWhoseQueueWasDeletedFinishesAfterItsAudit() throws InterruptedException {
        String id = batchOf(1_500);
        redis.texts().del("queue:default");
        bed.start(shop);

        assertThat(batches.audit(id)).contains(new BatchAudit(1_500, 1_500, 0, 0, 0));

        await().until(() -> shop.ran.contains("report"));
        BatchStatus status = batches.find(id).orElseThrow();
        assertThat(status.isFinished()).isTrue();
        assertThat(status.lost()).isEqualTo(1_500);
        assertThat(status.succeeded()).isZero();
    }

    @Test
    void auditsWhileJobsRunLoseNone() throws InterruptedException {
        String id = batchOf(20_000);
        bed.start(shop);
        bed.start(shop);
        while (!batches.find(id).orElseThrow().isFinished()) {
            assertThat(batches.audit(id).orElseThrow().lost()).isZero();
        }
        assertThat(batches.find(id).orElseThrow().succeeded()).isEqualTo(20_000);
    }

    @Test
    void thereIsNothingToAuditWithoutABatch() throws InterruptedException {
        assertThat(batches.audit("00c0ffee00c0ffee")).isEmpty();
        assertThat(batches.audit("../nonsense")).isEmpty();
    }
}
