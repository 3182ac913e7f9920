package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.lists.JobQueues;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallLimits;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How jobs are parked at limits and go on. */
class PermitsIT {

    private static final JobLimit SHOP = new JobLimit("shop", "5", LimitNumbers.atOnce(2));
    private static final JobLimit ERP = new JobLimit("erp", "", LimitNumbers.atOnce(1));

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final Permits permits = new Permits(bed.connection, bed.keys);
    private final PermitEffects effects = new PermitEffects(bed.keys);
    private final ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
    private Worker worker;

    @BeforeEach
    void join() {
        bed.clear();
        worker = bed.worker("p").join();
    }

    private List<Answer> ask(List<Claimed> jobs, JobLimit... limits) {
        return permits.admit(
                        "p",
                        jobs.stream()
                                .map(job -> new Asking(job.token(), job.queue(), 1L, List.of(limits), List.of()))
                                .toList())
                .orElseThrow();
    }

    private Settlement done(Claimed job, JobLimit... limits) {
        return Settlement.done(job.token()).with(effects.of("p", job.queue(), List.of(limits)));
    }

    private static JobLimit rated(String name, int jobs, Duration per, int burst) {
        return new JobLimit(name, "", new LimitNumbers(null, new LimitRate(jobs, per, burst)));
    }

    private double wake(String place) {
        return bed.redis.texts().zscore("jobs:wake", place);
    }

    /** Lets that much time pass for a rate. */
    private void pass(String place, Duration time) {
        long next = Long.parseLong(bed.redis.texts().hget("jobs:rate", place));
        bed.redis.texts().hset("jobs:rate", place, Long.toString(next - time.toNanos() / 1_000));
        if (bed.redis.texts().zscore("jobs:wake", place) != null) {
            bed.redis.texts().zincrby("jobs:wake", -time.toMillis() / 1e3, place);
        }
    }

