package dev.jobs.batches;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobResult;
import dev.jobs.Payload;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchJob.Progress;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.MeteredProxy;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches from their creation to their callbacks, with engines that run their jobs. */
class BatchesIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    BatchesIT() {
        super(redis);
    }

    @Test
    void runsAllJobsAndCallsBack() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.describe("Campaign 11.11")
                .tags("seller:17")
                .createdBy("ann")
                .addAll(IntStream.range(0, 10).mapToObj(product -> JobCall.of(Shop::enroll, product)))
                .onAttempted(JobCall.of(Shop::report, "attempted"))
                .onFinish(JobCall.of(Shop::report, "finished"))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);

        assertThat(status.total()).isEqualTo(10);
        assertThat(status.succeeded()).isEqualTo(8);
        assertThat(status.failed()).isEqualTo(2);
        assertThat(status.state()).isEqualTo(State.FINISHED);
        assertThat(status.tags()).containsExactly("seller:17");
        assertThat(status.events()).containsOnlyKeys(BatchEvent.ATTEMPTED, BatchEvent.FINISHED);
        assertThat(batches.jobs(id, Set.of(BatchJobState.FAILED), -1, 100).jobs())
                .extracting(BatchJob::index, BatchJob::messages)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(4L, List.of("Product 4 is not sold here")),
                        org.assertj.core.groups.Tuple.tuple(9L, List.of("Product 9 is not sold here")));
        await().untilAsserted(() ->
                assertThat(shop.ran).contains("attempted of enroll: 8 of 10", "finished of enroll: 8 of 10"));
        bed.awaitDrained("default");
        assertThat(shop.ran).noneMatch(each -> each.startsWith("succeeded"));
    }

    @Test
    void messagesDoNotContainMaskedArguments() {
        bed.start(shop);
        String id = batches.create("charge", batch -> batch.add(JobCall.of(Shop::charge, "Ann", "4711-0815")));

        finished(id);

        assertThat(batches.jobs(id, Set.of(), -1, 10).jobs())
                .singleElement()
                .extracting(BatchJob::messages)
                .isEqualTo(List.of("Charging •••", "The card ••• of Ann is void"));
    }

    @Test
    void toleratedFailuresSucceed() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.tolerateFailures()
                .add(JobCall.of(Shop::enroll, 4))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran).containsExactly("succeeded of enroll: 0 of 1"));
    }

    @Test
    void anEmptyBatchSucceeds() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.onSuccess(JobCall.of(Shop::report, "succeeded")));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran).containsExactly("succeeded of enroll: 0 of 0"));
    }

    @Test
    void nothingRunsIfTheContentThrows() {
        bed.start(shop);
        assertThatThrownBy(() -> batches.create("enroll", batch -> {
                    batch.add(JobCall.of(Shop::enroll, 1));
                    throw new IllegalStateException("no products");
                }))
                .hasMessage("no products");

        assertThat(redis.texts().keys("jobs:batch*")).isEmpty();
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void aDeathKeepsItFromSucceedingUntilTheJobIsRevived() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create("print", batch -> batch.add(JobCall.of(Shop::breakDown, "printer"))
                .add(JobCall.of(Shop::breakDown, "scanner"))
                .onDeath(JobCall.of(Shop::report, "died"))
                .onFinish(JobCall.of(Shop::report, "finished"))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);
        assertThat(status.dead()).isEqualTo(1);
        assertThat(status.events()).containsOnlyKeys(BatchEvent.DIED, BatchEvent.ATTEMPTED, BatchEvent.FINISHED);
        await().untilAsserted(() -> assertThat(shop.ran).contains("finished of print: 1 of 2"));

        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().until(() -> batches.find(id).orElseThrow().state() == State.SUCCEEDED);
        await().untilAsserted(() ->
                assertThat(shop.ran).containsOnlyOnce("finished of print: 1 of 2", "succeeded of print: 2 of 2"));
        await().untilAsserted(() -> assertThat(shop.ran) // before or after the other job has ended
                .filteredOn(each -> each.startsWith("died of print: "))
                .hasSize(1));
    }

    @Test
    void aRevivedJobHasNoResultUntilItsNextEnd() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create(
                "print",
                batch -> batch.add(
                        JobCall.of(Shop::breakDown, "printer").with(client -> client.keepResult(Duration.ofHours(1)))));
        finished(id);
        bed.stopEngines();
        String jid = Payload.parse(redis.texts().zrange("dead", 0, -1).get(0).getBytes(UTF_8))
                .jid();
        assertThat(client.result(jid, Void.class).state()).isEqualTo(JobResult.State.DEAD);

        assertThat(batches.retryDead(id)).isEqualTo(1);

        assertThat(client.result(jid, Void.class).state()).isNotEqualTo(JobResult.State.DEAD);
    }

    @Test
    void resultsReachTheCallback() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.keepResults()
                .add(JobCall.of(Shop::enroll, 1))
                .add(JobCall.of(Shop::enroll, 2))
                .onSuccess(JobCall.of(Shop::sum)));

        finished(id);

        await().untilAsserted(() -> assertThat(shop.ran).contains("results [\"enrolled 1\", \"enrolled 2\"]"));
    }

    @Test
    void aRunningJobIsSeenAtWork() throws InterruptedException {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::waits)));
        shop.working.await();

        await().untilAsserted(() -> assertThat(
                        batches.jobs(id, Set.of(BatchJobState.WORKING), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.progress()).isEqualTo(new Progress(3, 10));
                    assertThat(job.messages()).containsExactly("checked");
                }));
        shop.gate.countDown();

        finished(id);
        assertThat(batches.jobs(id, Set.of(BatchJobState.SUCCEEDED), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.progress()).isNull();
                    assertThat(job.messages()).containsExactly("checked");
                });
    }

    @LongTest
    @Test
    void batchesWhoseCallbackCannotBeEnqueuedDoNotHoldUpOthers() {
        redis.texts().set("queue:reports", "no list");
        List<String> stuck = IntStream.range(0, 101)
                .mapToObj(i -> batches.create(
                        "stuck",
                        batch -> batch.onFinish(
                                JobCall.of(Shop::report, "finished").queue("reports"))))
                .toList();
        stuck.forEach(id -> redis.texts().zadd("jobs:batches:rest", 1, id));
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 1)));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        redis.texts().del("queue:reports");
        stuck.forEach(this::finished);
    }

    @Test
    void anErrorWhoseTextThrowsEndsItsJob() {
        bed.start(shop);
        String id = batches.create("rude", batch -> batch.add(JobCall.of(Shop::rude)));

        assertThat(finished(id).dead()).isEqualTo(1);
    }

    @Test
    void aJobThatIsDeletedFromItsQueueIsSkipped() {
        String id = batches.create(
                "enroll", batch -> batch.add(JobCall.of(Shop::enroll, 1)).add(JobCall.of(Shop::enroll, 2)));
        try (JobsAdmin admin = new JobsAdmin(
                bed.connections(),
                new DeadSetBounds(10_000, Duration.ofDays(180)),
                JobHooks.none(),
                Clock.systemUTC())) {
            byte[] job = redis.bytes().lindex("queue:default".getBytes(UTF_8), 0);
            assertThat(admin.queues().delete("default", job)).isTrue();
        }

        bed.start(shop);
        assertThat(finished(id).skipped()).isEqualTo(1);
        assertThat(finished(id).succeeded()).isEqualTo(1);
    }

    @Test
    void manyLargeResultsAreReadInParts() {
        bed.start(shop);
        String id = batches.create("large", batch -> batch.keepResults()
                .addAll(IntStream.range(0, 100).mapToObj(i -> JobCall.of(Shop::large, 60_000))));
        finished(id);

        AtomicLong largest = new AtomicLong();
        try (MeteredProxy proxy = new MeteredProxy(
                        redis.port(), (request, answer) -> largest.accumulateAndGet(answer, Math::max));
                RedisBatches reading =
                        new RedisBatches(redis.connections("", proxy.port()), client, new SecureRandom())) {
            List<BatchJob> jobs = new ArrayList<>();
            BatchPage page;
            long after = -1;
            do {
                page = reading.jobs(id, Set.of(), after, 1_000);
                assertThat(page.jobs()).hasSizeBetween(1, 17);
                jobs.addAll(page.jobs());
                after = page.next();
            } while (page.hasMore());
            assertThat(jobs).hasSize(100).allSatisfy(job -> assertThat(job.result())
                    .hasSize(60_002));
        }
        assertThat(largest.get()).isBetween(60_000L, 2_000_000L);
    }
}
