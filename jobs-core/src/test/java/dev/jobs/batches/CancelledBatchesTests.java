package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.batches.CancelledBatches.Reply;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a process reads which batches are cancelled. */
class CancelledBatchesTests {

    private final CancelledBatches batches = new CancelledBatches();
    private final AtomicLong nanos = new AtomicLong(-7);
    private final AtomicInteger readings = new AtomicInteger();
    private Set<String> held = Set.of("a", "b");
    private Set<String> stored = Set.of("a", "c");

    private @Nullable Reply ask(@Nullable String id) {
        readings.incrementAndGet();
        if (stored.isEmpty()) {
            return null;
        }
        Set<String> asked = new HashSet<>(held);
        if (id != null) {
            asked.add(id);
        }
        return new Reply(asked, asked.stream().filter(stored::contains).collect(Collectors.toSet()));
    }

    private static @Nullable Reply fail(@Nullable String id) {
        throw new JobStoreException(Kind.TIMEOUT, "silent", null);
    }

    /** Of a job that was claimed long ago. */
    private boolean isCancelled(String id) {
        return isCancelled(id, Long.MIN_VALUE / 2);
    }

    private boolean isCancelled(String id, long since) {
        return batches.isCancelled(id, since, nanos::get, this::ask);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void theFirstThatAsksReadsAboutTheBatchesOfAllHeldJobs() {
        assertThat(batches.contains("a")).isFalse();
        assertThat(isCancelled("b")).isFalse();
        assertThat(isCancelled("a")).isTrue();
        assertThat(batches.contains("a")).isTrue();
        assertThat(readings).hasValue(1);
    }

    @Test
    void aJobOfABatchThatWasNotAskedAboutAsks() {
        isCancelled("b");
        assertThat(batches.contains("c")).isFalse();
        assertThat(isCancelled("c")).isTrue();
        assertThat(isCancelled("a")).isTrue();
        assertThat(readings).hasValue(2);
    }

    @Test
    void manyJobsReadOnceASecond() {
        for (int i = 0; i < 10_000; i++) {
            isCancelled(i % 2 == 0 ? "a" : "b");
            pass(Duration.ofMillis(1));
        }
        assertThat(readings).hasValue(10);
    }

    @Test
    void whileNoBatchIsCancelledJobsOfAnyBatchReadOnceASecond() {
        stored = Set.of();
        for (int i = 0; i < 10_000; i++) {
            assertThat(isCancelled("batch" + i)).isFalse();
            pass(Duration.ofMillis(1));
        }
        assertThat(readings).hasValue(10);
    }

    @Test
    void theChoreAsksAboutHeldJobsOnceASecond() {
        batches.refresh(nanos::get, this::ask);
        held = Set.of("c");
        batches.refresh(nanos::get, this::ask);
        assertThat(batches.contains("c")).isFalse();
        pass(CancelledBatches.FRESH);
        batches.refresh(nanos::get, this::ask);
        assertThat(batches.contains("c")).isTrue();
        assertThat(readings).hasValue(2);
    }

    @Test
    void whatIsNoLongerStoredIsForgotten() {
        isCancelled("a");
        stored = Set.of();
        pass(CancelledBatches.FRESH);
        assertThat(isCancelled("a")).isFalse();
    }

    @Test
    void thoseWhoAskMeanwhileWaitForOneReading() throws Exception {
        CountDownLatch asked = new CountDownLatch(8);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Boolean>> answers = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> {
                        asked.countDown();
                        return batches.isCancelled("a", Long.MIN_VALUE / 2, nanos::get, id -> {
                            awaitQuietly(asked);
                            return ask(id);
                        });
                    }))
                    .toList();
            for (Future<Boolean> answer : answers) {
                assertThat(answer.get()).isTrue();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(readings).hasValue(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void afterAFailureAllGoOnWithWhatIsKnownUntilTheNextReading() {
        isCancelled("a");
        pass(CancelledBatches.FRESH);
        assertThatThrownBy(() -> batches.refresh(nanos::get, id -> {
                    pass(Duration.ofSeconds(10));
                    return fail(id);
                }))
                .isInstanceOf(JobStoreException.class);

        stored = Set.of("b");
        readings.set(0);
        assertThat(isCancelled("b")).as("a batch that isn't known").isFalse();
        assertThat(batches.contains("a")).as("a running job knows it already").isTrue();
        assertThatThrownBy(() -> isCancelled("a")).as("in doubt").isInstanceOf(JobStoreException.class);
        assertThat(readings).as("nobody asks before the next").hasValue(0);

        pass(CancelledBatches.FRESH);
        assertThat(isCancelled("b")).isTrue();
        assertThat(isCancelled("a")).isFalse();
    }

    @Test
    void aJobThatCannotAskIsNotInDoubtAboutABatchThatIsNotKnown() {
        assertThat(batches.isCancelled("a", 0, nanos::get, CancelledBatchesTests::fail))
                .isFalse();
        isCancelled("a");
        assertThat(readings).hasValue(0);
    }

    @Test
    void whatWasReadAfterAJobWasClaimedIsSo() {
        long claimed = nanos.get();
        pass(Duration.ofMillis(1));
        assertThat(isCancelled("a")).isTrue();
        stored = Set.of();
        assertThat(isCancelled("a", claimed)).isTrue();
        assertThat(isCancelled("b", claimed)).isFalse();
        assertThat(readings).hasValue(1);
    }

    /** In between, the batch may be over, and a job of it run again. */
    @Test
    void whatWasReadBeforeAJobWasClaimedIsAskedForOnce() {
        isCancelled("a");
        pass(Duration.ofMillis(1));
        long claimed = nanos.get();
        assertThat(isCancelled("a", claimed)).isTrue();
        assertThat(isCancelled("a", claimed)).isTrue();
        assertThat(readings).hasValue(2);

        stored = Set.of();
        pass(Duration.ofMillis(1));
        assertThat(isCancelled("a", nanos.get())).isFalse();
    }
}
