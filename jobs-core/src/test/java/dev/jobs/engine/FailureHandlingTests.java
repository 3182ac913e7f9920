package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.assembly.RunParts;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.JobClaims;
import dev.jobs.store.Settlement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a failed job, without Redis. */
class FailureHandlingTests {

    private static final Instant NOW = Instant.ofEpochMilli(1_795_237_645_739L);

    /** Draws the highest number that may be drawn. */
    private static final RandomGenerator HIGHEST = new RandomGenerator() {
        @Override
        public long nextLong() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            Arrays.fill(bytes, (byte) 0xab);
        }
    };

    private static FailureHandling failureHandling(RetryPolicy... policies) {
        return failureHandling(JobHooks.none().with(RetryPolicy.class, List.of(policies)));
    }

    private static FailureHandling failureHandling(JobHooks hooks) {
        return new FailureHandling(
                hooks, 25, PayloadTimes.MILLISECONDS, Clock.fixed(NOW, ZoneOffset.UTC), HIGHEST, RunParts.notes());
    }

    private static Outcome decide(String payload, RetryPolicy... policies) {
        return decide(payload, JobHooks.none().with(RetryPolicy.class, List.of(policies)));
    }

    private static Outcome decide(String payload, JobHooks hooks) {
        return failureHandling(hooks)
                .decide(
                        Payload.parse(payload.getBytes(UTF_8)),
                        "default",
                        true,
                        new IllegalStateException("boom"),
                        true);
    }

    private static Duration delay(Outcome outcome) {
        return ((FailedOutcome.Retried) outcome).delay();
    }

    @ParameterizedTest
    @CsvSource({"0,15", "1,16", "2,31", "3,96", "4,271", "5,640", "6,1311", "7,2416", "8,4111", "9,6576", "23,279856"})
    @Tag("sidekiq-0.12")
    @Tag("sidekiq-11.2")
    void theDelayIsCountToTheFourthPlus15AndTheJitterBelow10TimesTheNumberOfFailures(int count, long seconds) {
        String before = count == 0 ? "" : ",\"retry_count\":" + (count - 1);
        long jitter = 10L * (count + 1) - 1;
        assertThat(delay(decide("{\"retry\":true" + before + "}"))).isEqualTo(Duration.ofSeconds(seconds + jitter));
    }

    @Test
    @Tag("sidekiq-0.12")
    @Tag("sidekiq-11.2")
    void jitterIsAddedToADelayOfAPolicyToo() {
        Outcome outcome = decide("{\"retry\":true}", (payload, count, e) -> Decision.retryIn(Duration.ofSeconds(100)));
        assertThat(delay(outcome)).isEqualTo(Duration.ofSeconds(109));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-5S", "PT0.9S"})
    @Tag("sidekiq-11.3")
    void lessThanASecondMeansTheDefaultDelay(Duration delay) {
        Outcome outcome = decide("{\"retry\":true}", (payload, count, e) -> Decision.retryIn(delay));
        assertThat(delay(outcome)).isEqualTo(Duration.ofSeconds(24));
    }

    @Test
    void anExactDelayHasNoJitterAndNoLeast() {
        assertThat(delay(decide(
                        "{\"retry\":true}", (payload, count, e) -> Decision.retryAfter(Duration.ofMillis(1_500)))))
                .isEqualTo(Duration.ofMillis(1_500));
        assertThat(delay(decide("{\"retry\":true}", (payload, count, e) -> Decision.retryAfter(Duration.ofMillis(-1)))))
                .isZero();
    }

    @Test
    void aDecisionMayNameWhoMadeIt() {
        assertThat(decidedBy(Decision.retryAfter(Duration.ofSeconds(5)).by("the shop")))
                .isEqualTo("the shop");
        assertThat(decidedBy(
                        Decision.retryIn(Duration.ofSeconds(5)).by("the shop").by("the caller")))
                .isEqualTo("the shop");
        assertThat(decidedBy(Decision.kill().by("the shop"))).isEqualTo("the shop");
        assertThat(decidedBy(Decision.discard().by("the shop"))).isEqualTo("the shop");
        assertThat(decidedBy(Decision.kill())).isNull();
        assertThat(decidedBy(null)).isNull();
    }

    @Test
    void aNamedDecisionIsTheSameDecision() {
        assertThat(delay(decide("{\"retry\":true}", (job, count, e) -> Decision.retryIn(Duration.ofSeconds(100))
                        .by("the shop"))))
                .isEqualTo(Duration.ofSeconds(109));
        assertThat(decide("{\"retry\":true}", (job, count, e) -> Decision.kill().by("the shop")))
                .isInstanceOf(FailedOutcome.Dead.class);
        assertThat(decide("{\"retry\":true,\"dead\":false}", (job, count, e) -> Decision.kill()
                        .by("the shop")))
                .isInstanceOf(FailedOutcome.Discarded.class);
        assertThat(decide("{\"retry\":true}", (job, count, e) -> Decision.discard()
                        .by("the shop")))
                .isInstanceOf(FailedOutcome.Discarded.class);
    }

    @Test
    void aDecisionOfAPolicyIsNamedOnce() {
        Decision twice = new RetryPolicy.By(new RetryPolicy.By(Decision.kill(), "the shop"), "the caller");

        assertThat(decide("{\"retry\":true}", (job, count, e) -> twice)).isInstanceOf(FailedOutcome.Dead.class);
        assertThat(decidedBy(twice)).isEqualTo("the caller");
    }

    /** A delay that a policy computes from nothing is its own failure, and none of the engine's. */
    @ParameterizedTest
    @MethodSource
    void aDecisionWithoutItsValueIsNoDecision(RetryPolicy policy) {
        List<Throwable> reported = new ArrayList<>();
        JobErrorHandler errors = (error, context, payload) -> {
            assertThat(context).isEqualTo("A retry policy failed and is ignored");
            reported.add(error);
        };
        RetryPolicy next = (payload, count, failure) -> Decision.retryAfter(Duration.ofSeconds(7));
        JobHooks hooks =
                JobHooks.none().with(RetryPolicy.class, List.of(policy, next)).with(JobErrorHandler.class, errors);

        assertThat(delay(decide("{\"retry\":true}", hooks))).isEqualTo(Duration.ofSeconds(7));
        assertThat(reported).singleElement().isInstanceOf(NullPointerException.class);
    }

    @SuppressWarnings("NullAway") // as in code without it
    static List<RetryPolicy> aDecisionWithoutItsValueIsNoDecision() {
        return List.of(
                (payload, count, failure) -> Decision.retryAfter(null),
                (payload, count, failure) -> Decision.retryIn(null),
                (payload, count, failure) -> Decision.kill().by(null),
                (payload, count, failure) -> new RetryPolicy.By(null, "the shop"));
    }

    @Test
    void noDelayOfAPolicyIsLongerThanARuleMaySay() {
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        Duration longest = Duration.ofSeconds(1_000_000_000);

        assertThat(delay(decide("{\"retry\":true}", (payload, count, e) -> Decision.retryAfter(endless))))
                .isEqualTo(longest);
        assertThat(delay(decide("{\"retry\":true}", (payload, count, e) -> Decision.retryIn(endless))))
                .isEqualTo(longest.plusSeconds(9));
    }

    @Test
    void noPolicyIsAskedOnceRetriesAreUsedUp() {
        List<Integer> asked = new ArrayList<>();
        RetryPolicy noting = (payload, count, failure) -> {
            asked.add(count);
            return null;
        };

        decide("{\"retry\":0}", noting);
        decide("{\"retry\":3,\"retry_count\":2}", noting);
        assertThat(asked).isEmpty();

        decide("{\"retry\":3,\"retry_count\":1}", noting);
        assertThat(asked).containsExactly(2);
    }

    private static String decidedBy(Decision decision) {
        return ((FailedOutcome) decide("{\"retry\":true}", (payload, count, e) -> decision)).decidedBy();
    }

    @Test
    @Tag("sidekiq-11.3")
    void theFirstPolicyThatDecidesWinsAndOneThatThrowsDecidesNothing() {
        Outcome outcome = decide(
                "{\"retry\":true}",
                (payload, count, e) -> null,
                (payload, count, e) -> {
                    throw new IllegalStateException();
                },
                (payload, count, e) -> Decision.kill(),
                (payload, count, e) -> Decision.discard());
        assertThat(outcome).isInstanceOf(FailedOutcome.Dead.class);
    }

    @ParameterizedTest
    @CsvSource({
        "true,23,true",
        "true,24,false",
        "3,1,true",
        "3,2,false",
        "0,,false",
        "-1,,false",
        "'\"5\"',23,true",
        "2.5,23,true",
        "'\"5\"',24,false",
        "99999999999999999999,1000,true"
    })
    @Tag("sidekiq-0.5")
    @Tag("sidekiq-0.11")
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.1")
    void theLimitIsTheNumberOrTheDefault(String retry, Long countBefore, boolean retried) {
        String count = countBefore == null ? "" : ",\"retry_count\":" + countBefore;
        Outcome outcome = decide("{\"retry\":" + retry + count + "}");
        assertThat(outcome).isInstanceOf(retried ? FailedOutcome.Retried.class : FailedOutcome.Dead.class);
    }

    @ParameterizedTest
    @CsvSource({
        // failed_at, retry_for, retried: integers are milliseconds, decimals seconds
        "1795237645738,60,true",
        "1795237585740,60,true",
        "1795237585738,60,false",
        "1795237645.0,60,true",
        "1795237000.5,60,false"
    })
    @Tag("sidekiq-4")
    @Tag("sidekiq-5")
    @Tag("sidekiq-11.4")
    void retryForReplacesTheNumberOfRetries(String failedAt, long window, boolean retried) {
        Outcome outcome =
                decide("{\"retry\":0,\"retry_for\":" + window + ",\"retry_count\":40,\"failed_at\":" + failedAt + "}");
        assertThat(outcome).isInstanceOf(retried ? FailedOutcome.Retried.class : FailedOutcome.Dead.class);
    }

    @Test
    @Tag("sidekiq-11.4")
    @Tag("sidekiq-31")
    void retryForWithoutAFirstFailureCountsFromNowWhereRubyLosesTheJob() {
        Outcome outcome = decide("{\"retry\":true,\"retry_for\":60,\"retry_count\":3}");
        assertThat(outcome).isInstanceOf(FailedOutcome.Retried.class);
        assertThat(((FailedOutcome.Retried) outcome).payload().get("failed_at")).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    @Tag("sidekiq-0.5")
    @Tag("sidekiq-11.4")
    void retryFalseDropsEvenWithRetryFor() {
        assertThat(decide("{\"retry\":false,\"retry_for\":60}")).isInstanceOf(FailedOutcome.Discarded.class);
    }

    @Test
    @Tag("sidekiq-0.4")
    @Tag("sidekiq-11.1")
    void aMissingRetryOptionIsFilledInFromTheJobAndStored() {
        Outcome outcome = failureHandling()
                .decide(Payload.parse("{\"class\":\"X\"}".getBytes(UTF_8)), "default", 7, new RuntimeException(), true);
        assertThat(((FailedOutcome.Retried) outcome).payload().get("retry")).isEqualTo(7L);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "3,true", "0,true", "false,false", "null,false"})
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.5")
    void aBacktraceIsStoredForWhatRubyTakesAsTrue(String option, boolean stored) {
        Outcome outcome = decide("{\"retry\":true,\"backtrace\":" + option + "}");
        assertThat(((FailedOutcome.Retried) outcome).payload().has("error_backtrace"))
                .isEqualTo(stored);
    }

    @Test
    @Tag("sidekiq-11.1")
    void aFailureWithoutAMessageShowsItsClass() {
        Outcome outcome = failureHandling()
                .decide(Payload.parse("{}".getBytes(UTF_8)), "default", true, new IllegalArgumentException(), true);
        assertThat(((FailedOutcome.Retried) outcome).payload().get("error_message"))
                .isEqualTo("java.lang.IllegalArgumentException");
    }

    @Test
    @Tag("sidekiq-0.12")
    @Tag("sidekiq-11.2")
    void jitterSpreadsOverItsWholeRange() {
        JobHooks none = JobHooks.none();
        FailureHandling failureHandling = new FailureHandling(
                none,
                25,
                PayloadTimes.MILLISECONDS,
                Clock.fixed(NOW, ZoneOffset.UTC),
                new java.util.Random(3),
                RunParts.notes());
        Payload payload = Payload.parse("{\"retry\":true}".getBytes(UTF_8));
        List<Long> seconds = java.util.stream.Stream.generate(
                        () -> delay(failureHandling.decide(payload, "default", true, new RuntimeException(), true))
                                .toSeconds())
                .limit(500)
                .distinct()
                .sorted()
                .toList();
        assertThat(seconds).containsExactly(15L, 16L, 17L, 18L, 19L, 20L, 21L, 22L, 23L, 24L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\ud800", "a\\nb", ""})
    void anInvalidRetryQueueIsIgnored(String name) {
        Outcome outcome = decide("{\"retry\":true,\"retry_queue\":\"" + name + "\"}");
        assertThat(((FailedOutcome.Retried) outcome).payload().queue()).isEqualTo("default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"+999999999-12-31T23:59:59.999Z\"", "31556889864403196.0", "31556889864403199.0"})
    void aFirstFailureAtTheEndOfTimeIsRetried(String failedAt) {
        Outcome outcome =
                decide("{\"retry\":true,\"retry_for\":1000000000,\"retry_count\":0,\"failed_at\":" + failedAt + "}");
        assertThat(outcome).isInstanceOf(FailedOutcome.Retried.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void noCountIsSoHighThatItBeginsAnew(long count) {
        Outcome outcome = decide("{\"retry\":true,\"retry_count\":" + count + "}");
        assertThat(outcome).isInstanceOf(FailedOutcome.Dead.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"class\":\"X\"}",
                "{\"class\":\"X\",\"args\":[1],\"jid\":7,\"created_at\":\"soon\",\"enqueued_at\":null,\"retry\":\"5\"}",
                "{\"class\":\"X\",\"args\":[],\"jid\":\"\",\"created_at\":1e400,\"enqueued_at\":[],\"retry_count\":\"3\"}",
                "{\"class\":\"X\",\"jid\":null,\"retry_count\":1,\"failed_at\":\"2026-07-28T12:00:00Z\",\"retried_at\":{}}",
                "{\"class\":\"X\",\"jid\":\"a-b\",\"retry_count\":0,\"failed_at\":true,\"error_class\":1,\"error_message\":2}",
                "{\"class\":\"X\",\"args\":[],\"created_at\":1600000000.5,\"enqueued_at\":1600000001.5,\"queue\":7}"
            })
    @Tag("sidekiq-0.19")
    @Tag("sidekiq-20.2")
    void jobsInTheRetrySetHaveAllMembersThatReadersNeed(String pushed) {
        Payload stored = ((FailedOutcome.Retried) decide(pushed)).payload();
        assertThat(stored.name()).isEqualTo("X");
        assertThat(stored.hasArgsArray()).isTrue();
        assertThat(stored.jid()).isNotEmpty();
        assertThat(stored.queue()).isEqualTo("default");
        assertThat(stored.get("retry")).isNotNull();
        assertThat(stored.text("error_class")).isNotEmpty();
        assertThat(stored.text("error_message")).isNotEmpty();
        Long count = stored.integer("retry_count");
        assertThat(count).isNotNull().isNotNegative();
        List<String> times = count == 0
                ? List.of("created_at", "enqueued_at", "failed_at")
                : List.of("created_at", "enqueued_at", "failed_at", "retried_at");
        assertThat(times).allSatisfy(time -> {
            assertThat(stored.get(time)).isInstanceOf(Number.class);
            assertThat(stored.time(time)).isNotNull();
        });
    }

    @Test
    @Tag("sidekiq-20.2")
    void missingMembersAreFilledInAsByAClient() {
        Payload stored = ((FailedOutcome.Retried)
                        decide("{\"class\":\"X\",\"retry\":true,\"enqueued_at\":1600000001.5}"))
                .payload();
        assertThat(stored.jid()).isEqualTo("ab".repeat(12));
        assertThat(stored.get("created_at")).isEqualTo(1600000001.5);
        assertThat(stored.get("enqueued_at")).isEqualTo(1600000001.5);
        assertThat(((FailedOutcome.Retried) decide("{\"class\":\"X\",\"jid\":7}"))
                        .payload()
                        .jid())
                .isEqualTo("7");
        assertThat(((FailedOutcome.Retried) decide("{\"class\":\"X\"}"))
                        .payload()
                        .get("created_at"))
                .isEqualTo(NOW.toEpochMilli());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "é", "😀"})
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.1")
    void aMessageHasTenThousandCharactersAtMost(String character) {
        Outcome outcome = failureHandling()
                .decide(
                        Payload.parse("{}".getBytes(UTF_8)),
                        "default",
                        true,
                        new RuntimeException(character.repeat(10_001)),
                        true);
        assertThat(((FailedOutcome.Retried) outcome).payload().get("error_message"))
                .isEqualTo(character.repeat(10_000));
    }

    @Test
    void aFailureBeginsTheCountOfReschedulesAnew() {
        Outcome outcome = decide("{\"class\":\"X\",\"args\":[],\"overrated\":2,\"retry\":true}");

        assertThat(((FailedOutcome.Retried) outcome).payload().has("overrated")).isFalse();
    }

    @Test
    void aJobThatGoesBackWithoutHavingBegunCountsNeitherAsProcessedNorAsFailed() {
        Payload payload = Payload.parse("{\"class\":\"X\",\"args\":[],\"jid\":\"j\"}".getBytes(UTF_8));
        ClaimedJob job = new ClaimedJob(
                new JobClaims.Claimed("0:1:1", "default", payload.bytes(), 0),
                new Incarnation("me", new Timing(Duration.ofSeconds(20)), () -> 0),
                0,
                () -> false);
        FailureHandling failures = failureHandling();

        Settlement notBegun = failures.notBegun(payload).settlement(job);
        Settlement interrupted = failures.interrupted(payload).settlement(job);

        assertThat(List.of(notBegun.processed(), notBegun.failed())).containsExactly(0, 0);
        assertThat(List.of(interrupted.processed(), interrupted.failed())).containsExactly(1, 1);
        assertThat(notBegun.kind()).isEqualTo(interrupted.kind());
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-28")
    void membersThatMeanSomethingToOthersAreCarriedAlong() {
        String others =
                "\"bid\":\"Zm9v-YmFy_1\",\"cattr\":{\"_aj_symbol_keys\":[]},\"cattr_1\":{},\"locale\":\"de\",\"log_level\":\"warn\","
                        + "\"profile\":\"mike\",\"profiler_options\":{\"mode\":\"wall\"},\"encrypt\":true,\"sync\":false,\"wrapped\":\"A::B\","
                        + "\"display_class\":\"Shown\",\"tags\":[\"a\"],\"expiry\":1700000000.25,\"unique_for\":600,\"unique_until\":\"start\","
                        + "\"dead\":null,\"anything\":{\"z\":1.0,\"a\":[1]}";
        Outcome outcome = decide("{\"class\":\"X\",\"args\":[],\"jid\":\"j\"," + others + ",\"retry\":true}");
        assertThat(new String(((FailedOutcome.Retried) outcome).payload().bytes(), UTF_8))
                .contains("," + others + ",");
    }

    @Test
    @Tag("sidekiq-0.1")
    @Tag("sidekiq-30")
    void aJobThatAnOlderWorkerFailedAtGoesOnWithItsTimesAsTheyAre() {
        Outcome outcome = decide("{\"retry\":true,\"queue\":\"default\",\"class\":\"X\",\"args\":[1],\"jid\":\"a\","
                + "\"created_at\":1795237000.123456,\"enqueued_at\":1795237001.5,\"error_message\":\"m\",\"error_class\":\"E\","
                + "\"failed_at\":1795237002.25,\"retry_count\":1,\"retried_at\":1795237100.75}");
        assertThat(new String(((FailedOutcome.Retried) outcome).payload().bytes(), UTF_8))
                .isEqualTo("{\"retry\":true,\"queue\":\"default\",\"class\":\"X\",\"args\":[1],\"jid\":\"a\","
                        + "\"created_at\":1795237000.123456,\"enqueued_at\":1795237001.5,\"error_message\":\"boom\","
                        + "\"error_class\":\"java.lang.IllegalStateException\",\"failed_at\":1795237002.25,\"retry_count\":2,"
                        + "\"retried_at\":1795237645739}");
    }
}
