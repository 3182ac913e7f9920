package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.DAY;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.jobs.lists.JobQueues;
import dev.jobs.lists.Ledger;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SettlementIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    private Claimed claimed(String payload) {
        bed.push("mail", payload);
        return worker.takeOne("mail");
    }

    /** Every kind of settlement of a token. */
    static Stream<Function<String, Settlement>> kinds() {
        return Stream.of(
                Settlement::done,
                Settlement::discarded,
                token -> Settlement.retried(token, Duration.ofSeconds(90), bytes("changed")),
                token -> Settlement.dead(token, bytes("changed"), true),
                token -> Settlement.dead(token, bytes("changed"), false),
                token -> Settlement.handedBack(token, "mail", true),
                token -> Settlement.handedBack(token, "mail", false),
                token -> Settlement.handedBack(token, "mail", true).with(bytes("changed")),
                token -> Settlement.interrupted(token, "mail", bytes("changed")),
                token -> Settlement.notBegun(token, "mail", bytes("changed")),
                token -> Settlement.postponed(token, Duration.ofSeconds(90), bytes("changed")),
                token -> bed.end(token, "jid"));
    }

    private static Map<String, String> counters() {
        Map<String, String> counters = new TreeMap<>();
        for (String name : List.of("stat:processed", "stat:failed", "stat:processed:" + DAY, "stat:failed:" + DAY)) {
            String value = bed.redis.texts().get(name);
            if (value != null) {
                counters.put(name, value);
            }
        }
        return counters;
    }

    private static Map<String, String> counted(int processed, int failed) {
        Map<String, String> counters = new TreeMap<>();
        for (String end : List.of("", ":" + DAY)) {
            if (processed > 0) {
                counters.put("stat:processed" + end, Integer.toString(processed));
            }
            if (failed > 0) {
                counters.put("stat:failed" + end, Integer.toString(failed));
            }
        }
        return counters;
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-10")
    @Tag("sidekiq-15")
    void forgetsADoneJobAndCountsIt() {
        Reply reply = worker.settle(Settlement.done(claimed("a").token()));

        assertThat(reply).isEqualTo(new Reply(Status.OK, 0, List.of(), 0, List.of(), List.of(), null));
        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(counters()).isEqualTo(counted(1, 0));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 1, 0, 0, 0, 0, 0));
        long fiveYears = 5L * 365 * 24 * 60 * 60;
        assertThat(bed.redis.texts().ttl("stat:processed:" + DAY)).isBetween(fiveYears - 60, fiveYears);
        assertThat(bed.redis.texts().ttl("stat:processed")).isEqualTo(-1);
    }

    @Test
    void theNumbersOfADayEndThoughSeveralJobsWereTheFirst() {
        long fiveYears = 5L * 365 * 24 * 60 * 60;

        worker.settle(
                Settlement.discarded(claimed("a").token()),
                Settlement.discarded(claimed("b").token()));

        for (String numbers : List.of("stat:processed:" + DAY, "stat:failed:" + DAY)) {
            assertThat(bed.redis.texts().get(numbers)).isEqualTo("2");
            assertThat(bed.redis.texts().ttl(numbers)).isBetween(fiveYears - 60, fiveYears);
        }
    }

    @Test
    void forgetsADroppedJobAndCountsAFailure() {
        worker.settle(Settlement.discarded(claimed("a").token()));

        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(counters()).isEqualTo(counted(1, 1));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 1, 0, 0, 0, 0, 0));
    }

    @Test
    @Tag("sidekiq-0.2")
    @Tag("sidekiq-2")
    @Tag("sidekiq-10")
    void putsAFailedJobIntoTheRetrySetByTheServersClock() {
        String token = claimed("a").token();
        double before = bed.now();
        Reply reply = worker.settle(Settlement.retried(token, Duration.ofMillis(90_250), bytes("changed")));

        assertThat(reply.moves()).containsExactly(1);
        assertThat(bed.redis.texts().zscore("retry", "changed"))
                .isGreaterThanOrEqualTo(before + 90.25 - 1e-5)
                .isLessThan(bed.now() + 90.25 + 1e-5);
        assertThat(counters()).isEqualTo(counted(1, 1));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void writesDelaysThatLuaCanReadInEveryLanguage() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            worker.settle(Settlement.retried(claimed("a").token(), Duration.ofMillis(1_500), bytes("a")));
        } finally {
            Locale.setDefault(before);
        }
        assertThat(bed.redis.texts().zscore("retry", "a")).isCloseTo(bed.now() + 1.5, within(5.0));
    }

    @Test
    @Tag("sidekiq-12")
    void buriesAJob() {
        String token = claimed("a").token();
        double before = bed.now();
        worker.settle(Settlement.dead(token, bytes("changed"), true));

        assertThat(bed.redis.texts().zscore("dead", "changed")).isBetween(before - 1e-5, bed.now() + 1e-5);
        assertThat(counters()).isEqualTo(counted(1, 1));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    @Tag("sidekiq-15")
    void countsNothingForWhatWasNoJob() {
        worker.settle(Settlement.dead(claimed("a").token(), bytes("a"), false));

        assertThat(bed.members("dead")).containsExactly("a");
        assertThat(counters()).isEmpty();
    }

    @Test
    @Tag("sidekiq-0.13")
    @Tag("sidekiq-12")
    void trimsTheDeadSetByAgeAndNumber() {
        Worker strict = bed.worker("one", new DeadSetBounds(4, Duration.ofHours(1)), ScriptTestBed.TIMING);
        double now = bed.now();
        bed.redis.texts().zadd("dead", now - 3_700, "expired");
        bed.redis.texts().zadd("dead", now - 3_000, "oldest");
        bed.redis.texts().zadd("dead", now - 2_000, "older");
        bed.redis.texts().zadd("dead", now - 1_000, "old");
        bed.push("mail", "a", "b");
        strict.take(2, "mail");

        Reply reply = strict.settle(
                Settlement.dead("0:1:1:mail", bytes("a"), true), Settlement.dead("0:1:2:mail", bytes("b"), true));

        assertThat(reply.trimmed()).isEqualTo(3);
        assertThat(bed.members("dead")).containsExactly("old", "a", "b");
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-14")
    void handsBackTheClaimedBytesToBeTakenNext() {
        bed.push("mail", "a", "b", "c");
        worker.take(2, "mail");

        Reply reply = worker.settle(
                Settlement.handedBack("0:1:2:mail", "mail", false), Settlement.handedBack("0:1:1:mail", "mail", true));

        assertThat(reply.moves()).containsExactly(1, 1);
        assertThat(bed.queue("mail")).containsExactly("a", "b", "c");
        assertThat(counters()).isEqualTo(counted(1, 1));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(2, 0, 0, 2, 0, 0, 0));
    }

    @Test
    void handsBackOtherBytesToBeTakenNext() {
        bed.push("mail", "a", "b", "c");
        worker.take(2, "mail");

        Reply reply = worker.settle(
                Settlement.handedBack("0:1:2:mail", "mail", false),
                Settlement.handedBack("0:1:1:mail", "mail", true).with(bytes("changed")));

        assertThat(reply.moves()).containsExactly(1, 1);
        assertThat(bed.queue("mail")).containsExactly("changed", "b", "c");
        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(2, 0, 0, 2, 0, 0, 0));
    }

    @Test
    void listsAQueueAgainThatWasClearedBeforeItsJobsWereHandedBack() {
        bed.push("mail", "a", "b", "c");
        worker.take(2, "mail");
        assertThat(bed.clearing(EffectSource.NONE).clear("mail")).isEqualTo(1);
        assertThat(new JobQueues(bed.connection, bed.keys).names()).isEmpty();

        worker.settle(
                Settlement.handedBack("0:1:2:mail", "mail", false), Settlement.handedBack("0:1:1:mail", "mail", true));

        assertThat(bed.queue("mail")).containsExactly("a", "b");
        assertThat(new JobQueues(bed.connection, bed.keys).names()).containsExactly("mail");
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-10")
    void putsAnInterruptedJobToTheBackOfItsQueueAndMakesTheQueueKnown() {
        bed.push("mail", "a", "b");
        worker.take(1, "mail");

        worker.settle(Settlement.interrupted("0:1:1:mail", "mail", bytes("changed")));

        assertThat(bed.queue("mail")).containsExactly("b", "changed");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(counters()).isEqualTo(counted(1, 1));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void putsAJobThatHasNotBegunToTheBackOfItsQueueAndCountsNoExecution() {
        bed.push("mail", "a", "b");
        worker.take(1, "mail");

        worker.settle(Settlement.notBegun("0:1:1:mail", "mail", bytes("changed")));

        assertThat(bed.queue("mail")).containsExactly("b", "changed");
        assertThat(counters()).isEqualTo(counted(0, 0));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void postponesAJobThatWasNotRunToTheScheduledSetAndCountsNoExecution() {
        String token = claimed("a").token();

        worker.settle(Settlement.postponed(token, Duration.ofSeconds(90), bytes("changed")));

        assertThat(bed.members("schedule")).containsExactly("changed");
        assertThat(bed.redis.texts().zscore(bed.key("schedule"), "changed"))
                .isBetween(bed.now() + 80.0, bed.now() + 90.0);
        assertThat(counters()).isEqualTo(counted(0, 0));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    @Tag("sidekiq-18")
    void forgetsAnIterationWithItsJob() {
        String token = claimed("a").token();
        bed.redis.texts().hset("it-j1", "c", "7");
        bed.redis.texts().hset("it-j2", "c", "8");

        Reply reply = worker.settle(bed.end(token, "j1"));

        assertThat(reply.moves()).containsExactly(1);
        assertThat(bed.redis.texts().exists("it-j1")).isZero();
        assertThat(bed.redis.texts().exists("it-j2")).isEqualTo(1);
        assertThat(counters()).isEqualTo(counted(1, 0));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 1, 0, 0, 0, 0, 0));
    }

    @Test
    @Tag("sidekiq-18")
    void leavesTheIterationOfAJobThatIsSomeoneElsesByNow() {
        bed.redis.texts().hset("it-j1", "c", "7");

        Reply reply = worker.settle(bed.end("0:9:9:mail", "j1"));

        assertThat(reply.moves()).containsExactly(0);
        assertThat(bed.redis.texts().hget("it-j1", "c")).isEqualTo("7");
    }

    @Test
    @Tag("sidekiq-18")
    void endsIterationsBesideJobsThatGoToQueues() {
        bed.push("mail", "a", "b", "c", "d");
        worker.take(4, "mail");
        bed.redis.texts().hset("it-j1", "c", "7");
        bed.redis.texts().hset("it-j2", "c", "8");

        Reply reply = worker.exchange(
                0,
                1,
                1,
                List.of("low", "mail"),
                List.of(
                        bed.end("0:1:1:mail", "j1"),
                        Settlement.interrupted("0:1:2:mail", "other", bytes("changed")),
                        bed.end("0:1:3:mail", "j2"),
                        Settlement.handedBack("0:1:4:mail", "mail", true)));

        assertThat(reply.moves()).containsExactly(1, 1, 1, 1);
        assertThat(payloads(reply.claimed())).containsExactly("d");
        assertThat(reply.claimed()).extracting(Claimed::queue).containsExactly("mail");
        assertThat(bed.queue("other")).containsExactly("changed");
        assertThat(bed.redis.texts().keys("it-*")).isEmpty();
        assertThat(bed.redis.texts().smembers("queues")).containsExactlyInAnyOrder("mail", "other");
    }

    @Test
    void claimsInTheSameStepAlsoWhatWasJustHandedBack() {
        bed.push("mail", "a", "b");
        bed.push("low", "c");
        worker.take(2, "mail");

        Reply reply = worker.exchange(
                0,
                5,
                1,
                List.of("low", "mail"),
                List.of(Settlement.done("0:1:1:mail"), Settlement.handedBack("0:1:2:mail", "mail", true)));

        assertThat(payloads(reply.claimed())).containsExactly("c", "b");
        assertThat(bed.inFlight("one")).isEqualTo(Map.of("0:2:1:low", "c", "0:2:2:mail", "b"));
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(4, 1, 0, 1, 0, 0, 2));
    }

    @Test
    void settlesAHundredInOneStep() {
        List<Function<String, Settlement>> kinds = kinds().toList();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < CallBounds.JOBS; i++) {
            all.add("job" + i);
        }
        bed.push("mail", all.toArray(String[]::new));
        List<Settlement> settlements = new ArrayList<>();
        for (Claimed job : worker.take(CallBounds.JOBS, "mail")) {
            settlements.add(kinds.get(settlements.size() % kinds.size()).apply(job.token()));
        }

        Reply reply = worker.settle(settlements.toArray(Settlement[]::new));

        assertThat(reply.lateAcks()).isZero();
        assertThat(reply.moves()).hasSize(91).containsOnly(1);
        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(100, 26, 50, 24, 0, 0, 0));
        assertThat(counters()).isEqualTo(counted(68, 51));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void hasNoEffectWhenRepeatedUnderItsNumber(Function<String, Settlement> kind) {
        worker.settle(kind.apply(claimed("a").token()));
        SortedMap<String, Object> after = bed.stored();

        Reply again = worker.repeat(worker.last());

        assertThat(again.status()).isEqualTo(Status.REPLAY);
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void whatWasRefusedIsToldAgainWhenRepeated() {
        bed.redis.texts().set("retry", "text");
        String refused = claimed("a").token();
        String dead = claimed("b").token();
        String ended = claimed("c").token();
        Settlement end = Settlement.discarded(ended).with(List.of(Effect.unlink(bytes("gone"))));
        Reply first = worker.settle(
                Settlement.retried(refused, Duration.ZERO, bytes("a")), Settlement.dead(dead, bytes("b"), true), end);
        assertThat(first.moves()).contains(-1).hasSize(3);

        Reply again = worker.repeat(worker.last());

        assertThat(again.status()).isEqualTo(Status.REPLAY);
        assertThat(again.moves()).isEqualTo(first.moves());
        assertThat(bed.inFlight("one")).containsOnlyKeys(refused);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void isRefusedTheSecondTime(Function<String, Settlement> kind) {
        String token = claimed("a").token();
        worker.settle(Settlement.done(token));
        SortedMap<String, Object> after = bed.stored();

        Reply second = worker.settle(kind.apply(token));

        assertThat(second.lateAcks()
                        + second.moves().stream().filter(result -> result == 0).count())
                .isEqualTo(1);
        assertThat(without("jobs:in:one", bed.stored())).isEqualTo(without("jobs:in:one", after));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void isRefusedForATokenOfAnotherProcess(Function<String, Settlement> kind) {
        String token = claimed("a").token();
        Worker other = bed.worker("other").join();
        SortedMap<String, Object> before = bed.stored();

        Reply foreign = other.settle(kind.apply(token));

        assertThat(foreign.lateAcks()
                        + foreign.moves().stream().filter(result -> result == 0).count())
                .isEqualTo(1);
        assertThat(without("jobs:in:other", bed.stored())).isEqualTo(before);
        assertThat(bed.books().conservationError()).isZero();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void worksForAProcessThatWasGivenUpAndNotYetReaped(Function<String, Settlement> kind) {
        String token = claimed("a").token();
        bed.redis.texts().zadd("jobs:beats", -1, "one");

        Reply reply = worker.settle(kind.apply(token));

        assertThat(reply.status()).isEqualTo(Status.FENCED);
        assertThat(reply.lateAcks()).isZero();
        assertThat(reply.moves()).doesNotContain(0);
        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.leases().reap("one").finished()).isTrue();
        assertThat(bed.stored()).doesNotContainKeys("jobs:in:one", "jobs:beats");
    }

    @Test
    void refusesAnUnknownTokenAmongGoodOnes() {
        bed.push("mail", "a", "b", "c");
        worker.take(3, "mail");

        Reply reply = worker.settle(
                Settlement.done("0:1:1:mail"),
                Settlement.done("0:9:9:mail"),
                Settlement.handedBack("0:1:2:mail", "mail", false),
                Settlement.dead("7:7:7:mail", bytes("x"), true),
                Settlement.retried("0:1:3:mail", Duration.ZERO, bytes("c")));

        assertThat(reply.lateAcks()).isEqualTo(1);
        assertThat(reply.moves()).containsExactly(1, 0, 1);
        assertThat(bed.members("dead")).isEmpty();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(3, 1, 1, 1, 0, 0, 0));
    }

    private static SortedMap<String, Object> without(String key, SortedMap<String, Object> stored) {
        SortedMap<String, Object> rest = new TreeMap<>(stored);
        rest.remove(key);
        return rest;
    }
}