    @Test
    void aBurstStartsAtOnceAndOthersAtTheirTime() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b", "c", "d", "e");
        double before = bed.now();
        assertThat(ask(worker.take(5, "mail"), api))
                .containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED, Answer.PARKED);
        assertThat(wake("api\n")).isBetween(before + 3_599.9, bed.now() + 3_600);
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(List.of("api\n"), Instant.now());
        assertThat(bed.queue("mail")).as("it is too early").isEmpty();

        pass("api\n", Duration.ofHours(1));
        double looked = bed.now();
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c");
        assertThat(wake("api\n")).as("in case c is lost").isBetween(looked + 4, bed.now() + 6);
        assertThat(ask(worker.take(5, "mail"), api)).containsExactly(Answer.ADMITTED);
        bed.redis.texts().zadd("jobs:wake", 1, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(wake("api\n")).isGreaterThan(bed.now() + 3_000);
    }

    @Test
    void asManyGoOnAsMayStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 3);
        bed.push("mail", "1", "2", "3", "a", "b", "c", "d", "e");
        ask(worker.take(8, "mail"), api);

        pass("api\n", Duration.ofMinutes(125)); // two, and a little
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a", "b");

        pass("api\n", Duration.ofHours(9)); // no more than a burst
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("c", "d", "e", "a", "b");
    }

    /** The first one starts at once; so many others are parked at {@link #ERP}. */
    private void park(int count) {
        bed.push("mail", jobs(0, count + 1).toArray(String[]::new));
        for (List<Claimed> jobs = worker.take(100, "mail"); !jobs.isEmpty(); jobs = worker.take(100, "mail")) {
            ask(jobs, ERP);
        }
    }

    private static List<String> jobs(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> String.format("job %03d", i))
                .toList();
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

    private static final int SMALL = 10_000;

    /** Over a connection whose calls carry few bytes; each look makes one call. */
    private ParkedJobs smallSteps(RedisConnection small) {
        AtomicLong nanos = new AtomicLong();
        return new ParkedJobs(
                small, bed.keys, () -> nanos.addAndGet(Duration.ofMillis(10).toNanos()));
    }

    private static RedisConnection small() {
        return bed.redis.connections("").withLimits(new CallLimits(SMALL)).open("small");
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
    private long looks(ParkedJobs jobs, int most, String... places) {
        long all = 0;
        bed.redis.texts().zrem("jobs:wake", "");
        List<String> due = List.of(places);
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

    /** Those that were moved have not started yet: the next look is only for the time since. */
    @Test
    void aLookDoesNotMoveJobsForATimeForWhichOthersWereMoved() {
        JobLimit api = rated("api", 10, Duration.ofMinutes(1), 5);
        bed.push("mail", "1", "2", "3", "4", "5", "a", "b", "c", "d", "e");
        ask(worker.take(10, "mail"), api);
        bed.redis.texts().hset("jobs:rate", "api\n", Long.toString((long) (bed.now() * 1e6) - 13_000_000));
        bed.redis.texts().zadd("jobs:wake", bed.now() - 13, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a", "b", "c");

        bed.redis.texts().zadd("jobs:wake", bed.now() - 0.01, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("d", "a", "b", "c");
    }

    /** It can't tell that apart from a job that somebody deleted, whose start must not take an hour longer. */
    @Test
    void aLookSecondsLaterMovesOneMoreForAStartThatIsNotTaken() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "1", "a", "b", "c");
        ask(worker.take(4, "mail"), api);
        parked.look(bed.sets().due(10).looks(), Instant.now()); // at all keys, for the next minute
        pass("api\n", Duration.ofHours(1));
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.sets().due(10).looks()).as("not before some seconds").isEmpty();

        assertThat(wake("api\n")).isLessThan(bed.now() + 6);
        bed.redis.texts().zadd("jobs:wake", bed.now(), "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("b", "a");
        assertThat(ask(worker.take(2, "mail"), api)).containsExactly(Answer.ADMITTED, Answer.PARKED);
        bed.redis.texts().zadd("jobs:wake", bed.now(), "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("one has started").isEmpty();
        assertThat(wake("api\n")).isGreaterThan(bed.now() + 3_000);
    }

    /** Else the second one would be before the first in the queue, and take its start. */
    @Test
    void theLookAtAllKeysMovesNoneForAStartForWhichOneWasJustMoved() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "1", "a", "b");
        ask(worker.take(3, "mail"), api);
        parked.look(List.of(""), Instant.now());
        pass("api\n", Duration.ofHours(1));

        parked.look(List.of("api\n", ""), Instant.now().plusSeconds(61));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(wake("api\n")).as("in case a is lost").isLessThan(bed.now() + 6);

        new JobQueues(bed.connection, bed.keys).lookAtAll();
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("somebody asked").containsExactly("b", "a");
    }

    @Test
    void jobsDoNotStayParkedWhenTheClockIsSetBackByADay() {
        JobLimit api = rated("api", 1, Duration.ofMinutes(1), 1);
        bed.push("mail", "1", "a");
        ask(worker.take(2, "mail"), api);
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.sets().due(10).looks()).as("what is due is done").isEmpty();
        bed.redis.texts().hset("jobs:rate", "api\n", Long.toString((long) ((bed.now() + 86_400) * 1e6)));
        bed.redis.texts().zincrby("jobs:wake", 86_400, "api\n");
        bed.redis.texts().zincrby("jobs:wake", 86_400, "");

        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.sets().due(10).looks()).isEmpty();
    }

    /** It comes before the leader has looked, or before what the leader moved has started. */
    @Test
    void aNewerJobTakesNoStartFromAParkedOne() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "old", "next");
        ask(worker.take(3, "mail"), api);
        pass("api\n", Duration.ofHours(1));

        bed.push("mail", "new");
        Claimed late = worker.takeOne("mail");
        assertThat(permits.admit("p", List.of(new Asking(late.token(), "mail", 2L, List.of(api), List.of()))))
                .contains(List.of(Answer.PARKED));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        Claimed moved = worker.takeOne("mail");
        assertThat(ScriptTestBed.text(moved.payload())).isEqualTo("old");
        bed.push("mail", "newest");
        assertThat(permits.admit(
                        "p", List.of(new Asking(worker.takeOne("mail").token(), "mail", 2L, List.of(api), List.of()))))
                .contains(List.of(Answer.PARKED));
        assertThat(ask(List.of(moved), api)).containsExactly(Answer.ADMITTED);
    }

    /** Jobs wait at a hundred keys, and those of a paused queue are passed by. */
    @ParameterizedTest
    @ValueSource(strings = {"paused", "mail"})
    void askingReadsFewOfTheParkedJobs(String queue) {
        String ballast = "x".repeat(100_000);
        bed.redis.texts().sadd("paused", "paused");
        for (int key = 0; key < 100; key++) {
            for (int job = 0; job < 10; job++) {
                String place = String.format("%d\n%016d\n%s\n1\n", key, job, queue);
                bed.redis.texts().zadd("jobs:parked:api", 0, place + job + ballast);
            }
            bed.redis.texts().zadd("jobs:wake", 1, "api\n" + key);
        }
        bed.push("mail", IntStream.range(0, 100).mapToObj(i -> "job " + i).toArray(String[]::new));
        LimitNumbers rate = new LimitNumbers(null, new LimitRate(9, Duration.ofHours(1), 9));
        List<Asking> asking = new ArrayList<>();
        for (Claimed job : worker.take(100, "mail")) {
            List<JobLimit> limit = List.of(new JobLimit("api", String.valueOf(asking.size()), rate));
            asking.add(new Asking(job.token(), "mail", 20L, limit, List.of()));
        }
        bed.redis.texts().configResetstat();

        List<Answer> answers = permits.admit("p", asking).orElseThrow();

        assertThat(bed.redis.texts().info("commandstats")).as("a megabyte").contains("cmdstat_zrangebylex:calls=11,");
        assertThat(answers.get(0)).isEqualTo(queue.equals("paused") ? Answer.ADMITTED : Answer.PARKED);
    }

    @Test
    void aJobWithoutATimeTakesItsTurn() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        for (Claimed job : jobs) {
            permits.admit("p", List.of(new Asking(job.token(), "mail", null, List.of(api), List.of())));
        }
        assertThat(bed.members("jobs:parked:api")).hasSize(2);
        pass("api\n", Duration.ofHours(1));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        Claimed next = worker.takeOne("mail");

        assertThat(ScriptTestBed.text(next.payload())).isEqualTo("b");
        assertThat(permits.admit("p", List.of(new Asking(next.token(), "mail", null, List.of(api), List.of()))))
                .contains(List.of(Answer.ADMITTED));
    }

    @Test
    void aRepeatedCallIsOneStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs.subList(0, 1), api);

        assertThat(ask(jobs, api)).containsExactly(Answer.ADMITTED, Answer.ADMITTED);
    }

    private Map<Integer, Effect> startsOf(List<Claimed> jobs, JobLimit limit) {
        Map<Integer, Effect> starts = new HashMap<>();
        List<Asking> asking = jobs.stream()
                .map(job -> new Asking(job.token(), job.queue(), 1L, List.of(limit), List.of()))
                .toList();
        assertThat(permits.admit("p", asking, starts::put).orElseThrow()).containsOnly(Answer.ADMITTED);
        return starts;
    }

    private Settlement back(Claimed job, Effect start, JobLimit limit) {
        List<Effect> all = new ArrayList<>(List.of(start));
        all.addAll(effects.of("p", job.queue(), List.of(limit)));
        return Settlement.handedBack(job.token(), job.queue(), false).with(all);
    }

    @Test
    void jobsThatGoBackBeforeTheyBeganGiveTheirStartsBackTheNewestFirst() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(2, "mail");
        Map<Integer, Effect> starts = startsOf(jobs, api);

        worker.settle(back(jobs.get(1), starts.get(1), api), back(jobs.get(0), starts.get(0), api));

        assertThat(ask(worker.take(3, "mail"), api)).containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED);
    }

    @Test
    void aStartStaysUsedUpOnceAnotherOneWasTaken() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        Effect start = startsOf(jobs.subList(0, 1), api).get(0);
        ask(jobs.subList(1, 2), api);

        worker.settle(back(jobs.get(0), start, api));

        assertThat(ask(worker.take(1, "mail"), api)).containsExactly(Answer.PARKED);
    }

    @Test
    void aRepeatedCallTellsOfNoStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");

        assertThat(startsOf(jobs, api)).hasSize(1);
        assertThat(startsOf(jobs, api)).isEmpty();
    }

    @Test
    void aStartThatCannotBeGivenBackKeepsNoJob() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        Effect start = startsOf(jobs, api).get(0);
        bed.redis.texts().del("jobs:rate");
        bed.redis.texts().set("jobs:rate", "x");

        assertThat(worker.settle(back(jobs.get(0), start, api)).moves()).containsExactly(1);

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.redis.texts().get("jobs:rate")).isEqualTo("x");
    }

    @Test
    void noStartIsTakenUnlessAllLimitsLetTheJobStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs.subList(0, 1), ERP);

        assertThat(ask(jobs.subList(1, 2), api, ERP)).containsExactly(Answer.PARKED);

        assertThat(bed.redis.texts().exists("jobs:rate")).isZero();
        assertThat(ask(jobs.subList(2, 3), api, api)).containsExactly(Answer.ADMITTED);
        assertThat(Long.parseLong(bed.redis.texts().hget("jobs:rate", "api\n")))
                .as("named twice, taken once")
                .isLessThan((long) ((bed.now() + 3_601) * 1e6));
    }

    @Test
    void aPermitIsHandedOverOnlyIfTheRateLetsTheNextJobStart() {
        JobLimit both = new JobLimit("both", "", new LimitNumbers(1, new LimitRate(1, Duration.ofHours(1), 2)));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, both);
        assertThat(bed.redis.texts().zscore("jobs:wake", "both\n"))
                .as("a permit will come")
                .isNull();

        List<Claimed> next = worker.exchange(0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), both)))
                .claimed();
        assertThat(next).singleElement().satisfies(job -> assertThat(job.place())
                .isEqualTo("both\n"));
        assertThat(worker.exchange(0, 1, 0, List.of("mail"), List.of(done(next.get(0), both)))
                        .claimed())
                .isEmpty();

        assertThat(bed.queue("mail")).isEmpty();
        assertThat(bed.members("jobs:permits:both")).isEmpty();
        assertThat(wake("both\n")).isBetween(bed.now() + 3_500, bed.now() + 3_600);
    }

    @Test
    void aRaisedRateCountsAtOnce() {
        JobLimit api = rated("api", 1, Duration.ofDays(1), 1);
        bed.push("mail", "a", "b", "c");
        ask(worker.take(3, "mail"), api);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.next("api", "")).isGreaterThan(Duration.ofHours(23));
        assertThat(states.next("api", "other")).isZero();

        assertThat(states.set("api", new LimitNumbers(null, new LimitRate(1, Duration.ofMillis(1), 1))))
                .isTrue();
        assertThat(states.set("api", LimitNumbers.atOnce(7))).isTrue();
        await().until(() -> {
            parked.look(bed.sets().due(10).looks(), Instant.now());
            return !bed.queue("mail").isEmpty();
        });

        assertThat(bed.queue("mail")).contains("b");
        assertThat(states.read("api", 10, null).set())
                .isEqualTo(new LimitNumbers(7, new LimitRate(1, Duration.ofMillis(1), 1)));
        assertThat(states.reset("api")).isTrue();
        assertThat(states.read("api", 10, null).set()).isEqualTo(LimitNumbers.NONE);
    }

    /** Only people said how many may run, and take it back. */
    @Test
    void jobsOfALimitThatIsNoMoreGoOn() {
        JobLimit called = new JobLimit("called", "", null);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        states.set("called", LimitNumbers.atOnce(1));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        assertThat(ask(jobs, called)).containsExactly(Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        assertThat(states.reset("called")).isTrue();
        worker.settle(done(jobs.get(0), called));
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.members("jobs:parked:called")).isEmpty();
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("b", "c");
        assertThat(states.forget("called")).isTrue();
        assertThat(states.names()).isEmpty();
    }

    /** The jobs have permits from the time in which there was a limit on them. */
    @Test
    void theEndOfAJobLetsNoneGoOnThatWaitsForItsTime() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        states.set("api", LimitNumbers.atOnce(9));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, api);
        states.reset("api");
        pass("api\n", Duration.ofHours(1)); // one may start; the leader looks soon

        worker.settle(done(jobs.get(0), api));

        assertThat(bed.members("jobs:parked:api")).hasSize(2);
        parked.look(List.of("api\n"), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("b");
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
    void aBrokenKeyOfRatesKeepsTheJobWhereItIs() {
        bed.push("mail", "a");
        bed.redis.texts().set("jobs:rate", "x");

        assertThat(ask(worker.take(1, "mail"), rated("api", 1, Duration.ofHours(1), 1)))
                .containsExactly(Answer.BROKEN);

        parked.look(List.of("", "api\n"), Instant.now());
        assertThat(bed.inFlight("p")).hasSize(1);
    }

    /** Those of scripts included. */
    private static long commands(Runnable call) {
        long before = commands();
        call.run();
        return commands() - before;
    }

    private static long commands() {
        return bed.redis
                .texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.contains("calls=") && !line.startsWith("cmdstat_info"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*calls=(\\d+),.*", "$1")))
                .sum();
    }

    /** A limit that isn't full must not cost several commands for each job. */
    @Test
    void aHundredJobsShareCommands() {
        JobLimit wide =
                new JobLimit("wide", "", new LimitNumbers(1_000, new LimitRate(1_000, Duration.ofHours(1), 1_000)));
        bed.push("mail", IntStream.range(0, 100).mapToObj(i -> "job " + i).toArray(String[]::new));
        List<Claimed> jobs = worker.take(100, "mail");

        assertThat(commands(() -> assertThat(ask(jobs, wide)).containsOnly(Answer.ADMITTED)))
                .isLessThan(25);
        assertThat(bed.members("jobs:permits:wide")).hasSize(100);
        List<Settlement> ends = jobs.stream().map(job -> done(job, wide)).toList();
        assertThat(commands(() -> worker.settle(ends.toArray(Settlement[]::new))))
                .as("one for each job, which tells whether it came too late")
                .isBetween(100L, 125L);

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void jobsOfSeveralKeysThatEndTogetherLetTheirOwnKeysGoOn() {
        JobLimit other = new JobLimit("shop", "6", LimitNumbers.atOnce(2));
        bed.push("mail", "a5", "a6", "b5", "b6", "c5", "c6", "d5", "d6");
        List<Claimed> jobs = worker.take(8, "mail");
        for (Claimed job : jobs) {
            ask(List.of(job), ScriptTestBed.text(job.payload()).endsWith("5") ? SHOP : other);
        }
        assertThat(bed.members("jobs:parked:shop")).hasSize(4);
        Settlement first = done(jobs.get(0), SHOP);

        worker.settle(first, done(jobs.get(1), other), done(jobs.get(2), SHOP), first);

        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("c5", "d5", "c6");
        assertThat(bed.members("jobs:permits:shop")).hasSize(1);
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

    /** As those of a bulk call are. */
    @Test
    void jobsOfOneMillisecondGoOnInTheOrderInWhichTheyWereParked() {
        List<String> pushed = jobs(0, 25).stream()
                .sorted(Comparator.comparing(
                        job -> new StringBuilder(job).reverse().toString()))
                .toList();
        bed.push("mail", pushed.toArray(String[]::new));
        ask(worker.take(13, "mail"), ERP);
        ask(worker.take(12, "mail"), ERP);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.waiting("erp", "", 0, 100).items())
                .extracting(job -> Bytes.text(job.payload()))
                .containsExactlyElementsOf(pushed.subList(1, 25));
        bed.redis.texts().hset("jobs:limits", "s:erp", "25");

        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.queue("mail")).containsExactlyElementsOf(pushed.subList(1, 25));
    }

    private void park(String queue, int time, String job) {
        bed.redis.texts().zadd("jobs:parked:erp", 0, String.format("\n%016d\n%s\n1\n%s", time, queue, job));
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
        List<String> places = new ArrayList<>();
        for (int key = 0; key < manyKeys; key++) {
            places.add("api\n" + key);
            bed.redis.texts().zadd("jobs:wake", 0, places.get(key));
            List<Object> members = new ArrayList<>();
            for (int job = 0; job < jobs; job++) {
                members.addAll(List.of(0.0, String.format("%d\n%016d\npaused\n1\n", key, job) + job + ballast));
            }
            bed.redis.texts().zadd("jobs:parked:api", members.toArray());
        }

        parked.look(places, Instant.now());

        assertThat(bed.redis.texts().zcard("jobs:wake"))
                .as("after a thousand, or four megabytes")
                .isBetween(manyKeys / 3L, manyKeys / 2L);
        parked.look(bed.sets().due(100).looks(), Instant.now());
        assertThat(bed.redis.texts().zcard("jobs:wake")).isZero();
    }

    @Test
    void aPermitOfAJobOfAPausedQueueGoesToAnotherQueue() {
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs, ERP);
        park("low", 2, "c");
        bed.redis.texts().sadd("paused", "mail");

        worker.settle(done(jobs.get(0), ERP));
        assertThat(bed.queue("mail")).isEmpty();
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("low")).containsExactly("c");
        assertThat(bed.queue("mail")).isEmpty();
    }

    @Test
    void aJobThatWaitsElsewhereLeavesItsPlaceToOthersAtOnce() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        assertThat(ask(jobs.subList(0, 1), ERP)).containsExactly(Answer.ADMITTED);
        JobLimit single = new JobLimit("single", "", LimitNumbers.atOnce(1));
        bed.redis.texts().zadd("jobs:parked:single", 0, "\n0000000000000001\nmail\n1\nwaits");

        assertThat(ask(jobs.subList(1, 2), single, ERP)).containsExactly(Answer.PARKED);

        assertThat(bed.redis.texts().zscore("jobs:wake", "single\n")).isZero();
    }

    @Test
    void equalBytesAreTwoJobs() {
        bed.push("mail", "a", "same", "same");
        List<Claimed> jobs = worker.take(3, "mail");

        assertThat(ask(jobs, ERP)).containsExactly(Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        assertThat(bed.members("jobs:parked:erp")).hasSize(2);
    }

    @Test
    void theSameCallGivesThePermitToTheNextJob() {
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs, ERP);

        List<Claimed> next = worker.exchange(0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), ERP)))
                .claimed();

        assertThat(next).singleElement().satisfies(job -> assertThat(job.place() != null)
                .isTrue());
        assertThat(bed.members("jobs:permits:erp"))
                .containsExactly("\np\n" + next.get(0).token());
        assertThat(worker.repeat(worker.last()).claimed())
                .singleElement()
                .satisfies(job -> assertThat(job.place() != null).isFalse());
        assertThat(ask(next, ERP)).containsExactly(Answer.ADMITTED);
        assertThat(bed.members("jobs:permits:erp")).hasSize(1);
        assertThat(bed.books().conservationError()).isZero();
    }

    /** Of two that end, each lets one of two equal jobs go on: the claim knows them apart by their bytes only. */
    @Test
    void equalBytesAreHandedOverOnceAndTheOtherIsLookedAtLater() {
        bed.push("mail", "a", "b", "same", "same");
        List<Claimed> jobs = worker.take(4, "mail");
        assertThat(ask(jobs, SHOP)).containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        List<Claimed> next = worker.exchange(
                        0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), SHOP), done(jobs.get(1), SHOP)))
                .claimed();

        assertThat(next).singleElement().satisfies(job -> assertThat(job.place())
                .isEqualTo("shop\n5"));
        assertThat(bed.queue("mail")).containsExactly("same");
        assertThat(bed.redis.texts().zscore("jobs:wake", "shop\n5")).isGreaterThan(bed.now());
    }

    @Test
    void howeverAJobLeavesTheNextOneGoesOn() {
        bed.push("mail", "a", "b", "c", "d", "e", "f", "g", "h");
        JobLimit many = new JobLimit("many", "", LimitNumbers.atOnce(8));
        List<Claimed> all = worker.take(8, "mail");
        ask(all, many);
        bed.push("mail", jobs(0, 8).toArray(String[]::new));
        ask(worker.take(8, "mail"), many);
        assertThat(bed.members("jobs:parked:many")).hasSize(8);
        List<Settlement> ends = List.of(
                Settlement.done(all.get(0).token()),
                Settlement.failed(all.get(1).token()),
                Settlement.discarded(all.get(2).token()),
                Settlement.skipped(all.get(3).token()),
                Settlement.dead(all.get(4).token(), all.get(4).payload(), true),
                Settlement.retried(
                        all.get(5).token(), Duration.ofDays(1), all.get(5).payload()),
                Settlement.postponed(
                        all.get(6).token(), Duration.ofDays(1), all.get(6).payload()),
                Settlement.handedBack(all.get(7).token(), "low", true));
        for (int i = 0; i < ends.size(); i++) {
            worker.settle(ends.get(i).with(effects.of("p", "mail", List.of(many))));
            assertThat(bed.members("jobs:permits:many")).hasSize(7 - i);
            assertThat(bed.queue("mail")).as("after %s", ends.get(i).outcome()).hasSize(i + 1);
        }
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(bed.members("jobs:parked:many")).isEmpty();
    }

    @Test
    void thePermitsOfADeadProcessAreFreeWithItsJobs() {
        Worker dead = bed.worker("dead").join();
        bed.push("mail", "a", "b");
        List<Claimed> taken = dead.take(1, "mail");
        permits.admit("dead", List.of(new Asking(taken.get(0).token(), "mail", 1L, List.of(ERP), List.of())));
        assertThat(ask(worker.take(1, "mail"), ERP)).containsExactly(Answer.PARKED);

        bed.redis.texts().zadd("jobs:beats", -1, "dead");
        bed.leases().reap("dead");

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b");
    }

    /** Nobody asks for the permit that was left to it, so the leader looks again. */
    @Test
    void aDeletedJobThatWasToGoOnKeepsNoOtherWaiting() {
        bed.push("mail", "a", "lost", "next");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, ERP);
        worker.settle(done(jobs.get(0), ERP));
        assertThat(bed.queue("mail")).containsExactly("lost");
        bed.redis.texts().del("queue:mail");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("too early").isEmpty();

        bed.redis.texts().zincrby("jobs:wake", -6, "erp\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("next");
    }

    @Test
    void aProcessThatWasGivenUpGetsNone() {
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "p");

        assertThat(permits.admit("p", List.of(new Asking(jobs.get(0).token(), "mail", 1L, List.of(ERP), List.of()))))
                .isEmpty();
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void aBrokenKeyKeepsTheJobWhereItIs() {
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        bed.redis.texts().set("jobs:parked:erp", "x");

        assertThat(ask(jobs, ERP)).containsExactly(Answer.BROKEN);

        assertThat(bed.inFlight("p")).hasSize(1);
    }

    @Test
    void aFullRedisParksAndReleases() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        bed.fill();
        try {
            assertThat(ask(jobs, api, ERP)).containsExactly(Answer.ADMITTED, Answer.PARKED);
            assertThat(worker.settle(done(jobs.get(0), api, ERP)).moves()).containsExactly(1);
        } finally {
            bed.drain();
        }
        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }
}
