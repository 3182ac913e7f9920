package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Beat;
import dev.jobs.leases.ProcessLeases.Fenced;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which process is given up and when, without waiting: a test makes a round due by removing its token. */
class RoundsIT {

    private static final int MISSES = ProcessLeases.ROUNDS;

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker a;
    private Worker b;

    @BeforeEach
    void twoProcesses() {
        bed.clear();
        a = bed.worker("a").join();
        b = bed.worker("b").join();
    }

    /** A beat that finds a round due. Returns the processes to be reaped. */
    private static List<String> round(Worker runner) {
        bed.letARoundBeDue();
        Beat beat = runner.beat();
        assertThat(beat).isInstanceOf(Alive.class);
        assertThat(bed.redis.texts().exists("jobs:round")).as("a round was run").isEqualTo(1);
        return ((Alive) beat).reap();
    }

    private static boolean runsARound(Worker worker) {
        worker.beat();
        return bed.redis.texts().exists("jobs:round") == 1;
    }

    @Test
    void givesUpAProcessAfterExactlySoManyMisses() {
        assertThat(MISSES).isEqualTo(6);
        b.beat();
        for (int round = 0; round < MISSES; round++) {
            assertThat(round(a)).isEmpty();
            assertThat(bed.redis.texts().hget("jobs:seen", "b")).isEqualTo("2:" + round * 3_334 + ":20000");
        }
        assertThat(round(a)).containsExactly("b");

        assertThat(bed.redis.texts().zscore("jobs:beats", "b")).isEqualTo(-1);
        assertThat(bed.redis.texts().hexists("jobs:seen", "b")).isFalse();
        assertThat(b.beat()).isInstanceOf(Fenced.class);
        assertThat(b.leases.register("b", Duration.ZERO)).isInstanceOf(Fenced.class);
        assertThat(((Alive) a.beat()).processes()).isEqualTo(1);
    }

    /** As after an eviction, or a deletion by hand: nobody has to search for its jobs. */
    @Test
    void givesUpAProcessThatIsMissingInBeatsAlthoughItWasSeen() {
        b.beat();
        round(a);
        bed.redis.texts().zrem("jobs:beats", "b");

        assertThat(round(a)).containsExactly("b");
        assertThat(bed.redis.texts().zscore("jobs:beats", "b")).isEqualTo(-1);
        assertThat(bed.redis.texts().hkeys("jobs:seen")).doesNotContain("b");
        assertThat(b.beat()).isInstanceOf(Fenced.class);
        assertThat(bed.leases().reap("b").finished()).isTrue();
        assertThat(round(a)).isEmpty();
    }

    @Test
    void forgivesAllMissesForOneBeat() {
        for (int round = 0; round < 4; round++) {
            for (int miss = 0; miss < MISSES; miss++) {
                assertThat(round(a)).isEmpty();
            }
            b.beat();
        }
        assertThat(b.beat()).isInstanceOf(Alive.class);
    }

    @Test
    void neverGivesUpAProcessByItsOwnBeat() {
        for (int i = 0; i < 5 * MISSES; i++) {
            assertThat(round(a)).doesNotContain("a");
        }
        assertThat(bed.redis.texts().zscore("jobs:beats", "a")).isEqualTo(5 * MISSES + 1);
    }

    @Test
    void runsNoRoundWhileTheLastOneIsFresh() {
        round(a);
        assertThat(bed.redis.texts().pttl("jobs:round")).isBetween(1L, 3_334L);
        for (int i = 0; i < 3 * MISSES; i++) {
            assertThat(((Alive) a.beat()).reap()).isEmpty();
        }
        assertThat(bed.redis.texts().hget("jobs:seen", "b")).isEqualTo("1:0:20000");
    }

    @Test
    void takesATokenForGoneThatLastsLongerThanOneWasEverSet() {
        round(a);
        bed.redis
                .texts()
                .set("jobs:round", "1", SetArgs.Builder.px(Duration.ofHours(1).toMillis()));
        a.beat();
        assertThat(bed.redis.texts().pttl("jobs:round")).isBetween(1L, 3_334L);
        bed.redis.texts().set("jobs:round", "1");
        a.beat();
        assertThat(bed.redis.texts().pttl("jobs:round")).isBetween(1L, 3_334L);
    }

