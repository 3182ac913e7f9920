package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
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
import java.util.function.Supplier;
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

    private @Nullable Set<String> among(Supplier<Set<String>> ids) {
        readings.incrementAndGet();
        if (stored.isEmpty()) {
            return null;
        }
        Set<String> found = new HashSet<>(ids.get());
        found.retainAll(stored);
        return found;
    }

    private boolean refresh(@Nullable String id) {
        return batches.refresh(id, nanos::get, () -> held, this::among);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void theFirstThatAsksReadsAboutTheBatchesOfAllHeldJobs() {
        assertThat(batches.contains("a")).isFalse();
        assertThat(refresh("b")).isTrue();
        assertThat(refresh("a")).isTrue();
        assertThat(batches.contains("a")).isTrue();
        assertThat(batches.contains("b")).isFalse();
        assertThat(readings).hasValue(1);
    }

    @Test
    void aJobOfABatchThatWasNotAskedAboutAsks() {
        refresh("b");
        assertThat(batches.contains("c")).isFalse();
        refresh("c");
        assertThat(batches.contains("c")).isTrue();
        assertThat(batches.contains("a")).isTrue();
        assertThat(readings).hasValue(2);
    }

    @Test
    void manyJobsReadOnceASecond() {
        for (int i = 0; i < 10_000; i++) {
            refresh(i % 2 == 0 ? "a" : "b");
            pass(Duration.ofMillis(1));
        }
        assertThat(readings).hasValue(10);
    }

    @Test
    void whileNoBatchIsCancelledJobsOfAnyBatchReadOnceASecond() {
        stored = Set.of();
        for (int i = 0; i < 10_000; i++) {
            assertThat(refresh("batch" + i)).isTrue();
            pass(Duration.ofMillis(1));
        }
        assertThat(readings).hasValue(10);
    }

    @Test
    void theChoreAsksAboutHeldJobsOnceASecond() {
        refresh("a");
        held = Set.of("c");
        refresh(null);
        assertThat(batches.contains("c")).isFalse();
        pass(CancelledBatches.FRESH);
        refresh(null);
        assertThat(batches.contains("c")).isTrue();
        assertThat(readings).hasValue(2);
    }

    @Test
    void whatIsNoLongerStoredIsForgotten() {
        refresh("a");
        stored = Set.of();
        pass(CancelledBatches.FRESH);
        refresh("a");
        assertThat(batches.contains("a")).isFalse();
    }

    @Test
    void thoseWhoAskMeanwhileWaitForOneReading() throws Exception {
        CountDownLatch asked = new CountDownLatch(8);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Boolean>> answers = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> {
                        asked.countDown();
                        batches.refresh("a", nanos::get, () -> held, ids -> {
                            awaitQuietly(asked);
                            return among(ids);
                        });
                        return batches.contains("a");
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
        refresh("a");
        pass(CancelledBatches.FRESH);
        assertThatThrownBy(() -> batches.refresh("a", nanos::get, () -> held, ids -> {
                    pass(Duration.ofSeconds(10));
                    throw new JobStoreException(Kind.TIMEOUT, "silent", null);
                }))
                .isInstanceOf(JobStoreException.class);

        stored = Set.of("b");
        assertThat(refresh("b")).as("a job that begins must not be skipped").isFalse();
        assertThat(batches.contains("a")).as("a running job knows it already").isTrue();
        pass(CancelledBatches.FRESH);
        assertThat(refresh("b")).isTrue();
        assertThat(batches.contains("b")).isTrue();
    }
}
