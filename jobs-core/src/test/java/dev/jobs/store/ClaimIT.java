package dev.jobs.store;

import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ClaimIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    private static String[] jobs(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i).toArray(String[]::new);
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-0.20")
    @Tag("sidekiq-9")
    void takesTheOldestFirstAndRecordsWhatItTook() {
        bed.push("mail", "a", "b", "c");

        List<Claimed> claimed = worker.take(2, "mail");

        assertThat(payloads(claimed)).containsExactly("a", "b");
        assertThat(claimed).extracting(Claimed::token).containsExactly("0:1:1:mail", "0:1:2:mail");
        assertThat(claimed).extracting(Claimed::queue).containsOnly("mail");
        assertThat(claimed).extracting(Claimed::recoveries).containsOnly(0);
        SortedMap<String, Object> stored = bed.stored();
        assertThat(stored.get("queue:mail")).isEqualTo(List.of("c"));
        assertThat(stored.get("jobs:in:one"))
                .isEqualTo(Map.of("#0", "1 m\n2 mail", "0:1:1:mail", "a", "0:1:2:mail", "b"));
        assertThat(stored.get("jobs:ledger")).isEqualTo(Map.of("claimed", "2"));
        assertThat(stored).containsOnlyKeys("queue:mail", "jobs:in:one", "jobs:ledger", "jobs:beats", "jobs:seen");
    }

    /** Each command is on the way of a job to an idle worker, with cold caches. */
    @Test
    void asksOnceForPausedQueuesAndRecoveredJobsIfThereAreNone() {
        bed.push("mail", "a");
        bed.redis.texts().configResetstat();

        assertThat(payloads(worker.take(2, "mail"))).containsExactly("a");

        assertThat(bed.redis.calls("exists")).isEqualTo(1);
        assertThat(bed.redis.calls("scard") + bed.redis.calls("hlen")).isZero();
    }

    @Test
    void asksForManyEmptyQueuesTogether() {
        String[] queues = jobs("queue-", 5_000);
        bed.push("queue-4321", "a");
        bed.push("queue-4998", "b");
        bed.redis.texts().configResetstat();

        assertThat(payloads(worker.take(10, queues))).containsExactly("a", "b");

        assertThat(bed.redis.calls("lrange")).isLessThanOrEqualTo(2 * 50 + 2);
        assertThat(bed.redis.calls("exists")).isEqualTo(1 + 5_000 / 50);
    }

    @Test
    void looksAtNoFurtherQueueOnceItHasEnough() {
        String[] queues = jobs("queue-", 5_000);
        bed.push("queue-0", "a", "b");
        bed.push("queue-4999", "c");
        bed.redis.texts().configResetstat();

        assertThat(payloads(worker.take(2, queues))).containsExactly("a", "b");

        assertThat(bed.redis.calls("lrange")).isEqualTo(1);
        assertThat(bed.redis.calls("exists")).isEqualTo(2);
    }

    @Test
    @Tag("sidekiq-9")
    void reportsAKeyOfTheWrongTypeAmongManyQueues() {
        String[] queues = jobs("queue-", 120);
        bed.redis.texts().set("queue:queue-70", "text");
        bed.push("queue-110", "a");

        Reply reply = worker.exchange(0, 10, 1, List.of(queues), List.of());

        assertThat(reply.brokenQueues()).containsExactly("queue-70");
        assertThat(payloads(reply.claimed())).containsExactly("a");
    }

    @Test
    void writesNothingWhenThereIsNothingToTake() {
        SortedMap<String, Object> before = bed.stored();

        Reply reply = worker.exchange(0, 10, 1, List.of("mail", "low"), List.of());

        assertThat(reply).isEqualTo(new Reply(Status.OK, 0, List.of(), 0, List.of(), List.of(), null));
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    @Tag("sidekiq-9")
    void followsTheGivenOrderOfQueues() {
        bed.push("low", "l1", "l2");
        bed.push("high", "h1", "h2");

        assertThat(payloads(worker.take(3, "high", "none", "low"))).containsExactly("h1", "h2", "l1");
        assertThat(payloads(worker.take(3, "low", "high"))).containsExactly("l2");
    }

    @Test
    @Tag("sidekiq-9")
    @Tag("sidekiq-28")
    void leavesPausedQueuesAlone() {
        bed.push("mail", "a");
        bed.push("low", "b");
        bed.redis.texts().sadd("paused", "mail");

        assertThat(payloads(worker.take(5, "mail", "low"))).containsExactly("b");
        bed.redis.texts().srem("paused", "mail");
        assertThat(payloads(worker.take(5, "mail", "low"))).containsExactly("a");
    }

    @Test
    void repeatsTheSameJobsUnderTheSameNumber() {
        bed.push("mail", "a", "b", "c");
        bed.push("low", "d", "e");
        Reply first = worker.exchange(0, 4, 1, List.of("mail", "low"), List.of());
        SortedMap<String, Object> after = bed.stored();

        for (int i = 0; i < 3; i++) {
            Reply again = worker.repeat(worker.last());

            assertThat(again.status()).isEqualTo(Status.REPLAY);
            assertThat(again.claimed()).usingRecursiveComparison().isEqualTo(first.claimed());
            assertThat(bed.stored()).isEqualTo(after);
        }
    }

    @Test
    void claimsNothingForALateCallThatWasRepeatedWantingNothing() {
        bed.push("mail", "a");
        Worker.Call late = new Worker.Call(1, 7, 5, 0, List.of("mail"), List.of());
        assertThat(worker.repeat(new Worker.Call(1, 7, 0, 0, List.of(), List.of()))
                        .claimed())
                .isEmpty();

        Reply reply = worker.repeat(late);

        assertThat(reply.status()).isEqualTo(Status.REPLAY);
        assertThat(reply.claimed()).isEmpty();
        assertThat(bed.stored().get("queue:mail")).isEqualTo(List.of("a"));
        assertThat(payloads(worker.repeat(new Worker.Call(1, 8, 5, 0, List.of("mail"), List.of()))
                        .claimed()))
                .containsExactly("a");
    }

    @Test
    void bringsWhatACallClaimedWhenItIsRepeatedWantingNothing() {
        bed.push("mail", "a", "b");
        Reply first = worker.exchange(1, 5, 0, List.of("mail"), List.of());

        Reply again = worker.repeat(new Worker.Call(1, worker.last().number(), 0, 0, List.of(), List.of()));

        assertThat(again.status()).isEqualTo(Status.REPLAY);
        assertThat(again.claimed()).usingRecursiveComparison().isEqualTo(first.claimed());
    }

    @Test
    void wantsNothingForALifeThatIsForgottenWithoutATrace() {
        bed.redis.texts().zrem("jobs:beats", "one");
        SortedMap<String, Object> before = bed.stored();

        assertThat(worker.exchange(1, 0, 0, List.of(), List.of()).status()).isEqualTo(Status.FENCED);

        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void leavesOutOfARepeatedAnswerWhatWasSettledSince() {
        bed.push("mail", "a", "b", "c");
        worker.take(3, "mail");
        Worker.Call call = worker.last();
        Worker other = bed.worker("one");
        other.exchange(1, 0, 0, List.of(), List.of(Settlement.done("0:1:2:mail")));

        assertThat(worker.repeat(call).claimed())
                .extracting(Claimed::token)
                .containsExactly("0:1:1:mail", "0:1:3:mail");
    }

    @Test
    void repeatsTheJobsOfSeveralQueues() {
        bed.push("mail", "a");
        bed.push("a 2:b", "b", "c");
        List<Claimed> claimed = worker.take(9, "mail", "empty", "a 2:b");

        Reply again = worker.repeat(worker.last());

        assertThat(again.claimed()).usingRecursiveComparison().isEqualTo(claimed);
        assertThat(claimed).extracting(Claimed::token).containsExactly("0:1:1:mail", "0:1:2:a 2:b", "0:1:3:a 2:b");
    }

    @Test
    void answersARepeatedCallThatNamesOtherQueues() {
        bed.push("mail", "a", "b");
        worker.take(2, "mail");
        SortedMap<String, Object> after = bed.stored();

        Reply again = worker.repeat(new Worker.Call(0, 1, 2, 1, List.of("low"), List.of()));

        assertThat(again.status()).isEqualTo(Status.REPLAY);
        assertThat(payloads(again.claimed())).containsExactly("a", "b");
        assertThat(again.claimed()).extracting(Claimed::queue).containsOnly("mail");
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void doesNothingUnderAStaleNumber() {
        bed.push("mail", "a", "b", "c");
        worker.take(1, "mail");
        Worker.Call old = worker.last();
        worker.take(1, "mail");
        SortedMap<String, Object> before = bed.stored();

        Reply stale = worker.repeat(
                new Worker.Call(0, old.number(), 5, 1, List.of("mail"), List.of(Settlement.done("0:1:1:mail"))));

        assertThat(stale.status()).isEqualTo(Status.STALE);
        assertThat(stale.claimed()).isEmpty();
        assertThat(bed.stored()).isEqualTo(before);
    }

    /** A clone of the process makes it: a repetition has the mark of the first call. */
    @Test
    void doesNothingUnderANumberThatAnotherCallHas() {
        bed.push("mail", "a", "b");
        worker.take(1, "mail");
        SortedMap<String, Object> before = bed.stored();

        Reply other = worker.claims.exchange(new JobClaims.Request(
                worker.id, 0, worker.last().number(), "other", 1, 1, List.of("mail"), List.of(), ClaimGate.OPEN));

        assertThat(other.status()).isEqualTo(Status.STALE);
        assertThat(other.claimed()).isEmpty();
        assertThat(bed.stored()).isEqualTo(before);
        assertThat(worker.repeat(worker.last()).status()).isEqualTo(Status.REPLAY);
    }

    @Test
    void keepsTheNumbersOfEachLineApart() {
        bed.push("mail", "a", "b", "c", "d");
        Reply on1 = worker.exchange(1, 1, 1, List.of("mail"), List.of());
        Worker.Call call1 = worker.last();
        Reply on0 = worker.exchange(0, 2, 1, List.of("mail"), List.of());

        assertThat(on1.claimed()).extracting(Claimed::token).containsExactly("1:1:1:mail");
        assertThat(on0.claimed()).extracting(Claimed::token).containsExactly("0:1:1:mail", "0:1:2:mail");
        assertThat(payloads(worker.repeat(call1).claimed())).containsExactly("a");
        assertThat(bed.inFlight("one")).containsOnlyKeys("0:1:1:mail", "0:1:2:mail", "1:1:1:mail");
    }

    @Test
    void countsJobsAndNotLinesWhicheverLineBegins() {
        bed.push("mail", "a", "b");
        worker.exchange(2, 2, 1, List.of("mail"), List.of());

        assertThat(bed.books().inFlight()).isEqualTo(2);
        assertThat(bed.books().conservationError()).isZero();
        assertThat(((ProcessLeases.Alive) worker.beat()).held()).isEqualTo(2);
        worker.exchange(2, 0, 0, List.of(), List.of(Settlement.done("2:1:1:mail"), Settlement.done("2:1:2:mail")));
        assertThat(bed.books().conservationError()).isZero();
        assertThat(((ProcessLeases.Alive) worker.beat()).held()).isZero();
        assertThat(worker.leases.leave("one")).isZero();
        assertThat(bed.stored()).doesNotContainKey("jobs:in:one");
    }

    @Test
    void givesNothingToAProcessThatDidNotRegister() {
        bed.push("mail", "a");
        SortedMap<String, Object> before = bed.stored();

        assertThat(bed.worker("stranger")
                        .exchange(0, 5, 1, List.of("mail"), List.of())
                        .status())
                .isEqualTo(Status.FENCED);
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void givesNothingToAProcessThatWasGivenUp() {
        bed.push("mail", "a");
        bed.redis.texts().zadd("jobs:beats", -1, "one");
        SortedMap<String, Object> before = bed.stored();

        assertThat(worker.exchange(0, 5, 1, List.of("mail"), List.of()).status())
                .isEqualTo(Status.FENCED);
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void leavesNothingBehindForAProcessThatIsForgotten() {
        bed.push("mail", "a", "b");
        worker.take(2, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "one");
        assertThat(bed.leases().reap("one").finished()).isTrue();
        SortedMap<String, Object> before = bed.stored();

        Reply zombie = worker.settle(Settlement.done("0:1:1:mail"), Settlement.handedBack("0:1:2:mail", "mail", true));

        assertThat(zombie).isEqualTo(new Reply(Status.FENCED, 1, List.of(0), 0, List.of(), List.of(), null));
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void letsAHugeJobTravelAlone() {
        String huge = "x".repeat(2 << 20);
        bed.push("mail", huge, "a", "b");

        assertThat(payloads(worker.take(10, "mail"))).containsExactly(huge);
        assertThat(payloads(worker.take(10, "mail"))).containsExactly("a", "b");
    }

    @LongTest
    @Test
    void takesNoMoreHugeJobsBecauseASmallOneCameFirst() {
        List<String> jobs = new ArrayList<>(List.of("small"));
        IntStream.range(0, 20).forEach(i -> jobs.add(i + "x".repeat(1 << 20)));
        bed.push("mail", jobs.toArray(String[]::new));

        assertThat(payloads(worker.take(10, "mail"))).isEqualTo(jobs.subList(0, 2));
        assertThat(bed.queue("mail")).isEqualTo(jobs.subList(2, 21));
        assertThat(payloads(worker.take(10, "mail"))).isEqualTo(jobs.subList(2, 3));
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void stopsAtAMegabyteHoweverManyAreWanted() {
        bed.push("mail", jobs("x".repeat(100_000), 30));

        assertThat(worker.take(30, "mail")).hasSizeBetween(10, 11);
        assertThat(worker.take(30, "mail")).hasSizeBetween(10, 11);
        assertThat(worker.take(30, "mail")).hasSizeBetween(8, 10);
    }

    @Test
    void worksOffTwentyThousandJobsInFullExchanges() {
        for (int i = 0; i < 20; i++) {
            bed.push("mail", jobs(i + ":", 1_000));
        }
        Set<String> seen = new HashSet<>();
        List<Settlement> acks = List.of();
        for (int i = 0; i < 20_000 / JobClaims.BATCH; i++) {
            Reply reply = worker.exchange(0, JobClaims.BATCH, 1, List.of("mail"), acks);
            assertThat(reply.claimed()).hasSize(JobClaims.BATCH);
            seen.addAll(payloads(reply.claimed()));
            acks = reply.claimed().stream()
                    .map(job -> Settlement.done(job.token()))
                    .toList();
        }
        assertThat(worker.exchange(0, JobClaims.BATCH, 1, List.of("mail"), acks).claimed())
                .isEmpty();

        assertThat(seen).hasSize(20_000);
        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(20_000, 20_000, 0, 0, 0, 0, 0));
        assertThat(bed.redis.texts().get("stat:processed")).isEqualTo("20000");
    }

    @Test
    void takesNoMoreThanABatchWhateverIsWanted() {
        for (int i = 0; i < 6; i++) {
            bed.push("mail", jobs(i + ":", 1_000));
        }

        assertThat(worker.take(6_000, "mail")).hasSize(JobClaims.BATCH);
        assertThat(bed.redis.texts().llen("queue:mail")).isEqualTo(6_000 - JobClaims.BATCH);
    }

    @Test
    void looksThroughManyQueues() {
        String[] queues = jobs("q", 500);
        bed.push("q499", "a");

        assertThat(payloads(worker.take(5, queues))).containsExactly("a");
    }

    @Test
    @Tag("sidekiq-0.7")
    void leavesTheNameOfAQueueThatItEmptied() {
        bed.redis.texts().sadd("queues", "mail");
        bed.push("mail", "a");

        worker.take(1, "mail");

        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
    }
}
