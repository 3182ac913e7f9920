package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.sha1;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.leases.JobRecoveries;
import dev.jobs.leases.ProcessLeases.Poisoned;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to the jobs of processes that were given up. */
class ReapIT {

    private static final String PILL = "{\"jid\":\"pill\"}";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker victim;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        victim = bed.worker("victim").join();
    }

    private static void giveUp(String id) {
        bed.redis.texts().zadd("jobs:beats", -1, id);
    }

    /** A payload that outlived its worker this number of times, the last time this number of seconds ago. */
    private static void recovered(String payload, int times, long secondsAgo) {
        bed.redis.texts().hset("jobs:recovered", sha1(payload), Integer.toString(times));
        bed.redis.texts().zadd("jobs:recovered:times", bed.now() - secondsAgo, sha1(payload));
    }

    private Reaped crashWith(String payload) {
        bed.push("mail", payload);
        victim.takeOne("mail");
        giveUp("victim");
        return bed.leases().reap("victim");
    }

    private static void because(String payload, String reason) {
        new JobRecoveries(bed.connection, bed.keys)
                .because(bytes(payload), reason, Instant.now(), Duration.ofSeconds(60));
    }

    @Test
    void buriesAJobWithTheReasonThatItsWorkerGaveForItsEnd() {
        recovered(PILL, 2, 60);
        because(PILL, "java.lang.OutOfMemoryError: Java heap space");
        bed.push("mail", "{\"jid\":\"other\"}");
        victim.takeOne("mail");

        Reaped reaped = crashWith(PILL);

        Payload dead =
                Payload.parse(bytes(bed.redis.texts().zrange("dead", 0, -1).get(0)));
        assertThat(dead.text("jid")).isEqualTo("pill");
        assertThat(dead.text("error_class")).isEqualTo("java.lang.OutOfMemoryError");
        assertThat(dead.text("error_message"))
                .isEqualTo("Java heap space; its process ended, and the job outlived its workers too often");
        assertThat(reaped.poisoned()).singleElement().satisfies(poisoned -> assertThat(poisoned.payload())
                .isEqualTo(dead.bytes()));
        assertThat(bed.queue("mail")).containsExactly("{\"jid\":\"other\"}");
    }

    @Test
    void aJobThatMayRunAgainGoesBackByteForByteWhateverItsWorkerSaid() {
        because(PILL, "java.lang.OutOfMemoryError: Java heap space");

        crashWith(PILL);

        assertThat(bed.queue("mail")).containsExactly(PILL);
        assertThat(bed.redis.texts().hget("jobs:recovered", sha1(PILL))).isEqualTo("1");
    }

    @Test
    void forgetsAReasonLikeACount() {
        because(PILL, "java.lang.OutOfMemoryError: Java heap space");
        bed.redis.texts().zadd("jobs:recovered:times", 1, "why:" + sha1(PILL));

        crashWith("{\"jid\":\"other\"}");

        assertThat(bed.redis.texts().hkeys("jobs:recovered")).containsExactly(sha1("{\"jid\":\"other\"}"));
    }

    @Test
    @Tag("sidekiq-31")
    void putsJobsBackToBeTakenNextAndForgetsTheProcess() {
        bed.push("mail", "a", "b");
        bed.push("low", "c");
        victim.take(3, "mail", "low");
        bed.push("mail", "waiting");
        giveUp("victim");

        Reaped reaped = bed.leases().reap("victim");

        assertThat(reaped).isEqualTo(new Reaped(3, List.of(), 0, true));
        assertThat(bed.queue("mail")).hasSize(3).endsWith("waiting").contains("a", "b");
        assertThat(bed.queue("low")).containsExactly("c");
        assertThat(bed.redis.texts().smembers("queues")).containsExactlyInAnyOrder("mail", "low");
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(3, 0, 0, 0, 3, 0, 0));
        assertThat(bed.stored()).doesNotContainKeys("jobs:in:victim", "jobs:beats");
        assertThat(bed.redis.texts().hkeys("jobs:seen")).doesNotContain("victim");
    }

    @Test
    void forgetsAProcessThatHeldNothing() {
        bed.push("mail", "a");
        victim.take(1, "mail");
        victim.exchange(3, 1, 1, List.of("mail"), List.of(Settlement.done("0:1:1:mail")));
        giveUp("victim");

        assertThat(bed.leases().reap("victim")).isEqualTo(new Reaped(0, List.of(), 0, true));
        assertThat(bed.stored()).doesNotContainKeys("jobs:in:victim", "jobs:beats");
    }

    @Test
    void touchesNoProcessThatWasNotGivenUp() {
        bed.push("mail", "a");
        victim.take(1, "mail");
        SortedMap<String, Object> before = bed.stored();

        assertThat(bed.leases().reap("victim")).isEqualTo(new Reaped(0, List.of(), 0, true));
        assertThat(bed.leases().reap("stranger")).isEqualTo(new Reaped(0, List.of(), 0, true));
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void movesNothingTwiceWhenReapedTwice() {
        bed.push("mail", "a");
        victim.take(1, "mail");
        giveUp("victim");
        bed.leases().reap("victim");
        SortedMap<String, Object> after = bed.stored();

        assertThat(bed.leases().reap("victim").recovered()).isZero();
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void leavesTheVictimWhatItSettledBefore() {
        bed.push("mail", "a", "b");
        victim.take(2, "mail");
        giveUp("victim");
        Reply late = victim.settle(Settlement.done("0:1:1:mail"));

        assertThat(late.lateAcks()).isZero();
        assertThat(bed.leases().reap("victim").recovered()).isEqualTo(1);
        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(victim.settle(Settlement.done("0:1:2:mail")).lateAcks()).isEqualTo(1);
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(2, 1, 0, 0, 1, 0, 0));
    }

    @Test
    void handsOnThousandsOfJobsInHundreds() {
        Set<String> jobs = new HashSet<>();
        for (int batch = 0; batch < 50; batch++) {
            String[] some = new String[CallBounds.JOBS];
            for (int i = 0; i < some.length; i++) {
                some[i] = batch + ":" + i
                        + " and some more that makes it longer than a short entry may be, so the hash is a real one";
            }
            jobs.addAll(List.of(some));
            bed.push("mail", some);
            victim.take(CallBounds.JOBS, "mail");
        }
        giveUp("victim");

        int calls = 0;
        Reaped reaped;
        do {
            reaped = bed.leases().reap("victim");
            assertThat(reaped.recovered()).isBetween(1, 100);
            calls++;
        } while (!reaped.finished());

        assertThat(calls).isBetween(50, 125);
        List<String> back = bed.queue("mail");
        assertThat(back).hasSize(5_000);
        assertThat(new HashSet<>(back)).isEqualTo(jobs);
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(5_000, 0, 0, 0, 5_000, 0, 0));
    }

    @Test
    void handsOnASmallHashOfManyShortJobs() {
        String[] jobs = new String[120];
        for (int i = 0; i < jobs.length; i++) {
            jobs[i] = "j" + i;
        }
        bed.push("mail", jobs);
        victim.take(100, "mail");
        victim.take(20, "mail");
        giveUp("victim");

        assertThat(bed.leases().reap("victim")).isEqualTo(new Reaped(100, List.of(), 0, false));
        assertThat(bed.leases().reap("victim")).isEqualTo(new Reaped(20, List.of(), 0, true));
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder(jobs);
    }

    @Test
    void handsOnTheShortJobsBehindAHundredThatCannotGoBack() {
        String[] broken = new String[100];
        for (int i = 0; i < broken.length; i++) {
            broken[i] = "j" + i;
        }
        bed.push("broken", broken);
        bed.push("mail", "a", "b", "c");
        victim.take(100, "broken");
        victim.take(3, "mail");
        bed.redis.texts().set("queue:broken", "text");
        giveUp("victim");

        assertThat(bed.leases().reap("victim")).isEqualTo(new Reaped(3, List.of(), 100, false));
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bed.inFlight("victim").values()).containsExactlyInAnyOrder(broken);
    }

    @Test
    void leavesWhatCannotGoBackAndHandsOnAllElse() {
        List<String> broken = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            broken.add(i
                    + " is to stay, with enough text that the hash is a real one and comes in pages, not all at once");
        }
        bed.push("broken", broken.toArray(String[]::new));
        bed.push("mail", "a", "b", "c");
        for (int i = 0; i < 4; i++) {
            victim.take(100, "broken", "mail");
        }
        bed.redis.texts().set("queue:broken", "text");
        giveUp("victim");
        int requeued = 0;
        Reaped reaped;
        do {
            reaped = bed.leases().reap("victim");
            requeued += reaped.recovered();
        } while (reaped.recovered() > 0);

        assertThat(requeued).isEqualTo(3);
        assertThat(reaped.left()).isEqualTo(300);
        assertThat(reaped.finished()).isFalse();
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bed.books().conservationError()).isZero();
        bed.redis.texts().del("queue:broken");
        while (!bed.leases().reap("victim").finished()) {
            assertThat(bed.inFlight("victim")).isNotEmpty();
        }
        assertThat(bed.queue("broken")).containsExactlyInAnyOrderElementsOf(broken);
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(303, 0, 0, 0, 303, 0, 0));
    }

    @Test
    void handsOnTheJobsBesideAnInvalidEntry() {
        bed.push("mail", "a");
        victim.take(1, "mail");
        bed.redis.texts().hset("jobs:in:victim", "0:9:9", "no queue");
        giveUp("victim");

        Reaped reaped = bed.leases().reap("victim");

        assertThat(reaped.finished()).isTrue();
        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.members("dead")).containsExactly("no queue");
    }

    @Test
    void countsHowOftenAJobOutlivedItsWorker() {
        double before = bed.now();
        crashWith(PILL);

        assertThat(bed.redis.texts().hgetall("jobs:recovered")).isEqualTo(Map.of(sha1(PILL), "1"));
        assertThat(bed.redis.texts().zscore("jobs:recovered:times", sha1(PILL)))
                .isBetween(before - 1e-3, bed.now() + 1e-3);
        assertThat(bed.worker("next").join().takeOne("mail").recoveries()).isEqualTo(1);
    }

    @Test
    void buriesAJobTheThirdTime() {
        for (int i = 1; i <= 2; i++) {
            Worker next = bed.worker("w" + i).join();
            if (i == 1) {
                bed.push("mail", PILL);
            }
            next.takeOne("mail");
            giveUp("w" + i);
            assertThat(bed.leases().reap("w" + i).recovered()).isEqualTo(1);
        }
        victim.takeOne("mail");
        giveUp("victim");
        double before = bed.now();

        Reaped reaped = bed.leases().reap("victim");

        assertThat(reaped.recovered()).isZero();
        assertThat(reaped.finished()).isTrue();
        assertThat(reaped.poisoned()).singleElement().satisfies(job -> {
            assertThat(job.queue()).isEqualTo("mail");
            assertThat(text(job.payload())).isEqualTo(PILL);
            assertThat(job.discarded()).isFalse();
        });
        assertThat(bed.redis.texts().zscore("dead", PILL)).isBetween(before - 1e-3, bed.now() + 1e-3);
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(3, 0, 0, 0, 2, 1, 0));
    }

    @Test
    void buriesWhatCannotBeParsedAsItIs() {
        String garbage = "\u0000\n\u00ff not JSON";
        recovered(garbage, 2, 0);

        assertThat(crashWith(garbage).poisoned()).hasSize(1);
        assertThat(bed.members("dead")).containsExactly(garbage);
    }

    @Test
    void discardsAPillThatMustNotGoToTheDeadSet() {
        String discarded = "{\"jid\":\"x\",\"dead\":false}";
        recovered(discarded, 2, 0);

        Reaped reaped = crashWith(discarded);

        assertThat(reaped.poisoned()).extracting(Poisoned::discarded).containsExactly(true);
        assertThat(bed.members("dead")).isEmpty();
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 0, 0, 0, 1, 0));
    }

    @Test
    void trimsTheDeadSet() {
        recovered(PILL, 2, 0);
        bed.redis.texts().zadd("dead", bed.now() - 7_200, "expired");
        bed.redis.texts().zadd("dead", bed.now() - 60, "old");
        bed.redis.texts().zadd("dead", bed.now() - 30, "newer");
        bed.push("mail", PILL);
        victim.takeOne("mail");
        giveUp("victim");

        bed.leases(new DeadSetBounds(3, Duration.ofHours(1)), ScriptTestBed.TIMING)
                .reap("victim");

        assertThat(bed.members("dead")).containsExactly("newer", PILL);
    }

    @Test
    void forgetsRecoveriesAfterThreeDays() {
        recovered(PILL, 2, Duration.ofHours(73).toSeconds());
        recovered("other", 1, Duration.ofHours(71).toSeconds());

        assertThat(crashWith(PILL).recovered()).isEqualTo(1);
        assertThat(bed.redis.texts().hgetall("jobs:recovered")).isEqualTo(Map.of(sha1(PILL), "1", sha1("other"), "1"));
        assertThat(bed.redis.texts().zcard("jobs:recovered:times")).isEqualTo(2);
    }

    @Test
    void forgetsManyExpiredRecoveriesAHundredAtATime() {
        for (int i = 0; i < 250; i++) {
            recovered("old" + i, 1, Duration.ofHours(100).toSeconds());
        }
        crashWith("a");
        assertThat(bed.redis.texts().hlen("jobs:recovered")).isEqualTo(151);
    }

    @Test
    void forgetsAllRecoveriesOnceNoneHasHappenedForThreeDays() {
        crashWith(PILL);

        for (String key : List.of("jobs:recovered", "jobs:recovered:times")) {
            assertThat(bed.redis.texts().ttl(key))
                    .as("seconds that %s is kept", key)
                    .isBetween(
                            Duration.ofHours(71).toSeconds(),
                            Duration.ofHours(72).toSeconds());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 257, 10_000})
    void aJobOfAnyLengthThatOutlivedItsWorkerTwiceIsTheOnlySuspectThatRuns(int length) {
        String job = PILL + " ".repeat(length - PILL.length());
        crashWith(job);
        bed.worker("second").join().takeOne("mail");
        giveUp("second");
        bed.leases().reap("second");
        Worker next = bed.worker("next").join();

        assertThat(next.exchange(0, 1, 0, List.of("mail"), List.of()).claimed())
                .as("beside another suspect")
                .isEmpty();
        assertThat(next.exchange(0, 1, 1, List.of("mail"), List.of()).claimed())
                .singleElement()
                .satisfies(claimed -> assertThat(claimed.recoveries()).isEqualTo(2));
    }

    /** Hashing a payload takes longer than all other work for it. */
    @Test
    void hashesNoJobThatIsUnlikeAllRecoveredOnes() {
        String big = "{\"class\":\"Report\",\"args\":[\"" + "x".repeat(10_000) + "\"],\"jid\":\"%s\"}";
        crashWith(big.formatted("crashed"));
        Worker next = bed.worker("next").join();
        assertThat(next.takeOne("mail").recoveries()).isEqualTo(1);
        bed.push("mail", big.formatted("another"), big.formatted("a third"));
        bed.redis.texts().configResetstat();

        assertThat(next.take(2, "mail"))
                .extracting(JobClaims.Claimed::recoveries)
                .containsExactly(0, 0);

        assertThat(bed.redis.texts().info("commandstats"))
                .as("one lookup, of the last claim, and none of a hash")
                .contains("cmdstat_hget:calls=1,")
                .contains("cmdstat_hexists:calls=2,");
    }

    @Test
    void recoversWithoutCountsWhereTheyCannotBeKept() {
        bed.redis.texts().set("jobs:recovered", "text");

        assertThat(crashWith(PILL).recovered()).isEqualTo(1);
        assertThat(bed.queue("mail")).containsExactly(PILL);
    }

    @Test
    void putsAPillBackWhileTheDeadSetIsNone() {
        recovered(PILL, 2, 0);
        bed.redis.texts().set("dead", "text");

        assertThat(crashWith(PILL)).isEqualTo(new Reaped(1, List.of(), 0, true));
        assertThat(bed.queue("mail")).containsExactly(PILL);
    }

    @LongTest
    @Test
    void findsTheJobsOfUnknownOwners() {
        int strangers = 1_100; // more than one page of a scan
        bed.redis.pipeline(
                strangers,
                (texts, i) -> texts.hset("jobs:in:p" + i, Map.of("#0", "1\n1 mail", "0:1:1:mail", "job" + i)));
        bed.push("mail", "own");
        victim.take(1, "mail");

        assertThat(bed.condemnUnknown()).isEqualTo(strangers);
        assertThat(bed.leases().givenUp()).hasSize(strangers).doesNotContain("victim");
        assertThat(bed.condemnUnknown()).isZero();
        bed.leases()
                .givenUp()
                .forEach(gone -> assertThat(bed.leases().reap(gone).finished()).isTrue());
        assertThat(bed.queue("mail")).hasSize(strangers);
        assertThat(bed.inFlight("victim")).hasSize(1);
    }
}
