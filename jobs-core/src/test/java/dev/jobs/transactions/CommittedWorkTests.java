package dev.jobs.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.JobStoreException;
import dev.jobs.testing.LogLines;
import dev.jobs.transactions.CommittedWork.Unit;
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
        CommittedWork work =
                new CommittedWork(Duration.ofHours(1), Duration.ofHours(3), System::nanoTime, (done, millis) -> {
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

    @Test
    void aLongOutageIsCountedEveryThirtySeconds() {
        AtomicLong now = new AtomicLong();
        JobStoreException silence = new JobStoreException(JobStoreException.Kind.TIMEOUT, "no answer", null);
        try (CommittedWork work = silentAt(now);
                LogLines lines = LogLines.of(SentAgain.class).open()) {
            for (int second = 0; second <= 60; second++) {
                work.failed("", Unit.JOB, 1, silence);
                work.failed("", Unit.BATCH, 1, silence);
                work.ended("", Unit.JOB, 1, second == 0 ? 1 : 0);
                work.answered(""); // the batches are still not committed
                now.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            work.ended("", Unit.BATCH, 61, 2);
            work.answered("");
            work.answered("");

            assertThat(lines.messages())
                    .containsExactly(
                            "Jobs and batches of committed transactions wait in memory, and are sent again for 30 s "
                                    + "after their commit, and then given up, each named by an error: no answer",
                            "Redis has not taken all jobs and batches for 30 s. Sent again: 31 jobs and 30 batches. Given up: 1 job",
                            "Redis has not taken all jobs and batches for 60 s. Sent again: 61 jobs and 60 batches. Given up: 1 job",
                            "Redis takes jobs and batches again after 61 s. Sent again: 61 jobs and 61 batches. Given up: 1 job "
                                    + "and 2 batches");
        }
    }

    @Test
    void aClientThatClosesDuringAnOutageTellsWhatItSentAgain() {
        JobStoreException silence = new JobStoreException(JobStoreException.Kind.TIMEOUT, "no answer", null);
        try (LogLines lines = LogLines.of(SentAgain.class).open()) {
            try (CommittedWork work = silentAt(new AtomicLong())) {
                work.failed("west", Unit.JOB, 1, silence);
            }

            assertThat(lines.messages(Level.WARN))
                    .element(1)
                    .isEqualTo(
                            "The client closes while Redis takes no jobs or batches of shard 'west'. Sent again: 1 job. "
                                    + "Given up: none");
        }
    }
}
