package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a process reads which batches are cancelled. */
class CancelledBatchesTests {

    private final CancelledBatches batches = new CancelledBatches();
    private final AtomicLong nanos = new AtomicLong(-7);
    private final AtomicInteger readings = new AtomicInteger();
    private Set<String> stored = Set.of("a");

    private Set<String> read() {
        readings.incrementAndGet();
        return stored;
    }

    private void refresh() {
        batches.refresh(nanos::get, this::read);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void theFirstThatAsksReads() {
        assertThat(batches.contains("a")).isFalse();
        refresh();
        assertThat(batches.contains("a")).isTrue();
        assertThat(batches.contains("b")).isFalse();
    }

    @Test
    void manyJobsReadOnceASecond() {
        for (int i = 0; i < 10_000; i++) {
            refresh();
            pass(Duration.ofMillis(1));
        }
        assertThat(readings).hasValue(10);
    }

    @Test
    void whatIsNoLongerStoredIsForgotten() {
        refresh();
        stored = Set.of();
        pass(CancelledBatches.FRESH);
        refresh();
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
                        batches.refresh(nanos::get, () -> {
                            awaitQuietly(asked);
                            return read();
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
        refresh();
        pass(CancelledBatches.FRESH);
        assertThatThrownBy(() -> batches.refresh(nanos::get, () -> {
                    pass(Duration.ofSeconds(10));
                    throw new JobStoreException(Kind.TIMEOUT, "silent", null);
                }))
                .isInstanceOf(JobStoreException.class);

        stored = Set.of("b");
        refresh();
        assertThat(batches.contains("a")).isTrue();
        pass(CancelledBatches.FRESH);
        refresh();
        assertThat(batches.contains("b")).isTrue();
    }

    private boolean isStill(String id, long since) {
        return batches.isStill(id, since, nanos::get, asked -> {
            readings.incrementAndGet();
            return stored.contains(asked);
        });
    }

    @Test
    void whatWasReadAfterAJobWasClaimedIsSo() {
        long claimed = nanos.get();
        pass(Duration.ofMillis(1));
        refresh();
        stored = Set.of();
        assertThat(isStill("a", claimed)).isTrue();
        assertThat(isStill("b", claimed)).isFalse();
        assertThat(readings).hasValue(1);
    }

    @Test
    void whatWasReadBeforeAJobWasClaimedIsAskedForOnce() {
        refresh();
        pass(Duration.ofMillis(1));
        long claimed = nanos.get();
        assertThat(isStill("a", claimed)).isTrue();
        assertThat(isStill("a", claimed)).isTrue();
        assertThat(readings).hasValue(2);

        stored = Set.of();
        pass(Duration.ofMillis(1));
        assertThat(isStill("a", nanos.get())).isFalse();
    }

    @Test
    void afterAFailedReadingNobodyAsksBeforeTheNext() {
        refresh();
        pass(CancelledBatches.FRESH);
        long claimed = nanos.get();
        assertThatThrownBy(() -> batches.refresh(nanos::get, () -> {
                    throw new JobStoreException(Kind.TIMEOUT, "silent", null);
                }))
                .isInstanceOf(JobStoreException.class);
        readings.set(0);
        assertThatThrownBy(() -> isStill("a", claimed)).isInstanceOf(JobStoreException.class);
        assertThat(isStill("b", claimed)).as("a batch that isn't known").isFalse();
        assertThat(readings).hasValue(0);

        pass(CancelledBatches.FRESH);
        refresh();
        assertThat(isStill("a", claimed)).isTrue();
    }
}