    @Test
    void letsTheProcessOfTheLastRoundRunTheNextAfterOneBeat() {
        round(a);
        bed.letARoundBeDue();
        assertThat(runsARound(a)).isTrue();
    }

    @Test
    void letsOthersRunARoundOnlyAfterTwoBeats() {
        round(a);
        bed.letARoundBeDue();
        assertThat(runsARound(b)).isFalse();
        assertThat(runsARound(b)).isTrue();
        assertThat(bed.redis.texts().hget("jobs:seen", "#by")).isEqualTo("b");
    }

    /** As while somebody corrects the server's clock: the time until the next round is over at each beat. */
    @Test
    void givesUpNobodyBetweenTwoBeatsHoweverOftenTheServersClockJumps() {
        List<Worker> others = new ArrayList<>();
        for (int i = 0; i < 2 * MISSES; i++) {
            others.add(bed.worker("other" + i).join());
        }
        round(a);
        b.beat();
        for (Worker other : others) {
            bed.letARoundBeDue();
            assertThat(((Alive) other.beat()).reap()).isEmpty();
        }
        assertThat(b.beat()).as("its next beat").isInstanceOf(Alive.class);
    }

    @Test
    void letsANewcomerRunARoundAtOnce() {
        round(a);
        bed.letARoundBeDue();
        bed.worker("c").join();
        assertThat(bed.redis.texts().hget("jobs:seen", "#by")).isEqualTo("c");
    }

    /** All processes die young, so the misses must outlive the processes that counted them. */
    @Test
    void givesUpDeadProcessesThoughNoProcessLivesLong() {
        List<List<String>> reap = new ArrayList<>();
        for (int i = 0; i <= MISSES; i++) {
            bed.letARoundBeDue();
            reap.add(((Alive) bed.worker("newcomer" + i).leases.register("newcomer" + i, Duration.ZERO)).reap());
        }
        assertThat(reap.subList(0, MISSES - 1)).containsOnly(List.of());
        assertThat(reap.get(MISSES - 1))
                .as("a was seen in the round that it ran at its own start")
                .containsExactly("a");
        assertThat(reap.get(MISSES)).containsExactlyInAnyOrder("a", "b", "newcomer0");
    }

    @Test
    void handsOutTheGivenUpWithEveryRoundUntilTheyAreReaped() {
        bed.push("mail", "job");
        b.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "b");

