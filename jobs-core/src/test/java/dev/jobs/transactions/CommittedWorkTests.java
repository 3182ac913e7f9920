package dev.jobs.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CommittedWorkTests {

    /** After five minutes. */
    private static CommittedWork silentAt(AtomicLong now) {
        return new CommittedWork(
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                now::get,
                (done, millis) -> done.await(millis, TimeUnit.MILLISECONDS));
    }

    @Test
    void workThatWaitsWhileTheClientClosesTellsItsEnd() {
        CommittedWork work = new CommittedWork(Duration.ofSeconds(1), Duration.ofMillis(50));
        List<String> told = new CopyOnWriteArrayList<>();
        work.later("shard", () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        work.later("shard", () -> told.add("not stored"));

        work.close();

        assertThat(told).containsExactly("not stored");
    }

    @Test
    @Timeout(60)
    void aShardThatHadNothingToAnswerIsNotSilent() {
        AtomicLong now = new AtomicLong();
        try (CommittedWork work = silentAt(now)) {
            work.answered("");
            now.addAndGet(Duration.ofMinutes(6).toNanos());
            int all = work.takeRoom("", 1_000_000, 0);

            CompletableFuture<Integer> second = new CompletableFuture<>();
            Thread waiting = new Thread(() -> second.complete(work.takeRoom("", 1, 0)));
            waiting.start();
            await().until(() -> second.isDone() || waiting.getState() == Thread.State.TIMED_WAITING);
            work.giveRoom("", all);

            assertThat(second.join()).isOne();
        }
    }

    /** They hold connections to the database. */
    @Test
    @Timeout(60)
    void noTransactionWaitsForRoomWhileRedisIsKnownToBeSilent() {
        AtomicLong now = new AtomicLong();
        CommittedWork work = silentAt(now);
        CountDownLatch answer = new CountDownLatch(1);
        try (work) {
            work.begin("", () -> {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            int all = work.takeRoom("", 1_000_000, 0);
            now.addAndGet(Duration.ofMinutes(6).toNanos());

            assertThat(work.takeRoom("", 1, 0)).isZero();

            work.giveRoom("", all);
            assertThat(work.takeRoom("", 1, 0)).isOne();
            answer.countDown();
        }
    }

    /** Also the first one: it holds a connection to the database as others do, and Redis may never answer. */
    @Test
    void aTransactionWaitsAMomentForASilentRedis() {
        AtomicLong waited = new AtomicLong();
        CommittedWork work = new CommittedWork(
                Duration.ofHours(1), Duration.ofHours(3), System::nanoTime, (done, millis) -> {
                    waited.addAndGet(millis);
                    return false;
                });
        CountDownLatch answer = new CountDownLatch(1);
        try (work) {
            Runnable unanswered = () -> await().until(() -> answer.getCount() == 0);
            work.begin("", unanswered).await();
            assertThat(waited).hasValueLessThanOrEqualTo(60).hasPositiveValue();

            waited.set(0);
            work.begin("", unanswered).await();
            assertThat(waited).as("as Redis is known to be silent").hasValue(0);

            work.answered("");
            work.begin("", unanswered).await();
            assertThat(waited).hasValueLessThanOrEqualTo(60).hasPositiveValue();
            answer.countDown();
        }
    }
}
