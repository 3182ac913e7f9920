package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.admin.ScanBudget;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaPart;
import dev.jobs.store.Check;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoreScripts;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import dev.jobs.trash.JobTrash;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts that take, keep and release the locks of unique jobs. */
class JobLocksIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final Instant NOW = Instant.ofEpochSecond(1_795_000_000);
    private static final long HOUR = 3_600_000;
    private static final long DAYS_30 = Duration.ofDays(30).toMillis();

    private final JobLocks locks = new JobLocks(bed.connection, bed.keys);
    private final LockEffects effects = new LockEffects(bed.keys);
    private final JobPushes pushes = new JobPushes(bed.connection, bed.keys, Duration.ofSeconds(5));

    @AfterEach
    void empty() {
        bed.clear();
    }

    private static Payload job(String jid, String lock, String until) {
        return Payload.of(Map.of(
                "class",
                "A",
                "args",
                List.of(),
                "jid",
                jid,
                "unique_lock",
                lock,
                "unique_for",
                3_600,
                "unique_until",
                until));
    }

    private PushAnswers push(Payload... jobs) {
        JobPushes.Sent sent = pushes.sendPush(
                "mail",
                List.of(jobs).stream().map(Payload::bytes).toList(),
                List.of(jobs).stream().map(job -> locks.checks(job, () -> NOW)).toList());
        try {
            return sent.await();
        } finally {
            sent.giveUp();
        }
    }

    private String holder(String lock) {
        return bed.redis.texts().get("unique:" + lock);
    }

    private long left(String lock) {
        return bed.redis.texts().pttl("unique:" + lock);
    }

    @Test
    void thePushThatTakesTheLockStoresTheJobAndAllOthersLearnTheHolder() {
        assertThat(push(job("j1", "K", "success")).refused()).isEmpty();
        assertThat(push(job("j2", "K", "success"), job("j3", "L", "success"), job("j4", "L", "success"))
                        .refused())
                .isEqualTo(Map.of(0, "locked:j1", 2, "locked:j3"));

        assertThat(bed.queue("mail")).hasSize(2);
        assertThat(holder("K")).isEqualTo("j1");
        assertThat(left("K")).isBetween(HOUR - 60_000, HOUR);
    }

    @Test
    void theSameJobMayBeStoredAgain() {
        push(job("j1", "K", "success"));

        assertThat(push(job("j1", "K", "success")).refused()).isEmpty();
        assertThat(bed.queue("mail")).hasSize(2);
    }

    @Test
    void theDelayOfAScheduledJobAddsToItsLock() {
        Payload job = job("j1", "K", "success").with("at", NOW.getEpochSecond() + 7_200.5);
        List<List<Check>> checks = List.of(locks.checks(job, () -> NOW));

        pushes.sendSchedule(List.of(new JobPushes.Due("1795007200.5", job.bytes())), checks)
                .await();

        assertThat(left("K")).isBetween(3 * HOUR - 60_000, 3 * HOUR + 500);
    }

    @Test
    void aHolderOfAnotherProgramIsToldWithoutWhatAnAnswerCantHave() {
        bed.redis.texts().set("unique:K", "two words\n" + "x".repeat(100));

        assertThat(push(job("j1", "K", "success")).refused().get(0)).isEqualTo("locked:two?words?" + "x".repeat(54));
        assertThat(bed.queue("mail")).isEmpty();
    }

    @Test
    void aKeyOfAnotherTypeIsAnError() {
        bed.redis.texts().rpush("unique:K", "a");

        assertThatThrownBy(() -> push(job("j1", "K", "success")))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
        assertThat(bed.queue("mail")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "done",
                "failed",
                "dead",
                "discarded",
                "skipped",
                "deleted",
                "refused",
                "poisoned",
                "expired",
                "lost",
                "new"
            })
    void anEndReleasesTheLockOfItsJobAlone(String outcome) {
        bed.redis.texts().set("unique:K", "j1");
        bed.redis.texts().set("unique:L", "j9");
        bed.redis.texts().rpush("unique:M", "a");

        apply(outcome, job("j1", "K", "success"), job("j1", "L", "success"), job("j1", "M", "success"));
        assertThat(bed.everything()).containsOnlyKeys("unique:L", "unique:M", "jobs:effects:lost");

        bed.redis.texts().set("unique:K", "j1");
        apply(outcome, job("j1", "K", "start"), job("j1", "L", "start"));
        assertThat(bed.everything()).containsOnlyKeys("unique:L", "unique:M", "jobs:effects:lost");
    }

    @ParameterizedTest
    @CsvSource({
        "handed_back, 0",
        "interrupted, 0",
        "recovered, 0",
        "queue, 0",
        "retried, 30",
        "postponed, 30",
        "set, 30"
    })
    void aMoveArmsTheLockAnewOrTakesItIfItIsFree(String outcome, int days) {
        bed.redis.texts().psetex("unique:K", 1_000, "j1");
        bed.redis.texts().psetex("unique:L", 50_000, "j9");
        bed.redis.texts().rpush("unique:M", "a");

        apply(
                outcome,
                job("j1", "K", "success"),
                job("j1", "L", "success"),
                job("j1", "M", "success"),
                job("j1", "N", "success"));

        long most = HOUR + Duration.ofDays(days).toMillis();
        assertThat(left("K")).isBetween(most - 60_000, most);
        assertThat(holder("N")).isEqualTo("j1");
        assertThat(left("N")).isBetween(most - 60_000, most);
        assertThat(holder("L")).isEqualTo("j9");
        assertThat(left("L")).isBetween(1L, 50_000L);
        assertThat(bed.redis.texts().llen("unique:M")).isEqualTo(1);
    }

    @Test
    void aJobThatIsDueLaterKeepsItsLongerLockInASetAndNotInAQueue() {
        bed.redis.texts().psetex("unique:K", 3 * DAYS_30, "j1");

        apply("set", job("j1", "K", "success"));
        assertThat(left("K")).isGreaterThan(2 * DAYS_30);

        apply("queue", job("j1", "K", "success"));
        assertThat(left("K")).isBetween(HOUR - 60_000, HOUR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"handed_back", "interrupted", "recovered", "queue", "retried", "postponed", "set"})
    void aMoveDoesNotMatterIfTheLockEndsWhenTheJobStarts(String outcome) {
        bed.redis.texts().psetex("unique:K", 50_000, "j1");

        apply(outcome, job("j1", "K", "start"), job("j1", "L", "start"));

        assertThat(left("K")).isBetween(1L, 50_000L);
        assertThat(holder("L")).isNull();
    }

    private static Payload job(int number) {
        return job("j" + number, "K" + number, "success");
    }

    private static Payload[] jobs(int count) {
        return IntStream.range(0, count).mapToObj(JobLocksIT::job).toArray(Payload[]::new);
    }

    /** The locks of {@link #job} from which its job has just begun to keep others, and no others. */
    private void assertHeld(long most, Integer... numbers) {
        assertThat(bed.redis.texts().keys("unique:*"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(numbers).map(each -> "unique:K" + each).toList());
        for (int number : numbers) {
            assertThat(holder("K" + number)).isEqualTo("j" + number);
            assertThat(left("K" + number)).as("K" + number).isBetween(most - 60_000, most);
        }
    }

    private void shorten(int count) {
        IntStream.range(0, count).forEach(i -> bed.redis.texts().pexpire("unique:K" + i, 50_000));
    }

    @Test
    void eachSettlementIsAnEndOrAMove() {
        push(jobs(9));
        Worker worker = bed.worker("p").join();
        List<Claimed> all = worker.take(9, "mail");
        shorten(9);
        byte[] bytes = all.get(0).payload();

        List<Settlement> inQueue = List.of(
                Settlement.handedBack(all.get(0).token(), "mail", true),
                Settlement.interrupted(all.get(1).token(), "mail", all.get(1).payload()));
        List<Settlement> inSet = List.of(
                Settlement.retried(all.get(2).token(), Duration.ofDays(1), bytes),
                Settlement.postponed(all.get(3).token(), Duration.ofDays(1), bytes));
        List<Settlement> ends = List.of(
                Settlement.done(all.get(4).token()),
                Settlement.failed(all.get(5).token()),
                Settlement.discarded(all.get(6).token()),
                Settlement.skipped(all.get(7).token()),
                Settlement.dead(all.get(8).token(), bytes, true));
        settle(worker, all, 4, ends);
        assertThat(bed.redis.texts().keys("unique:*")).hasSize(4);
        settle(worker, all, 0, inQueue);
        settle(worker, all, 2, inSet);

        bed.redis.texts().pexpire("unique:K2", left("K2") - DAYS_30);
        bed.redis.texts().pexpire("unique:K3", left("K3") - DAYS_30);
        assertHeld(HOUR, 0, 1, 2, 3);
    }

    private void settle(Worker worker, List<Claimed> jobs, int from, List<Settlement> settlements) {
        worker.settle(IntStream.range(0, settlements.size())
                .mapToObj(i ->
                        settlements.get(i).with(effects.of(jobs.get(from + i).payload())))
                .toArray(Settlement[]::new));
    }

    @Test
    void theDeathOfAProcessKeepsItUntilTheJobHasRunElsewhere() {
        push(jobs(1));
        bed.worker("dead").join().take(1, "mail");
        shorten(1);
        bed.redis.texts().zadd("jobs:beats", -1, "dead");

        new ProcessLeases(bed.connection, bed.keys, ScriptTestBed.TIMING, ScriptTestBed.LIMITS, 3, effects)
                .reap("dead");

        assertHeld(HOUR, 0);
        Worker other = bed.worker("p").join();
        settle(other, other.take(1, "mail"), 0, List.of(Settlement.done("0:1:1:mail")));
        assertHeld(HOUR);
    }

    @Test
    void eachMoveOfASetIsAnEndOrAMove() {
        JobSets sets = bed.sets(effects);
        byte[][] stored = Stream.of(jobs(6)).map(Payload::bytes).toArray(byte[][]::new);
        for (int i = 0; i < stored.length; i++) {
            bed.redis.bytes().zadd(bed.keys.schedule(), 4e9, stored[i]);
            bed.redis.texts().psetex("unique:K" + i, 50_000, "j" + i);
        }

        sets.move(
                StoredSet.SCHEDULE,
                List.of(
                        sets.toQueue(stored[0], "mail", stored[0]),
                        sets.toSet(stored[1], StoredSet.SCHEDULE, 4e9, stored[1]),
                        sets.toDead(stored[2], stored[2]),
                        sets.refuse(stored[3]),
                        sets.delete(stored[4])));

        assertThat(bed.redis.texts().keys("unique:*")).hasSize(3);
        assertThat(left("K5")).as("it stays").isBetween(1L, 50_000L);
        assertThat(left("K1")).isBetween(HOUR + DAYS_30 - 60_000, HOUR + DAYS_30);
        bed.redis.texts().del("unique:K1", "unique:K5");
        assertHeld(HOUR, 0);
    }

    @Test
    void aRevivedJobTakesItIfItIsFree() {
        JobSets sets = bed.sets(effects);
        byte[][] stored = Stream.of(jobs(2)).map(Payload::bytes).toArray(byte[][]::new);
        bed.redis.bytes().zadd(bed.keys.dead(), 1, stored[0]);
        bed.redis.bytes().zadd(bed.keys.dead(), 1, stored[1]);
        bed.redis.texts().set("unique:K1", "another");

        sets.move(
                StoredSet.DEAD,
                List.of(sets.toQueue(stored[0], "mail", stored[0]), sets.toQueue(stored[1], "mail", stored[1])));

        assertThat(holder("K1")).isEqualTo("another");
        bed.redis.texts().del("unique:K1");
        assertHeld(HOUR, 0);
    }

    @Test
    void anUndoneDeletionTakesItAgainIfItIsFree() {
        JobTrash trash = new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), effects);
        push(jobs(2));
        List<byte[]> both = List.of(job(0).bytes(), job(1).bytes());

        trash.add("mail", both, List.of(new byte[0], new byte[0]), "one", false);
        assertHeld(HOUR);
        bed.redis.texts().set("unique:K1", "another");
        assertThat(trash.restore(trash.newest(Instant.EPOCH, 0, 10).items())).containsExactly(1, 1);

        assertThat(holder("K1")).isEqualTo("another");
        bed.redis.texts().del("unique:K1");
        assertHeld(HOUR, 0);
    }

    @Test
    void aJobRestoredToTheDeadSetHasNone() {
        JobTrash trash = new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), effects);
        bed.redis.bytes().zadd(bed.keys.dead(), 1, job(0).bytes());
        trash.add(StoredSet.DEAD, List.of(job(0).bytes()), "one");

        assertThat(trash.restore(trash.newest(Instant.EPOCH, 0, 10).items())).containsExactly(1);

        assertThat(bed.members("dead")).hasSize(1);
        assertHeld(HOUR);
    }

    @Test
    void aThrottleHasNoEffects() {
        assertThat(effects.of(job("j1", "K", "expiry"))).isEmpty();
        assertThat(effects.of(job("j1", "K", "expiry").bytes())).isEmpty();
    }

    /** Applies the effects of jobs as the scripts that end and move jobs do. */
    private void apply(String outcome, Payload... jobs) {
        EffectEncoder encoder = new EffectEncoder(bed.keys);
        for (int i = 0; i < jobs.length; i++) {
            encoder.add(i + 1, effects.of(jobs[i].bytes()));
        }
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(outcome)));
        encoder.appendTo(keys, arguments);
        String script = "local again\n"
                + LuaPart.of(StoreScripts.class, "shared_effects").code()
                + LuaPart.of(JobLocks.class, "effect_lock").code() + "return each("
                + jobs.length + ", 2, function() return ARGV[1] end)";
        bed.redis
                .bytes()
                .eval(
                        script.getBytes(UTF_8),
                        ScriptOutputType.VALUE,
                        keys.toArray(byte[][]::new),
                        arguments.toArray(byte[][]::new));
    }

    @Test
    void aPayloadThatNamesNoLockOfOursHasNoEffects() {
        for (Payload odd : List.of(
                job("j1", "K", "success").with("unique_lock", 5),
                job("j1", "K", "success").with("unique_lock", "not a digest"),
                job("j1", "K", "success").with("unique_until", "whenever"),
                job("j1", "K", "success").with("unique_until", null),
                job("j1", "K", "success").with("unique_for", 0),
                job("j1", "K", "success").with("unique_for", false),
                job("j1", "K", "success").without("jid"),
                job("j1", "K", "success").without("unique_lock"))) {
            assertThat(effects.of(odd.bytes())).as(odd.asMap().toString()).isEmpty();
            assertThat(JobLock.of(odd)).isNull();
        }
        assertThat(effects.of("\"unique_lock\": no JSON".getBytes(UTF_8))).isEmpty();
        assertThat(JobLock.of(job("j1", "K", "success").with("unique_for", 0.5)))
                .isEqualTo(new JobLock("K", "j1", Until.SUCCESS, 500, OnConflict.SKIP));
    }

    @ParameterizedTest
    @EnumSource(Until.class)
    void onlyALockThatEndsWhenItsJobStartsIsReleasedThen(Until until) {
        Payload job = job("j1", "K", JobLock.textOf(until));
        push(job);

        assertThat(locks.begin("p", "token", job)).isTrue();
        assertThat(holder("K")).as("of a job that the process doesn't hold").isEqualTo("j1");

        bed.redis.texts().hset(new String(bed.keys.inFlight("p"), UTF_8), "token", new String(job.bytes(), UTF_8));
        assertThat(locks.begin("p", "token", job)).isTrue();
        assertThat(holder("K")).isEqualTo(until == Until.START ? null : "j1");

        bed.redis.texts().set("unique:K", "j9");
        assertThat(locks.begin("p", "token", job)).isTrue();
        assertThat(holder("K")).isEqualTo("j9");
    }

    private static ScanBudget atMost(int locks) {
        return new ScanBudget(locks, Duration.ofSeconds(10));
    }

    @Test
    void readsAndReleasesLocks() {
        IntStream.range(0, 2_500).forEach(i -> bed.redis.texts().set("other:" + i, "x"));
        push(job("j1", "K", "success"), job("j2", "L", "success"));
        bed.redis.texts().set("unique:M", "j3");
        bed.redis.texts().rpush("unique:N", "of another type");

        assertThat(locks.all(atMost(10)).items())
                .extracting(HeldLock::digest, HeldLock::holder)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("K", "j1"),
                        org.assertj.core.groups.Tuple.tuple("L", "j2"),
                        org.assertj.core.groups.Tuple.tuple("M", "j3"));
        assertThat(locks.all(atMost(10)).partial()).isFalse();
        assertThat(locks.all(atMost(2))).satisfies(some -> {
            assertThat(some.items()).hasSize(2);
            assertThat(some.partial()).isTrue();
        });
        assertThat(locks.all(new ScanBudget(10, Duration.ZERO)).partial()).isTrue();
        assertThat(locks.find("M").orElseThrow().left()).isNull();
        assertThat(locks.find("K").orElseThrow().left()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(locks.find("N")).isEmpty();
        assertThat(locks.find("O")).isEmpty();
        assertThat(locks.release("K", "j2")).isFalse();
        assertThat(locks.release("K", "j1")).isTrue();
        assertThat(locks.find("K")).isEmpty();
    }

    @Test
    void aClearedQueueLooksForLocksOnceTheyWereUsed() {
        assertThat(effects.hasAny(bed.connection)).isFalse();
        push(job("j1", "K", "success"));
        locks.noteUse();
        assertThat(effects.hasAny(bed.connection)).isTrue();

        assertThat(bed.clearing(effects).clear("mail")).isEqualTo(1);

        assertThat(bed.everything()).doesNotContainKey("unique:K");
    }
}
