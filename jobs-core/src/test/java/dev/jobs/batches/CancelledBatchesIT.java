package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches that are cancelled. */
class CancelledBatchesIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    CancelledBatchesIT() {
        super(redis);
    }

    @Test
    void aCancelledBatchSkipsWhatWaits() throws InterruptedException {
        bed.config = EngineConfig.of(1, "default");
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::untilCancelled))
                .addAll(IntStream.range(0, 50).mapToObj(product -> JobCall.of(Shop::enroll, product)))
                .onFinish(JobCall.of(Shop::report, "finished")));
        await().until(() -> batches.find(id).orElseThrow().total() == 51);
        shop.working.await(); // else it is skipped, too
        List<String> before = List.copyOf(shop.ran); // a later job may have been claimed first

        assertThat(batches.cancel(id)).isTrue();

        BatchStatus status = finished(id);
        assertThat(status.state()).isEqualTo(State.CANCELLED);
        assertThat(status.skipped()).isEqualTo(50 - before.size());
        assertThat(shop.ran).filteredOn(each -> each.startsWith("enroll")).isEqualTo(before);
        assertThat(batches.cancel(id)).isTrue();
    }

    @Test
    void aRunningIterationEndsBeforeItsNextElement() throws InterruptedException {
        bed.start(shop);
        String id = batches.create("walk", batch -> batch.add(JobCall.of(Shop::walk, 1_000)));
        shop.working.await();

        assertThat(batches.cancel(id)).isTrue();

        BatchStatus status = finished(id);
        assertThat(status.state()).isEqualTo(State.CANCELLED);
        assertThat(status.skipped()).isEqualTo(1);
        assertThat(shop.ran).containsExactly("walk 0");
    }

    @Test
    void aBatchWhoseDeadJobsWereRevivedIsCancelledOnceMore() {
        bed.start(shop);
        shop.failuresLeft.put("it", 1);
        String id = batches.create("revived", batch -> batch.add(JobCall.of(Shop::breakDown, "it")));
        assertThat(finished(id).dead()).isEqualTo(1);
        await().until(() -> redis.texts().zcard("jobs:batches:rest") == 0); // the last look
        bed.stopEngines();

        assertThat(batches.retryDead(id)).isEqualTo(1);
        assertThat(batches.cancel(id)).isTrue();
        bed.start(shop);

        BatchStatus status = finished(id);
        assertThat(status.state()).isEqualTo(State.CANCELLED);
        assertThat(status.skipped()).isEqualTo(1);
        assertThat(shop.ran).isEmpty();
        await().until(() -> redis.texts().zcard("jobs:batches:cancelled") == 0);
    }

    private String waitingBatch(int jobs) {
        redis.texts().sadd("paused", "default");
        bed.start(shop);
        String id = batches.create(
                "wait",
                batch -> batch.addAll(IntStream.range(0, jobs).mapToObj(product -> JobCall.of(Shop::sell, product))));
        await().until(() -> redis.texts().llen("queue:default") == jobs);
        return id;
    }

    @Test
    void anIdleWorkerRunsNoJobOfACancelledBatch() {
        String id = waitingBatch(50);

        batches.cancel(id);
        redis.texts().srem("paused", "default");

        assertThat(finished(id).skipped()).isEqualTo(50);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void aNewWorkerRunsNoJobOfACancelledBatch() {
        String id = waitingBatch(50);
        batches.cancel(id);
        bed.stopEngines();

        redis.texts().srem("paused", "default");
        bed.start(shop);

        assertThat(finished(id).skipped()).isEqualTo(50);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void aCancelledBatchIsKnownAmongThousandsOfLaterOnes() {
        String id = waitingBatch(50);
        OpenBatch late = batches.open("late");
        late.add(JobCall.of(Shop::sell, 1).at(Instant.now().plus(Duration.ofDays(1))));
        late.flush();
        late.close();
        await().until(() -> redis.texts().zcard("schedule") == 1);
        double later = Instant.now().plus(Duration.ofDays(1)).toEpochMilli();
        redis.pipeline(2_500, (texts, i) -> {
            String other = String.format("%016x", i);
            texts.hset("jobs:batch:" + other, "changed", "1");
            texts.zadd("jobs:batches:cancelled", later, other);
        });

        batches.cancel(id);
        batches.cancel(late.id());
        redis.texts().srem("paused", "default");

        assertThat(finished(id).skipped()).isEqualTo(50);
        assertThat(finished(late.id()).skipped()).isEqualTo(1);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void cancellingRemovesJobsThatWaitForTheirTime() {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::flaky))
                .add(JobCall.of(Shop::enroll, 1).at(Instant.now().plus(Duration.ofDays(1)))));
        await().until(() -> redis.texts().zcard("retry") == 1);
        await().until(() -> redis.texts().zcard("schedule") == 1);

        batches.cancel(id);

        assertThat(finished(id).skipped()).isEqualTo(2);
        assertThat(redis.texts().zcard("retry") + redis.texts().zcard("schedule"))
                .isZero();
    }

    @Test
    void nothingIsAddedToACancelledBatch() {
        bed.start(shop);
        OpenBatch fill = batches.open("import");
        fill.add(JobCall.of(Shop::enroll, 1));
        fill.flush();
        batches.cancel(fill.id());

        fill.add(JobCall.of(Shop::enroll, 2));
        assertThatThrownBy(fill::flush)
                .isInstanceOf(BatchEndedException.class)
                .hasMessage("Batch " + fill.id() + " is cancelled; nothing was added");
        assertThat(finished(fill.id()).total()).isEqualTo(1);
    }

    @Test
    void aCancelledBatchThatWaitsForAnotherOneEnds() {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::waits))
                .then("next", next -> next.add(JobCall.of(Shop::enroll, 1))
                        .onFinish(JobCall.of(Shop::report, "finished"))));
        String next = batches.find(id).orElseThrow().next();

        batches.cancel(next);

        assertThat(finished(next).skipped()).isEqualTo(1);
        await().until(() -> redis.texts().zcard("jobs:batches:cancelled") == 0);
        shop.gate.countDown();
        finished(id);
        await().until(() -> shop.ran.contains("finished of next: 0 of 1"));
    }

    @Test
    void aCancelledBatchThatIsGoneIsNoLongerSweptFor() {
        redis.texts().zadd("jobs:batches:cancelled", 1, "0123456789abcdef");
        bed.start(shop);

        await().until(() -> redis.texts().exists("jobs:batches:cancelled") == 0);
    }
}
