package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.lists.JobQueues;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the leader looks at parked jobs: those that may go on, in steps, and at all keys now and then. */
class ParkedJobsIT extends PermitTestBed {

    private static final int SMALL = 10_000;

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    ParkedJobsIT() {
        super(bed);
    }

    /** One call moves a hundred jobs. The others must not wait for the look for jobs that were lost. */
    @Test
    void moreFreePermitsThanACallMovesJobsAreSoonInUse() {
        park(300);
        bed.push("mail", "other");
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.set("erp", LimitNumbers.atOnce(251))).isTrue();

        parked.look(List.of("erp\n"), Instant.now());

        List<String> expected = new ArrayList<>(jobs(1, 251));
        expected.add("other");
        assertThat(bed.queue("mail"))
                .as("as many as there are permits, in their order")
                .isEqualTo(expected);
        assertThat(wake("erp\n")).as("in case some are lost").isBetween(bed.now() + 3, bed.now() + 6);
        ask(worker.take(100, "mail"), ERP);
        ask(worker.take(100, "mail"), ERP);
        ask(worker.take(50, "mail"), ERP);
        parked.look(List.of("erp\n"), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("other");

        assertThat(states.set("erp", LimitNumbers.atOnce(5_000))).isTrue();
        parked.look(List.of("erp\n"), Instant.now());
        expected = new ArrayList<>(jobs(251, 301));
        expected.add("other");
        assertThat(bed.queue("mail")).isEqualTo(expected);
        assertThat(bed.members("jobs:wake")).doesNotContain("erp\n");
    }

    /** Over a connection whose calls carry few bytes; each look makes one call. */
    private ParkedJobs smallSteps(RedisConnection small) {
        AtomicLong nanos = new AtomicLong();
        return new ParkedJobs(
                small, bed.keys, () -> nanos.addAndGet(Duration.ofMillis(10).toNanos()));
    }

    private static RedisConnection small() {
        return bed.redis.connections("").withBounds(new CallBounds(SMALL)).open("small");
    }

    private List<String> parkLarge(String queue, int count, int bytes, JobLimit limit) {
        List<String> large = IntStream.range(0, count)
                .mapToObj(i -> String.format("%03d", i) + "x".repeat(bytes - 3))
                .toList();
        for (int i = 0; i < count; i++) {
            String time = String.format("%016d", i);
            bed.redis
                    .texts()
                    .zadd(
                            "jobs:parked:" + limit.limit(),
                            0,
                            limit.key() + "\n" + time + "\n" + queue + "\n1\n" + large.get(i));
        }
        return large;
    }

    /** Looks until there is nothing to do soon. Returns the number of calls. No call moves more bytes than it may. */
    private long looks(ParkedJobs jobs, int most, String... limitIds) {
        long all = 0;
        bed.redis.texts().zrem("jobs:wake", "");
        List<String> due = List.of(limitIds);
        boolean more = true;
        while (more || !due.isEmpty()) {
            long before = bytesIn("mail");
            bed.redis.texts().configResetstat();
            more = jobs.look(due, Instant.now());
            long calls = bed.redis.calls("evalsha");
            assertThat(bytesIn("mail") - before).isLessThanOrEqualTo(most * calls);
            due = bed.sets().due(100).looks();
            all += calls;
        }
        return all;
    }

    private static long bytesIn(String queue) {
        return bed.queue(queue).stream().mapToLong(String::length).sum();
    }

    @Test
    void aCallMovesNoMoreBytesThanItMayAndTheOthersGoOnSoonInTheirOrder() {
        permits.declare(Map.of("erp", LimitNumbers.atOnce(25)));
        List<String> large = parkLarge("mail", 30, 1_000, ERP);
        try (RedisConnection small = small()) {
            assertThat(looks(smallSteps(small), SMALL, "erp\n")).isBetween(3L, 5L);
        }
        assertThat(bed.queue("mail")).isEqualTo(large.subList(0, 25));
        assertThat(wake("erp\n")).as("in case some are lost").isBetween(bed.now() + 3, bed.now() + 6);
    }

    @Test
    void aJobLargerThanACallMovesAlone() {
        permits.declare(Map.of("erp", LimitNumbers.atOnce(2)));
        List<String> large = parkLarge("mail", 3, 3 * SMALL, ERP);
        try (RedisConnection small = small()) {
            assertThat(looks(smallSteps(small), 3 * SMALL, "erp\n")).isBetween(2L, 3L);
        }
        assertThat(bed.queue("mail")).isEqualTo(large.subList(0, 2));
    }

