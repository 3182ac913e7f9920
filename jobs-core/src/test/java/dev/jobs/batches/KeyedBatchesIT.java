package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.testing.RedisFixture;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches that are created or filled more than once, under the same key. */
class KeyedBatchesIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    KeyedBatchesIT() {
        super(redis);
    }

    @Test
    void theSameKeyCreatesOneBatch() {
        bed.start(shop);
        String first = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        String second = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));

        assertThat(second).isEqualTo(first);
        assertThat(finished(first).total()).isEqualTo(1);
        assertThat(batches.create("enroll", "12.12", batch -> batch.add(JobCall.of(Shop::enroll, 1))))
                .isNotEqualTo(first);
    }

    @Test
    void aStreamGoesOnUnderItsKey() {
        bed.start(shop);
        try (OpenBatch fill = batches.open("import", "file 1")) {
            fill.addAll(IntStream.range(0, 700).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
        }
        BatchStatus half = batches.find(idOf("import", "file 1")).orElseThrow();
        assertThat(half.total()).isEqualTo(700);
        await().until(() -> batches.find(half.id()).orElseThrow().succeeded() == 700);
        assertThat(batches.find(half.id()).orElseThrow().state()).isEqualTo(State.FILLING);

        try (OpenBatch fill = batches.open("import", "file 1")) {
            fill.addAll(IntStream.range(0, 1_000).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
            fill.commit();
        }

        BatchStatus status = finished(half.id());
        assertThat(status.total()).isEqualTo(1_000);
        assertThat(status.succeeded()).isEqualTo(1_000);
        assertThat(shop.ran).hasSize(1_000);
        assertThatThrownBy(() -> batches.open("import", "file 1")).isInstanceOf(BatchEndedException.class);
    }

    private String idOf(String name, String key) {
        try (OpenBatch same = batches.open(name, key)) {
            return same.id();
        }
    }

    @Test
    void whatADeletedBatchLeftIsNotTakenForItsSuccessors() {
        bed.start(shop);
        String before = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        finished(before);
        redis.texts().del("jobs:batch:" + before);

        String now = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 2)));

        assertThat(now).isNotEqualTo(before);
        assertThat(finished(now).succeeded()).isEqualTo(1);
        assertThat(shop.ran).containsExactly("enroll 1", "enroll 2");
    }

    @Test
    void creatorsWithTheSameKeyCreateOneBatchThatStays() {
        String id = batches.create("import", "file 1", outer -> {
            outer.addAll(IntStream.range(0, 600).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
            batches.create(
                    "import",
                    "file 1",
                    inner -> inner.addAll(IntStream.range(0, 700).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row))));
            outer.addAll(IntStream.range(600, 800).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
        });

        assertThat(redis.texts().keys("jobs:batch:" + id + "*"))
                .isNotEmpty()
                .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isEqualTo(-1));
        assertThat(redis.texts().llen("queue:default")).isEqualTo(700);
        bed.start(shop);
        assertThat(finished(id).succeeded()).isEqualTo(700);
    }

    @Test
    void aCreatorThatFailsLeavesWhatAnotherOneCreated() {
        assertThatThrownBy(() -> batches.create("import", "file 1", outer -> {
                    outer.add(JobCall.of(Shop::enroll, 1));
                    batches.create("import", "file 1", inner -> inner.add(JobCall.of(Shop::enroll, 1)));
                    throw new IllegalStateException("no more rows");
                }))
                .hasMessage("no more rows");

        String id = batches.create("import", "file 1", batch -> {});
        bed.start(shop);
        assertThat(finished(id).succeeded()).isEqualTo(1);
    }

    @Test
    void jobsOfAForgottenBatchDoNotActOnTheOneThatHasItsKeyNow() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String before = batches.create("print", "11.11", batch -> batch.add(JobCall.of(Shop::breakDown, "printer")));
        assertThat(finished(before).dead()).isEqualTo(1);
        redis.texts().del("jobs:batch:" + before, "jobs:batch:" + before + ":d", "jobs:batch:" + before + ":s");

        String now = batches.create("print", "11.11", batch -> batch.add(JobCall.of(Shop::waits)));

        assertThat(now).isNotEqualTo(before);
        assertThat(batches.retryDead(now)).isZero();
        assertThat(batches.find(now).orElseThrow().succeeded()).isZero();
    }

    @Test
    void keysOfForgottenBatchesAreForgotten() {
        String id = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        batches.create("enroll", "12.12", batch -> batch.add(JobCall.of(Shop::waits)));
        assertThat(redis.texts().hvals("jobs:batches:keys")).hasSize(2).contains(id);
        redis.texts().del("jobs:batch:" + id);

        bed.start(shop);

        await().until(() -> redis.texts().hlen("jobs:batches:keys") == 1);
        assertThat(redis.texts().hvals("jobs:batches:keys")).doesNotContain(id);
    }

    @Test
    void aBatchWithMissingJobsIsNotCommitted() {
        assertThatThrownBy(() -> batches.create("enroll", "11.11", batch -> {
                    batch.addAll(IntStream.range(0, 500).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
                    redis.texts().keys("jobs:batch:*:h:default").forEach(key -> redis.texts()
                            .del(key));
                    batch.add(JobCall.of(Shop::enroll, 1).queue("other"));
                }))
                .isInstanceOf(BatchEndedException.class)
                .hasMessageContaining("are missing");

        assertThat(redis.texts().keys("jobs:batch:*")).isEmpty();
        String id = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        bed.start(shop);
        assertThat(finished(id).succeeded()).isEqualTo(1);
    }

    @Test
    void anIndexOfOnesOwnMovesTheNextOneOn() {
        OpenBatch fill = batches.open("import");
        fill.add(7, JobCall.of(Shop::enroll, 1));
        fill.add(JobCall.of(Shop::enroll, 2));
        fill.commit();

        assertThat(batches.jobs(fill.id(), Set.of(), -1, 10).jobs())
                .extracting(BatchJob::index)
                .containsExactly(7L, 8L);
    }
}