        assertThat(round(a)).containsExactly("b");
        assertThat(((Alive) a.beat()).reap()).isEmpty();
        assertThat(round(a)).containsExactly("b");
        bed.leases().reap("b");
        assertThat(round(a)).isEmpty();
    }

    @Test
    void forgetsProcessesThatNoLongerExist() {
        round(a);
        bed.redis.texts().hset("jobs:seen", "stranger", "5:3");
        b.leases.leave("b");
        round(a);

        assertThat(bed.redis.texts().hkeys("jobs:seen")).containsExactlyInAnyOrder("#by", "#since", "#spacing", "a");
    }

    @Test
    void countsARepeatedRegistrationAsOneMoreBeat() {
        assertThat(a.leases.register("a", Duration.ZERO)).isInstanceOf(Alive.class);
        assertThat(bed.redis.texts().zscore("jobs:beats", "a")).isEqualTo(2);
    }

    @Test
    void fencesAProcessThatDidNotRegister() {
        assertThat(bed.worker("stranger").beat()).isInstanceOf(Fenced.class);
        assertThat(bed.redis.texts().zrange("jobs:beats", 0, -1)).containsExactly("a", "b");
    }

    @Test
    void answersWhatAProcessNeedsToKnow() {
        bed.push("mail", "x", "y", "z");
        a.take(2, "mail");

        Alive alive = (Alive) a.beat();

        assertThat(alive.held()).isEqualTo(2);
        assertThat(alive.processes()).isEqualTo(2);
        assertThat(alive.leader()).isEmpty();
        assertThat(alive.serverTime().getEpochSecond() + alive.serverTime().getNano() / 1e9)
                .isCloseTo(bed.now(), within(30.0));
    }

    private Worker withLease(String id, Duration lease) {
        return bed.worker(id, ScriptTestBed.LIMITS, new Timing(lease));
    }

    /** As in a deployment that changes the lease: no process has to wait until the others are gone. */
    @Test
    void letsAProcessWithAnotherLeaseInAtOnce() {
        Worker hasty = withLease("hasty", Duration.ofSeconds(4)).join();
        Worker patient = withLease("patient", Duration.ofMinutes(10)).join();

        assertThat(((Alive) a.beat()).processes()).isEqualTo(4);
        assertThat(hasty.beat()).isInstanceOf(Alive.class);
        assertThat(patient.beat()).isInstanceOf(Alive.class);
    }

    @Test
    void givesUpEachProcessByItsOwnLease() {
        withLease("hasty", Duration.ofSeconds(4)).join();
        withLease("patient", Duration.ofSeconds(40)).join();
        Map<String, Integer> roundsUntilGivenUp = new HashMap<>();
        round(a); // sees all of them for the first time
        for (int round = 1; roundsUntilGivenUp.size() < 3; round++) {
            for (String gone : round(a)) {
                roundsUntilGivenUp.putIfAbsent(gone, round);
            }
        }

        // A sixth of 4 s apart until the hasty one is gone, then a sixth of 20 s.
        assertThat(roundsUntilGivenUp)
                .isEqualTo(Map.of(
                        "hasty", 6,
                        "b", 6 + (20_000 - 6 * 667 + 3_333) / 3_334,
                        "patient", 6 + (40_000 - 6 * 667 + 3_333) / 3_334));
    }

    @Test
    void letsAllBeatAsOftenAsTheShortestLeaseWants() {
        round(a);
        assertThat(((Alive) a.beat()).beat()).isEqualTo(ScriptTestBed.TIMING.beat());
        Worker hasty = withLease("hasty", Duration.ofSeconds(12)).join();
        assertThat(bed.redis.texts().pttl("jobs:round")).isBetween(1L, 2_000L);
        assertThat(((Alive) a.beat()).beat()).isEqualTo(new Timing(Duration.ofSeconds(12)).beat());

        hasty.leases.leave("hasty");
        round(a);

        assertThat(((Alive) b.beat()).beat()).isEqualTo(ScriptTestBed.TIMING.beat());
    }

    @Test
    void learnsALeaseAnewThatWasForgotten() {
        round(a);
        bed.redis.texts().del("jobs:seen");
        a.beat();
        for (int round = 0; round <= MISSES; round++) {
            assertThat(round(a)).as("b's lease is not known").isEmpty();
        }
        b.beat();
        for (int round = 0; round <= MISSES; round++) {
            assertThat(round(a)).hasSize(round < MISSES ? 0 : 1);
        }
    }

    @Test
    void reportsSinceWhenItsDataExist() {
        String since = ((Alive) a.beat()).since();
        assertThat(since).isNotEmpty().isEqualTo(((Alive) b.beat()).since());
        assertThat(((Alive) bed.worker("c").leases.register("c", Duration.ZERO)).since())
                .isEqualTo(since);

        bed.clear();

        assertThat(a.beat()).isInstanceOf(Fenced.class);
        assertThat(((Alive) bed.worker("c").leases.register("c", Duration.ZERO)).since())
                .isNotEmpty()
                .isNotEqualTo(since);
    }

    @Test
    void runsARoundOverAThousandProcesses() {
        for (int i = 0; i < 1_000; i++) {
            bed.redis.texts().zadd("jobs:beats", 5, "p" + i);
            bed.redis.texts().hset("jobs:seen", "p" + i, ":0:20000");
        }
        for (int round = 0; round < MISSES; round++) {
            assertThat(round(a)).isEmpty();
        }
        assertThat(round(a)).hasSize(1_001).doesNotContain("a");
    }

    @Test
    void followsItsTimingFromTheLease() {
        Timing timing = new Timing(Duration.ofSeconds(20));
        assertThat(timing.beat()).isEqualTo(Duration.ofNanos(3_500_700_000L));
        assertThat(timing.round()).isEqualTo(Duration.ofMillis(3_334));
        assertThat(timing.fresh()).isEqualTo(Duration.ofSeconds(12));
        for (int seconds = 2; seconds <= 600; seconds++) {
            Timing each = new Timing(Duration.ofSeconds(seconds));
            assertThat(each.round().multipliedBy(MISSES)).isGreaterThanOrEqualTo(each.lease());
            assertThat(each.round().multipliedBy(MISSES - 2)).isGreaterThanOrEqualTo(each.fresh());
        }
    }
}