    @Test
    void largeJobsGoOnByTheirRate() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 25);
        permits.declare(Map.of("api", api.numbers()));
        List<String> large = parkLarge("mail", 30, 1_000, api);
        double now = bed.now();
        try (RedisConnection small = small()) {
            assertThat(looks(smallSteps(small), SMALL, "api\n")).isBetween(3L, 5L);
            assertThat(bed.queue("mail")).isEqualTo(large.subList(0, 25));
            assertThat(wake("api\n")).as("in case some are lost").isBetween(now + 3, bed.now() + 6);
        }
    }

    /** Those of other keys have their turn in the next call. */
    @Test
    void keysThatDoNotFitIntoACallAreLookedAtInTheNextOne() {
        permits.declare(Map.of("shop", LimitNumbers.atOnce(9)));
        for (int key = 0; key < 5; key++) {
            parkLarge("mail", 4, 1_000, new JobLimit("shop", "k" + key, null));
            bed.redis.texts().zadd("jobs:wake", 1, "shop\nk" + key);
        }
        try (RedisConnection small = small()) {
            String[] due = bed.sets().due(100).looks().toArray(String[]::new);
            assertThat(looks(smallSteps(small), SMALL, due)).isBetween(3L, 7L);
        }
        assertThat(bed.queue("mail")).hasSize(20);
    }

    @Test
    void largeJobsOfAPausedQueueKeepNoOthers() {
        permits.declare(Map.of("erp", LimitNumbers.atOnce(3)));
        bed.redis.texts().sadd("paused", "slow");
        parkLarge("slow", 20, 1_000, ERP);
        for (int i = 0; i < 5; i++) {
            bed.redis
                    .texts()
                    .zadd("jobs:parked:erp", 0, "\n000000000000009" + i + "\nmail\n1\n" + i + "x".repeat(4_000));
        }
        try (RedisConnection small = small()) {
            looks(smallSteps(small), SMALL, "erp\n");
        }
        assertThat(bed.queue("mail"))
                .extracting(job -> job.substring(0, 1))
                .startsWith("0")
                .isSorted();
        assertThat(bed.queue("slow")).isEmpty();
    }

    @Test
    void jobsOfAPausedQueueStayWhereManyOthersGoOn() {
        park(250);
        for (int i = 0; i < 120; i++) {
            park("low", 0, "low " + i);
        }
        bed.redis.texts().sadd("paused", "low");
        assertThat(new LimitStates(bed.connection, bed.keys).set("erp", LimitNumbers.atOnce(1_000)))
                .isTrue();

        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.queue("mail")).isEqualTo(jobs(1, 251));
        assertThat(bed.queue("low")).isEmpty();
        assertThat(bed.members("jobs:parked:erp")).hasSize(120);
        assertThat(wake("erp\n")).as("though the last call moved none").isBetween(bed.now() + 3, bed.now() + 6);
    }

    /** The call is made once more for the keys whose queues it lacked, and for no other. */
    @Test
    void aKeyIsLookedAtOnceThoughAnotherOneNeedsAnotherQueue() {
        bed.redis.texts().hset("jobs:limits", "s:erp", "1");
        park("mail", 1, "warm");
        parked.look(List.of("erp\n"), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("warm");
        bed.redis.texts().hset("jobs:limits", "s:shop", "1");
        park("mail", 1, "a");
        park("mail", 2, "b");
        bed.redis.texts().zadd("jobs:parked:shop", 0, "5\n0000000000000001\nlow\n1\nc");

        parked.look(List.of("erp\n", "shop\n5"), Instant.now());

        assertThat(bed.queue("low")).containsExactly("c");
        assertThat(bed.queue("mail")).as("for one permit").containsExactly("a", "warm");
    }

    @Test
    void lostTimesAreFoundAndOldOnesForgotten() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        JobLimit fast = rated("fast", 1, Duration.ofMillis(1), 1);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs.subList(0, 2), api);
        ask(jobs.subList(2, 3), fast);
        bed.redis.texts().hset("jobs:rate", "gone\n", Long.toString(Long.MAX_VALUE / 2));
        bed.redis.texts().del("jobs:wake");
        await().until(() -> {
            parked.look(List.of(""), Instant.now());
            return bed.redis.texts().hkeys("jobs:rate").equals(List.of("api\n"));
        });

        assertThat(wake("api\n")).isBetween(bed.now() + 3_500, bed.now() + 3_600);
    }

    /** In between, jobs become due. */
    @Test
    void manyKeysAreLookedThroughInStepsOnceAPass() {
        int keys = 10_000;
        parkByKeys("shop", keys);
        bed.redis.texts().configResetstat();

        boolean more = parked.look(List.of(""), Instant.now());
        assertThat(more).isTrue();
        assertThat(bed.redis.calls("evalsha") + bed.redis.calls("eval")).isLessThanOrEqualTo(20);
        assertThat(bed.members("jobs:wake")).hasSizeBetween(1, keys / 2);

        int looks = 1;
        while (more) {
            more = parked.look(List.of(), Instant.now());
            looks++;
        }
        assertThat(looks).isBetween(3, 6);
        assertThat(bed.members("jobs:wake")).hasSize(keys + 1);
    }

    @Test
    void aLookEndsAfterSomeMilliseconds() {
        AtomicLong nanos = new AtomicLong();
        ParkedJobs slow = new ParkedJobs(
                bed.connection,
                bed.keys,
                () -> nanos.addAndGet(Duration.ofMillis(3).toNanos()));
        parkByKeys("shop", 2_000);

        assertThat(slow.look(List.of(""), Instant.now())).isTrue();
        assertThat(bed.members("jobs:wake")).as("a step or two of 200 keys").hasSizeBetween(200, 401);
    }

    @Test
    void aPassThatTookLongIsFollowedByALongPauseUnlessSomebodyAsks() {
        AtomicLong nanos = new AtomicLong();
        Duration step = Duration.ofSeconds(1);
        ParkedJobs slow = new ParkedJobs(bed.connection, bed.keys, () -> nanos.addAndGet(step.toNanos()));
        parkByKeys("shop", 2_000);
        Instant now = Instant.ofEpochSecond(1_000_000);
        int looks = looksOfAPass(slow, now);
        assertThat(looks).isGreaterThan(5);

        assertThat(looksOfAPass(slow, now.plusSeconds(61)))
                .as("it is due, and too soon")
                .isEqualTo(1);
        assertThat(looksOfAPass(slow, now.plusSeconds(70))).as("somebody asks").isGreaterThan(5);
        nanos.addAndGet(Duration.ofMinutes(20).toNanos());
        assertThat(looksOfAPass(slow, now.plusSeconds(200))).isGreaterThan(5);
    }

    private static int looksOfAPass(ParkedJobs jobs, Instant serverTime) {
        boolean more = jobs.look(List.of(""), serverTime);
        int looks = 1;
        while (more) {
            more = jobs.look(List.of(), serverTime);
            looks++;
        }
        return looks;
    }

    @Test
    void whoAsksDuringAPassGetsAnotherOne() {
        parkByKeys("shop", 5_000);
        Instant now = Instant.now();
        assertThat(parked.look(List.of(""), now)).isTrue();
        bed.redis.texts().del("jobs:wake");
        assertThat(parked.look(List.of(""), now)).isTrue();
        while (parked.look(List.of(), now)) {
            // until both are over
        }
        assertThat(bed.members("jobs:wake")).hasSize(5_001);
    }

    /** Each with a job that may go on, since the limit is no more. */
    private static void parkByKeys(String limit, int keys) {
        bed.redis.texts().hset("jobs:limits", "d:" + limit, "1");
        bed.redis
                .texts()
                .eval(
                        "for i = 1, tonumber(ARGV[1]) do redis.call('ZADD', KEYS[1], 0, 'k' .. i .. '\\n1\\nmail\\n1\\n{}') end",
                        ScriptOutputType.STATUS,
                        new String[] {"jobs:parked:" + limit},
                        Integer.toString(keys));
    }

    @Test
    void startsByRatesAreForgottenAPartAtATime() {
        int keys = 10_000;
        bed.redis.texts().hset("jobs:limits", "d:api", "1");
        bed.redis
                .texts()
                .hset(
                        "jobs:rate",
                        IntStream.range(0, keys).boxed().collect(Collectors.toMap(i -> "gone\n" + i, i -> "1")));

        parked.look(List.of(""), Instant.now());

        assertThat(bed.redis.texts().hlen("jobs:rate")).isBetween(1L, keys - 1_000L);
        for (int minutes = 0; minutes < 4; minutes++) {
            parked.look(List.of(""), Instant.now());
        }
        assertThat(bed.redis.texts().hlen("jobs:rate")).isZero();
    }

    @LongTest
    @Test
    void manyMoreStartsByRatesAreForgottenInThreeLooksAtAllKeys() {
        bed.redis.texts().hset("jobs:limits", "d:api", "- 1 1000 1");
        for (int look = 0; look < 4; look++) {
            Map<String, String> old = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                old.put("api\n" + look + "." + i, "1");
            }
            bed.redis.texts().hset("jobs:rate", old);
        }
        for (int look = 0; look < 3; look++) {
            boolean more = parked.look(List.of(""), Instant.now());
            while (more) {
                more = parked.look(List.of(), Instant.now());
            }
        }

        assertThat(bed.redis.texts().hlen("jobs:rate")).isZero();
    }

    @Test
    void noMoreJobsGoOnThanThereAreFreePermits() {
        bed.push("mail", "a", "b", "c", "d", "e");
        List<Claimed> jobs = worker.take(5, "mail");
        assertThat(ask(jobs, SHOP))
                .containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED, Answer.PARKED);
        bed.redis.texts().zrem("jobs:permits:shop", "5\np\n" + jobs.get(0).token());

        parked.look(List.of("shop\n5"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c");
        assertThat(bed.members("jobs:parked:shop")).hasSize(2);
        assertThat(bed.redis.texts().zscore("jobs:wake", "shop\n5")).isGreaterThan(bed.now());
    }

    /** Somebody deleted what the process held, so nothing gives its permit back. */
    @Test
    void aPermitOfAProcessThatIsGoneIsDropped() {
        bed.push("mail", "a", "b");
        ask(worker.take(2, "mail"), ERP);
        bed.redis.texts().del("jobs:in:p");
        parked.look(List.of(""), Instant.now());
        assertThat(bed.members("jobs:permits:erp"))
                .as("of a process that is known")
                .hasSize(1);

        bed.redis.texts().zrem("jobs:beats", "p");
        parked.look(List.of(""), Instant.now());
        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.members("jobs:permits:erp")).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("b");
    }

    @Test
    void severalGoOnInTheirOrder() {
        bed.push("mail", "a", "b", "c", "d", "e");
        ask(worker.take(5, "mail"), SHOP);
        bed.redis.texts().del("jobs:permits:shop");

        parked.look(List.of("shop\n5"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c", "d");
    }

    @Test
    void aPausedQueueHoldsUpNoOther() {
        bed.redis.texts().hset("jobs:limits", "s:erp", "2");
        for (int i = 0; i < 99; i++) {
            park("paused", i, "p" + i);
        }
        park("mail", 100, "a");
        park("low", 101, "b");
        bed.redis.texts().sadd("paused", "paused");

        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.queue("paused")).isEmpty();
        assertThat(bed.members("jobs:parked:erp"))
                .as("b is behind the first 100")
                .hasSize(100);

        bed.redis.texts().zadd("jobs:wake", bed.now() + 60, "");
        assertThat(new JobQueues(bed.connection, bed.keys).resume("paused")).isTrue();
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("paused")).containsExactly("p0", "p1");
    }

    @ParameterizedTest
    @CsvSource({"20, 100, 10", "8, 10, 100000"})
    void aCallReadsFewOfTheJobsOfPausedQueues(int manyKeys, int jobs, int size) {
        String ballast = "x".repeat(size);
        bed.redis.texts().hset("jobs:limits", "s:api", "1");
        bed.redis.texts().sadd("paused", "paused");
        List<String> limitIds = new ArrayList<>();
        for (int key = 0; key < manyKeys; key++) {
            limitIds.add("api\n" + key);
            bed.redis.texts().zadd("jobs:wake", 0, limitIds.get(key));
            List<Object> members = new ArrayList<>();
            for (int job = 0; job < jobs; job++) {
                members.addAll(List.of(0.0, String.format("%d\n%016d\npaused\n1\n", key, job) + job + ballast));
            }
            bed.redis.texts().zadd("jobs:parked:api", members.toArray());
        }

        parked.look(limitIds, Instant.now());

        assertThat(bed.redis.texts().zcard("jobs:wake"))
                .as("after a thousand, or four megabytes")
                .isBetween(manyKeys / 3L, manyKeys / 2L);
        parked.look(bed.sets().due(100).looks(), Instant.now());
        assertThat(bed.redis.texts().zcard("jobs:wake")).isZero();
    }
}
