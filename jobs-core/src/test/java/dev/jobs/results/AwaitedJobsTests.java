package dev.jobs.results;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.client.ResultStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AwaitedJobsTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void whoWaitsIsToldAfterTheListenerRanOutOfMemory() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        ResultStore store = new ResultStore() {
            @Override
            public byte[] find(String jid) {
                return calls.get() < 2 ? null : "{}".getBytes(UTF_8);
            }

            @Override
            public List<String> next(String client) {
                if (calls.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return List.of("j1");
            }

            @Override
            public Duration longestCall() {
                return Duration.ofSeconds(1);
            }
        };
        try (AwaitedJobs awaited = new AwaitedJobs(store)) {
            assertThat(awaited.await("j1", awaited.client(), PATIENCE, end -> true)
                            .result())
                    .isNotNull();
            assertThat(calls).hasValueGreaterThanOrEqualTo(2);
        }
    }

    /** The end is told to the id under which the job was submitted, to which nobody listens any more. */
    @Test
    @Timeout(60)
    void whoWaitsWhileTheIdIsRenewedLooksAgainAndAgain() {
        AtomicBoolean ended = new AtomicBoolean();
        ResultStore store = new ResultStore() {
            @Override
            public byte[] find(String jid) {
                return ended.get() ? "{}".getBytes(UTF_8) : null;
            }

            @Override
            public List<String> next(String client) {
                LockSupport.parkNanos(longestCall().toNanos());
                return List.of();
            }

            @Override
            public Duration longestCall() {
                return Duration.ofMillis(20);
            }
        };
        try (AwaitedJobs awaited = new AwaitedJobs(store)) {
            FutureTask<AwaitedJobs.Found> found =
                    new FutureTask<>(() -> awaited.await("j1", awaited.client(), Duration.ofHours(1), end -> true));
            Thread thread = new Thread(found);
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

            awaited.renewId();
            ended.set(true);

            assertThat(found).succeedsWithin(PATIENCE).satisfies(each -> assertThat(each.result())
                    .isNotNull());
        }
    }

    @Test
    @Timeout(60)
    void allWhoWaitLookIfTooManyHaveEndedToNameThem() throws InterruptedException {
        CountDownLatch looked = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        ResultStore store = new ResultStore() {
            @Override
            public byte[] find(String jid) {
                boolean first = looked.getCount() > 0;
                looked.countDown();
                return first ? null : "{}".getBytes(UTF_8);
            }

            @Override
            public List<String> next(String client) {
                await().until(() -> looked.getCount() == 0);
                return calls.incrementAndGet() == 1 ? List.of(JobResults.ANY) : List.of();
            }

            @Override
            public Duration longestCall() {
                return Duration.ofSeconds(1);
            }
        };
        try (AwaitedJobs awaited = new AwaitedJobs(store)) {
            assertThat(awaited.await("j1", awaited.client(), Duration.ofHours(1), end -> true)
                            .result())
                    .isNotNull();
        }
    }
}
