package dev.jobs.limiters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.admin.ScanBudget;
import dev.jobs.limiters.LimiterStore.Answer;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.LimiterStore.Room;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.store.ScriptTestBed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobLimitersIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final Duration NOW = Duration.ZERO;
    private static final Offset<Double> A_BIT = within(0.5);

    /** Of seconds: for what else happens on a slow machine. */
    private static final Offset<Double> A_WHILE = within(60.0);

    private final JobLimiters limiters = new JobLimiters(bed.connection, bed.keys);
    private int permits;

    private static LimiterRule bucket(int most) {
        return new LimiterRule(Kind.BUCKET, "erp", most, 86_400e6);
    }

    private static LimiterRule window(int most, Duration period) {
        return new LimiterRule(Kind.WINDOW, "erp", most, period.toNanos() / 1e3);
    }

    /** One drains in a thousand seconds. */
    private static LimiterRule points(int size) {
        return new LimiterRule(Kind.POINTS, "erp", size, 1e9);
    }

    private static LimiterRule concurrent(int max) {
        return new LimiterRule(Kind.CONCURRENT, "erp", max, 0);
    }

    private static LimiterRule rule(Kind kind, int size) {
        return switch (kind) {
            case BUCKET -> bucket(size);
            case WINDOW -> window(size, Duration.ofHours(1));
            case LEAKY -> new LimiterRule(Kind.LEAKY, "erp", size, 1e9);
            case POINTS -> points(size);
            case CONCURRENT -> concurrent(size);
        };
    }

    private Answer take(LimiterRule rule) {
        return take(rule, 1, false);
    }

    private Answer take(LimiterRule rule, long points, boolean comesBack) {
        return limiters.take(rule, points, NOW, comesBack, rule.kind() == Kind.CONCURRENT ? permitOf("one") : null);
    }

    /** Of a job that the process holds. */
    private Permit permitOf(String incarnation) {
        if (!bed.redis.texts().hexists("jobs:in:" + incarnation, "0:1:1:mail")) {
            bed.redis.texts().hset("jobs:in:" + incarnation, "0:1:1:mail", "a job");
        }
        return new Permit(incarnation + "\n0:1:1:mail\n" + ++permits, null);
    }

    private static double seconds(Answer answer) {
        return answer.after().toNanos() / 1e9;
    }

    private LimiterInfo state(LimiterRule rule) {
        return limiters.find(rule.kind(), rule.name()).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aLimiterGrantsItsSizeAndNoMore(Kind kind) {
        bed.worker("one").join();
        LimiterRule rule = rule(kind, 3);

        for (int i = 0; i < 3; i++) {
            assertThat(take(rule).room()).isEqualTo(Room.GRANTED);
        }

        Answer refused = take(rule);
        assertThat(refused.room()).isEqualTo(Room.REFUSED);
        assertThat(refused.after()).isPositive();
        assertThat(state(rule).used()).isBetween(2.5, 3.0);
        assertThat(state(rule).size()).isEqualTo(3);
        assertThat(state(rule).freeIn()).isPositive();
    }

    @Test
    void aBucketIsEmptyAtTheNextTurnOfTheClock() {
        take(bucket(1));

        assertThat(seconds(take(bucket(1)))).isCloseTo(86_400 - bed.now() % 86_400, A_WHILE);
    }

    @Test
    void anotherPeriodOfABucketBeginsFromNothing() {
        LimiterRule rule = new LimiterRule(Kind.BUCKET, "erp", 2, 1e6);
        long first = 0;
        for (int i = 0; i < 2; i++) {
            first = (long) bed.now();
            take(rule);
        }
        long begun = first;
        await().pollInterval(Duration.ofMillis(5)).until(() -> (long) bed.now() > begun);

        assertThat(take(rule).room()).isEqualTo(Room.GRANTED);
    }

    @Test
    void aWindowIsFreeWhenItsOldestUseIsOver() {
        LimiterRule rule = window(2, Duration.ofHours(1));
        take(rule);
        take(rule);
        Answer refused = take(rule);
        assertThat(refused.room()).isEqualTo(Room.REFUSED);
        assertThat(seconds(refused)).isCloseTo(3_600, A_WHILE);

        letPass(3_000);
        assertThat(seconds(take(rule))).isCloseTo(600, A_WHILE);
        letPass(601);

        assertThat(take(rule).room()).isEqualTo(Room.GRANTED);
    }

    /** Lets so many seconds pass for the oldest use of the window. */
    private static void letPass(int seconds) {
        String log = "jobs:limiter:log:erp";
        long oldest = Long.parseLong(bed.redis.texts().lindex(log, 0));
        bed.redis.texts().lset(log, 0, Long.toString(oldest - seconds * 1_000_000L));
    }

    @Test
    void theLogOfAWindowHoldsNoMoreThanItsSize() {
        LimiterRule rule = window(5, Duration.ofMillis(20));
        for (int i = 0; i < 60; ) {
            if (take(rule).room() == Room.GRANTED) {
                i++;
            }
            assertThat(bed.redis.texts().llen("jobs:limiter:log:erp")).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void pointsDrainEvenlyAndAreCorrected() {
        LimiterRule rule = points(100);
        take(rule, 60, false);
        assertThat(take(rule, 60, false).room()).isEqualTo(Room.REFUSED);
        assertThat(seconds(take(rule, 60, false))).isCloseTo(20_000, A_WHILE);

        limiters.correct(rule, -40);

        assertThat(take(rule, 60, false).room()).isEqualTo(Room.GRANTED);
        assertThat(state(rule).used()).isCloseTo(80, A_BIT);

        limiters.correct(rule, 100); // later uses pay what this one has cost too much

        assertThat(seconds(take(rule, 1, false))).isCloseTo(81_000, A_WHILE);
        limiters.correct(rule, -1_000);
        assertThat(state(rule).used()).isZero();
    }

    @Test
    void aUseLargerThanASizeThatWasLoweredGetsAllOfIt() {
        limiters.resize(Kind.POINTS, "erp", 10L);

        assertThat(take(points(100), 50, false).room()).isEqualTo(Room.GRANTED);
        assertThat(seconds(take(points(100), 50, false))).isCloseTo(50_000, A_WHILE);
    }

    @Test
    void jobsThatAreRefusedComeBackOneAfterTheOther() {
        LimiterRule rule = new LimiterRule(Kind.LEAKY, "erp", 2, 5e9);
        take(rule);
        take(rule);

        List<Double> turns = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            turns.add(seconds(take(rule, 1, true)));
        }

        assertThat(turns.get(0)).isCloseTo(5_000, A_WHILE);
        assertThat(turns.get(1)).isCloseTo(10_000, A_WHILE);
        assertThat(turns.get(3)).isCloseTo(20_000, A_WHILE);
        assertThat(seconds(take(rule))).as("a caller that may not come back").isCloseTo(5_000, A_WHILE);
        assertThat(seconds(take(rule, 1, true))).isCloseTo(25_000, A_WHILE);
    }

    @Test
    void turnsAreForgottenWhenNobodyTookThem() {
        LimiterRule rule = new LimiterRule(Kind.LEAKY, "erp", 1, 1e9);
        take(rule);
        for (int i = 0; i < 100; i++) {
            take(rule, 1, true);
        }
        assertThat(seconds(take(rule, 1, true))).isGreaterThan(50_000);
        bed.redis.texts().hset("jobs:limiter:leaky:erp", "at", "0"); // as if it had drained
        assertThat(take(rule).room()).isEqualTo(Room.GRANTED);

        assertThat(seconds(take(rule, 1, true))).isLessThanOrEqualTo(2_000);
    }

    @Test
    void aCallerThatWaitsLongEnoughIsToldToAskAgain() {
        LimiterRule rule = points(1);
        take(rule);

        assertThat(limiters.take(rule, 1, Duration.ofSeconds(2_000), true, null).room())
                .isEqualTo(Room.ASK_AGAIN);
        assertThat(limiters.take(rule, 1, Duration.ofSeconds(500), true, null).room())
                .isEqualTo(Room.REFUSED);
    }

    @Test
    void aPermitIsGivenBackOnce() {
        bed.worker("one").join();
        Permit permit = permitOf("one");
        assertThat(limiters.take(concurrent(1), 1, NOW, false, permit).room()).isEqualTo(Room.GRANTED);
        assertThat(limiters.take(concurrent(1), 1, NOW, false, permitOf("one")).room())
                .isEqualTo(Room.REFUSED);

        limiters.free(concurrent(1), permit, Duration.ofSeconds(8));
        Permit next = permitOf("one");
        assertThat(limiters.take(concurrent(1), 1, NOW, false, next).room()).isEqualTo(Room.GRANTED);
        limiters.free(concurrent(1), permit, Duration.ofSeconds(8));

        assertThat(bed.members("jobs:limiter:slots:erp")).containsExactly(next.name());
        assertThat(seconds(take(concurrent(1)))).as("how long permits are held").isCloseTo(8, A_BIT);
    }

    /** Nothing would give it back: it comes from a call that was given up, or from a thread that was left behind. */
    @Test
    void aJobThatItsProcessNoLongerHoldsGetsNoPermit() {
        bed.worker("one").join();
        Permit permit = permitOf("one");
        bed.redis.texts().hdel("jobs:in:one", "0:1:1:mail");
        assertThat(limiters.take(concurrent(1), 1, NOW, true, permit).room()).isEqualTo(Room.REFUSED);
        assertThat(bed.redis.texts().exists("jobs:limiter:slots:erp")).isZero();
        assertThat(take(concurrent(1)).room()).isEqualTo(Room.GRANTED);
    }

    @Test
    void permitsOfDeadProcessesAreVoidAndOnlyThose() {
        bed.worker("one").join();
        bed.worker("gone1").join();
        limiters.take(concurrent(3), 1, NOW, false, permitOf("one"));
        limiters.take(concurrent(3), 1, NOW, false, permitOf("gone"));
        limiters.take(concurrent(3), 1, NOW, false, permitOf("gone1"));
        assertThat(bed.members("jobs:limiter:slots:erp")).hasSize(3);

        assertThat(limiters.take(concurrent(3), 1, NOW, false, permitOf("gone1"))
                        .room())
                .isEqualTo(Room.GRANTED);
        assertThat(limiters.take(concurrent(3), 1, NOW, false, permitOf("one")).room())
                .isEqualTo(Room.REFUSED);
        bed.redis.texts().zadd("jobs:beats", -1, "gone1"); // given up
        assertThat(take(concurrent(3)).room()).as("it was looked a moment ago").isEqualTo(Room.REFUSED);
        letLooksPass();

        assertThat(limiters.take(concurrent(3), 1, NOW, false, permitOf("one")).room())
                .isEqualTo(Room.GRANTED);
        assertThat(bed.members("jobs:limiter:slots:erp")).hasSize(2).allMatch(permit -> permit.startsWith("one\n"));
    }

    private static void letLooksPass() {
        bed.redis.texts().hset("jobs:limiter:concurrent:erp", "looked", "1");
    }

    private void fill(int processes) {
        for (int i = 0; i < processes; i++) {
            String process = String.format("p%03d", i);
            bed.redis.texts().zadd("jobs:beats", 1, process);
            limiters.take(concurrent(processes), 1, NOW, false, permitOf(process));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 300})
    void aRefusedUseCostsTheSameHoweverManyProcessesHoldPermits(int processes) {
        long withOne = commandsOfRefusals(1);
        bed.clear();
        assertThat(commandsOfRefusals(processes)).isBetween(withOne * 8 / 10, withOne * 12 / 10);
    }

    private long commandsOfRefusals(int processes) {
        fill(processes);
        assertThat(take(concurrent(processes)).room()).isEqualTo(Room.REFUSED);
        long before = bed.redis.stat("stats", "total_commands_processed:(\\d+)");
        for (int i = 0; i < 300; i++) {
            take(concurrent(processes));
        }
        return bed.redis.stat("stats", "total_commands_processed:(\\d+)") - before;
    }

    /** A look is at a hundred of them. */
    @Test
    void thePermitOfADeadProcessIsFoundBehindThoseOfHundreds() {
        fill(250);
        assertThat(take(concurrent(250)).room()).isEqualTo(Room.REFUSED);
        bed.redis.texts().zrem("jobs:beats", "p000", "p249");
        letLooksPass();
        assertThat(take(concurrent(250)).room()).isEqualTo(Room.REFUSED);
        letLooksPass();
        assertThat(take(concurrent(250)).room()).as("the last one").isEqualTo(Room.GRANTED);
        assertThat(take(concurrent(250)).room()).isEqualTo(Room.REFUSED);
        letLooksPass();
        assertThat(take(concurrent(250)).room()).as("nobody is behind it").isEqualTo(Room.REFUSED);
        letLooksPass();
        assertThat(take(concurrent(250)).room()).as("from the first one").isEqualTo(Room.GRANTED);
        assertThat(bed.members("jobs:limiter:slots:erp")).hasSize(250).noneMatch(permit -> permit.startsWith("p249"));
    }

    private static void letPermitAge(int seconds) {
        bed.redis.texts().zincrby("jobs:limiter:timed:erp", -seconds * 1_000.0, "web:1");
    }

    @Test
    void aPermitOutsideAJobEndsByItself() {
        Permit earlier = new Permit("web:0", Duration.ofHours(2));
        limiters.take(concurrent(1), 1, NOW, false, earlier);
        limiters.free(concurrent(1), earlier, Duration.ofMinutes(10)); // which others seem to take as well
        Permit permit = new Permit("web:1", Duration.ofHours(2));
        limiters.take(concurrent(1), 1, NOW, false, permit);
        Permit other = new Permit("web:2", Duration.ofHours(1));

        Answer refused = limiters.take(concurrent(1), 1, NOW, false, other);

        assertThat(refused.room()).isEqualTo(Room.REFUSED);
        assertThat(seconds(refused)).isCloseTo(600, A_WHILE);
        letPermitAge(7_000);
        assertThat(seconds(limiters.take(concurrent(1), 1, NOW, false, other))).isCloseTo(200, A_WHILE);
        letPermitAge(201);
        assertThat(limiters.take(concurrent(1), 1, NOW, false, other).room()).isEqualTo(Room.GRANTED);
        limiters.free(concurrent(1), other, Duration.ZERO);
        assertThat(bed.redis.texts().exists("jobs:limiter:timed:erp")).isZero();
    }

    @Test
    void aSizeThatWasSetWinsOverThatOfTheCode() {
        take(bucket(1));
        limiters.resize(Kind.BUCKET, "erp", 2L);
        assertThat(state(bucket(1)).resized()).isTrue();
        assertThat(bed.redis.texts().ttl("jobs:limiter:bucket:erp")).isEqualTo(-1);

        assertThat(take(bucket(1)).room()).isEqualTo(Room.GRANTED);
        assertThat(take(bucket(1)).room()).isEqualTo(Room.REFUSED);
        assertThat(bed.redis.texts().ttl("jobs:limiter:bucket:erp")).isEqualTo(-1);

        limiters.resize(Kind.BUCKET, "erp", null);
        assertThat(state(bucket(1)).size()).isEqualTo(1);
        assertThat(bed.redis.texts().ttl("jobs:limiter:bucket:erp")).isPositive();
    }

    @Test
    void allLimitersAreListedAndForgotten() {
        bed.worker("one").join();
        for (Kind kind : Kind.values()) {
            take(rule(kind, 3));
        }
        bed.redis.texts().set("jobs:limiter:window:odd", "text");

        assertThat(limiters.all(new ScanBudget(100, Duration.ofSeconds(10))).items())
                .extracting(LimiterInfo::kind)
                .containsExactlyInAnyOrder(Kind.values());
        assertThat(limiters.all(new ScanBudget(2, Duration.ofSeconds(10))).partial())
                .isTrue();
        for (Kind kind : Kind.values()) {
            limiters.forget(kind, "erp");
        }
        assertThat(bed.stored().keySet().stream().filter(key -> key.startsWith("jobs:limiter:")))
                .containsExactly("jobs:limiter:window:odd");
        assertThat(limiters.find(Kind.BUCKET, "erp")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyKeyOfALimiterExpires(Kind kind) {
        bed.worker("one").join();
        take(rule(kind, 1));
        take(rule(kind, 1), 1, true);
        if (kind == Kind.CONCURRENT) {
            limiters.take(concurrent(2), 1, NOW, false, new Permit("web:1", Duration.ofMinutes(5)));
        }

        List<String> keys = bed.redis.texts().keys("jobs:limiter:*");
        assertThat(keys)
                .isNotEmpty()
                .allSatisfy(
                        key -> assertThat(bed.redis.texts().pttl(key)).as(key).isPositive());
    }

    static Stream<Arguments> keys() {
        return Stream.of(
                Arguments.of(Kind.BUCKET, "bucket"),
                Arguments.of(Kind.WINDOW, "window"),
                Arguments.of(Kind.WINDOW, "log"),
                Arguments.of(Kind.LEAKY, "leaky"),
                Arguments.of(Kind.POINTS, "points"),
                Arguments.of(Kind.CONCURRENT, "concurrent"),
                Arguments.of(Kind.CONCURRENT, "slots"),
                Arguments.of(Kind.CONCURRENT, "timed"));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aKeyOfTheWrongTypeIsAnErrorThatNamesTheLimiter(Kind kind, String key) {
        bed.redis.texts().set("jobs:limiter:" + key + ":erp", "text");

        assertThatThrownBy(() -> take(rule(kind, 1)))
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(JobStoreException.Kind.WRONG_TYPE))
                .hasMessageContaining(LimiterRule.name(kind) + " limiter 'erp' can't be used");
        assertThat(bed.redis.texts().get("jobs:limiter:" + key + ":erp")).isEqualTo("text");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aFullRedisRefusesWhatItCanNotCountAndStillKnowsPermits(Kind kind) {
        bed.worker("one").join();
        Permit permit = permitOf("one");
        limiters.take(rule(kind, 2), 1, NOW, false, kind == Kind.CONCURRENT ? permit : null);
        bed.fill();
        try {
            if (kind == Kind.CONCURRENT) {
                assertThat(take(concurrent(2)).room()).isEqualTo(Room.GRANTED);
                assertThat(take(concurrent(2)).room()).isEqualTo(Room.REFUSED);
                limiters.free(concurrent(2), permit, NOW);
                assertThat(bed.members("jobs:limiter:slots:erp")).hasSize(1);
                return;
            }
            assertThatThrownBy(() -> take(rule(kind, 2)))
                    .isInstanceOfSatisfying(
                            JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(JobStoreException.Kind.FULL));
            if (kind == Kind.POINTS) {
                limiters.correct(points(2), 1);
            }
        } finally {
            bed.drain();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"BUCKET", "WINDOW"})
    void aClockThatWasFarAheadKeepsNobodyOut(Kind kind) {
        LimiterRule rule = rule(kind, 1);
        take(rule);
        String hash = "jobs:limiter:" + LimiterRule.name(kind) + ":erp";
        String ahead = String.format("%.0f", (bed.now() + 400 * 86_400) * 1e6);
        bed.redis.texts().hset(hash, "at", ahead);
        bed.redis.texts().del("jobs:limiter:log:erp");
        bed.redis.texts().rpush("jobs:limiter:log:erp", ahead);

        assertThat(take(rule).room()).isEqualTo(Room.GRANTED);
        assertThat(take(rule).room()).isEqualTo(Room.REFUSED);
        assertThat(seconds(take(rule))).isLessThanOrEqualTo(86_400);
    }

    private void setBack(Kind kind, String... fields) {
        String hash = "jobs:limiter:" + LimiterRule.name(kind) + ":erp";
        for (String field : fields) {
            String time = bed.redis.texts().hget(hash, field);
            if (time != null) {
                bed.redis.texts().hset(hash, field, String.format("%.3f", Double.parseDouble(time) + 86_400e6));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"LEAKY", "POINTS"})
    void whatWasUsedBeforeTheClockWasSetBackStaysUsedAndDrains(Kind kind) {
        LimiterRule rule = rule(kind, 2);
        take(rule);
        setBack(kind, "at", "n"); // as if that had been tomorrow

        assertThat(state(rule).used()).isCloseTo(1, A_BIT);
        assertThat(take(rule).room()).isEqualTo(Room.GRANTED);
        setBack(kind, "at", "n");
        Answer refused = take(rule);
        assertThat(refused.room()).isEqualTo(Room.REFUSED);
        assertThat(seconds(refused)).isCloseTo(1_000, A_WHILE);
        Double empty = Double.valueOf(bed.redis.texts().hget("jobs:limiter:" + LimiterRule.name(kind) + ":erp", "at"));
        assertThat(empty / 1e6 - bed.now())
                .as("what is kept for the next who asks")
                .isCloseTo(2_000, A_WHILE);
    }

    @Test
    void aTurnMovesBackWithTheClock() {
        LimiterRule rule = rule(Kind.LEAKY, 1);
        take(rule);
        take(rule, 1, true);
        setBack(Kind.LEAKY, "at", "n", "turn");

        assertThat(seconds(take(rule, 1, true))).isCloseTo(2_000, A_WHILE);
    }

    @Test
    void aTurnAtAPermitFromBeforeTheClockWasSetBackIsForgotten() {
        bed.worker("one").join();
        take(concurrent(1));
        double first = seconds(take(concurrent(1), 1, true));
        setBack(Kind.CONCURRENT, "at", "turn");

        assertThat(seconds(take(concurrent(1), 1, true)))
                .as("until a job comes back that is refused then")
                .isLessThanOrEqualTo(2 * first);
    }

    @Test
    void aCorrectionMovesBackWithTheClock() {
        take(points(10), 3, false);
        setBack(Kind.POINTS, "at", "n");
        limiters.correct(points(10), 2);

        assertThat(state(points(10)).used()).isCloseTo(5, A_BIT);
        setBack(Kind.POINTS, "at", "n");
        limiters.correct(points(10), -1);
        assertThat(state(points(10)).used()).isCloseTo(4, A_BIT);
    }

    @Test
    void aPermitWithoutAJobThatAClockFarAheadGaveIsFree() {
        Permit permit = new Permit("gone:1", Duration.ofHours(1));
        limiters.take(concurrent(1), 1, NOW, false, permit);
        bed.redis.texts().zadd("jobs:limiter:timed:erp", (bed.now() + 3 * 86_400) * 1e3, "gone:1");

        assertThat(limiters.take(concurrent(1), 1, NOW, false, new Permit("next:1", Duration.ofHours(1)))
                        .room())
                .isEqualTo(Room.GRANTED);
    }
}
