package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.testing.RedisFixture;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches with children and next batches. */
class BatchFamiliesIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    BatchFamiliesIT() {
        super(redis);
    }

    @Test
    void aBatchGrowsAndWaitsForItsChildrenAndTheirCallbacks() {
        bed.start(shop);
        String id = batches.create(
                "grow", batch -> batch.add(JobCall.of(Shop::grow, 3)).onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);

        assertThat(status.total()).isEqualTo(4);
        assertThat(status.children()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(shop.ran).contains("succeeded of grow: 4 of 4"));
        assertThat(shop.ran).containsSubsequence("child's success of pictures: 1 of 1", "succeeded of grow: 4 of 4");
        assertThat(batches.jobs(id, Set.of(), -1, 100).jobs())
                .extracting(BatchJob::index)
                .containsExactly(0L, 1L << 31, (1L << 31) + 1, (1L << 31) + 2);
    }

    @Test
    void theNextBatchOpensWhenTheFirstSucceeds() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 1))
                .onSuccess(JobCall.of(Shop::report, "succeeded"))
                .then("mail", next -> next.add(JobCall.of(Shop::enroll, 2))
                        .onSuccess(JobCall.of(Shop::report, "mailed"))));

        String next = finished(id).next();
        assertThat(finished(next).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran)
                .containsExactly("enroll 1", "succeeded of enroll: 1 of 1", "enroll 2", "mailed of mail: 1 of 1"));
    }

    @Test
    void aFailureKeepsTheNextBatchClosed() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 4))
                .then("mail", next -> next.add(JobCall.of(Shop::enroll, 2))));

        String next = finished(id).next();

        assertThat(batches.find(next).orElseThrow().state()).isEqualTo(State.WAITING);
        await().until(() -> redis.texts().ttl("jobs:batch:" + next) > 0);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void aBatchThatWaitsForOneWithoutSuccessExpiresWithItsJobsAndStaysIfThatSucceedsAfterAll() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create("print", batch -> batch.add(JobCall.of(Shop::breakDown, "printer"))
                .then("mail", next -> next.add(JobCall.of(Shop::waits))
                        .then("bill", last -> last.add(JobCall.of(Shop::enroll, 2)))));
        String mail = finished(id).next();
        String bill = batches.find(mail).orElseThrow().next();

        for (String waiting : List.of(mail, bill)) {
            await().untilAsserted(() -> assertThat(redis.texts().keys("jobs:batch:" + waiting + "*"))
                    .contains("jobs:batch:" + waiting + ":h:default")
                    .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isPositive()));
        }
        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().untilAsserted(() ->
                assertThat(batches.find(mail).orElseThrow().state()).isEqualTo(State.RUNNING));
        for (String kept : List.of(mail, bill)) {
            await().untilAsserted(() -> assertThat(redis.texts().keys("jobs:batch:" + kept + "*"))
                    .isNotEmpty()
                    .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isEqualTo(-1)));
        }
        shop.gate.countDown();
        assertThat(finished(bill).state()).isEqualTo(State.SUCCEEDED);
    }

    @Test
    void aBatchAfterAnEmptyOneRuns() {
        bed.start(shop);
        List<String> ids = IntStream.range(0, 20)
                .mapToObj(i -> batches.create(
                        "empty", batch -> batch.then("next", next -> next.add(JobCall.of(Shop::enroll, 1)))))
                .toList();

        for (String id : ids) {
            assertThat(finished(batches.find(id).orElseThrow().next()).succeeded())
                    .isEqualTo(1);
        }
    }

    @Test
    void cancellingAParentReachesTheBatchAfterAChild() {
        bed.start(shop);
        String id = batches.create(
                "family",
                batch -> batch.child("child", child -> child.add(JobCall.of(Shop::enroll, 1))
                        .then("next", next -> next.add(JobCall.of(Shop::untilCancelled)))));
        await().until(() -> batches.find(id).orElseThrow().childrenOpen() == 1
                && redis.texts().keys("jobs:batch:*").stream().anyMatch(key -> key.endsWith(":k")));
        String child =
                redis.texts().smembers("jobs:batch:" + id + ":k").iterator().next();
        String next = finished(child).next();

        batches.cancel(id);

        assertThat(finished(next).state()).isEqualTo(State.CANCELLED);
        assertThat(finished(id).state()).isEqualTo(State.CANCELLED);
    }

    @Test
    void noChildIsAddedToACancelledBatch() {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::waits)));
        batches.cancel(id);

        assertThatThrownBy(() -> batches.batch(id).child("child", child -> child.add(JobCall.of(Shop::enroll, 1))))
                .isInstanceOf(BatchEndedException.class)
                .hasMessageContaining("has ended or is cancelled; nothing of the child will run");
        shop.gate.countDown();
        finished(id);
        assertThat(redis.texts().keys("jobs:batch:*:h:*")).isEmpty();
    }
}
