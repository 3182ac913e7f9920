package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What applications are told when they use batches in a way that can't work, and reading many batches. */
class BatchMistakesIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    BatchMistakesIT() {
        super(redis);
    }

    static final class Elsewhere {

        void notAJob() {}
    }

    @Test
    void resultsThatAreNotKeptAreNoEmptyList() {
        String without = batches.create("sale", batch -> batch.add(JobCall.of(Shop::sell, 1)));
        String with = batches.create("sale", batch -> batch.keepResults().add(JobCall.of(Shop::sell, 1)));

        assertThatThrownBy(() -> batches.batch(without).results())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Batch " + without + " keeps no results. Create or open it with keepResults()");
        assertThat(batches.batch(with).results()).isEmpty();
    }

    @Test
    void aCallbackThatIsNoJobIsRefusedWhenTheBatchIsCreated() {
        assertThatThrownBy(() -> batches.create(
                        "sale", batch -> batch.add(JobCall.of(Shop::sell, 1)).onFinish(JobCall.of(Elsewhere::notAJob))))
                .hasMessageContaining("Elsewhere::notAJob is not a @Job method");
        assertThat(redis.snapshot()).isEmpty();
    }

    /** Their commit is one step of Redis. */
    @Test
    void aBatchWithTooManyBelowItIsRefused() {
        assertThatThrownBy(() -> batches.create("chain", batch -> IntStream.range(0, 23)
                        .forEach(i -> batch.child("child", child -> IntStream.range(0, 20)
                                .forEach(j -> child.child(
                                        "grandchild",
                                        grandchild -> grandchild.then(
                                                "next", next -> next.add(JobCall.of(Shop::sell, 1)))))))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("A batch is created with at most 500 children and next batches, all levels together; its"
                        + " jobs can add more, with JobBatch.child");
        assertThat(redis.snapshot()).isEmpty();
    }

    /** It would run at once. */
    @Test
    void aChildOfABatchThatWaitsIsRefused() {
        assertThatThrownBy(() -> batches.create("sale", batch -> batch.add(JobCall.of(Shop::sell, 1))
                        .then("mails", mails -> mails.child("one", one -> one.add(JobCall.of(Shop::tell))))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("Batch 'mails' waits for another one, so it can't have the child 'one' yet; let one of its"
                        + " jobs add it, with JobBatch.child");
        assertThat(redis.snapshot()).isEmpty();
    }

    @Test
    void aCallbackCanNotHaveATime() {
        assertThatThrownBy(() -> batches.create(
                        "sale",
                        batch -> batch.onFinish(
                                JobCall.of(Shop::sell, 1).at(Instant.now().plusSeconds(60)))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("can't have a time");
    }

    @Test
    void aBatchThatHasEndedTakesNoMoreJobs() throws InterruptedException {
        bed.start(shop);
        OpenBatch fill = batches.open("sale", "monday");
        fill.commit();
        assertThat(batches.await(fill.id(), Duration.ofSeconds(60))).isTrue();

        assertThatThrownBy(() -> batches.batch(fill.id()).add(JobCall.of(Shop::sell, 1)))
                .isInstanceOf(BatchEndedException.class)
                .hasMessageContaining(fill.id())
                .hasMessageContaining("has ended; nothing was added");
        assertThatThrownBy(() -> batches.open("sale", "monday"))
                .isInstanceOf(BatchEndedException.class)
                .hasMessageContaining("has ended; use another key");
        assertThatThrownBy(() -> batches.batch("0123456789abcdef").status())
                .isInstanceOf(BatchEndedException.class)
                .hasMessageContaining("There is no batch 0123456789abcdef");
    }

    @Test
    void manyBatchesAreReadTogether() {
        List<String> ids = new ArrayList<>(IntStream.range(0, 120)
                .mapToObj(i -> batches.create("sale " + i, batch -> batch.add(JobCall.of(Shop::sell, 1))))
                .toList());
        ids.add(ids.get(0));
        ids.add("0123456789abcdef");
        ids.add("no id");

        var found = batches.findAll(ids);

        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(ids.subList(0, 120));
        assertThat(found.get(ids.get(7)).name()).isEqualTo("sale 7");
        assertThat(found.values()).extracting(BatchStatus::total).containsOnly(1L);
        assertThat(batches.findAll(List.of())).isEmpty();
    }
}
