package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.Check;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.TestPushes;
import dev.jobs.store.Worker;
import dev.jobs.testing.RedisProxy;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts that replace, bury or postpone duplicates of unique jobs, and debounce jobs. */
class DuplicatesIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final double LATER = 4e9;
    private static final long HOUR = 3_600_000;

    private final JobLocks locks = new JobLocks(bed.connection, bed.keys, new DeadSetBounds(3, Duration.ofDays(180)));
    private final LockEffects effects = new LockEffects(bed.keys);
    private final JobPushes pushes = new JobPushes(bed.connection, bed.keys, Duration.ofSeconds(5));
    private final JobSets sets = bed.sets(effects);

    @AfterEach
    void empty() {
        bed.drain();
        bed.clear();
    }

    private static Payload job(String jid, String conflict) {
        Map<String, Object> members = new HashMap<>(Map.of("class", "A", "args", List.of(), "jid", jid));
        members.put("created_at", 1_795_000_000_000L);
        if (conflict.equals("debounce")) {
            members.putAll(Map.of("debounce", "K", "debounce_pause", 60, "debounce_at_most", 150));
        } else {
            members.putAll(Map.of("unique_lock", "K", "unique_for", 3_600, "unique_conflict", conflict));
            members.put("unique_until", conflict.equals("later") ? "expiry" : "success");
        }
        return Payload.of(members);
    }

    private PushAnswers push(Payload... jobs) {
        return pushes.sendPush("mail", bytes(jobs), checks(jobs)).await();
    }

    private PushAnswers schedule(Payload... jobs) {
        return pushes.sendSchedule(
                        bytes(jobs).stream()
                                .map(payload -> new JobPushes.Due("4e9", payload))
                                .toList(),
                        checks(jobs))
                .await();
    }

    private static List<byte[]> bytes(Payload... jobs) {
        return Arrays.stream(jobs).map(Payload::bytes).toList();
    }

    private List<List<Check>> checks(Payload... jobs) {
        return Arrays.stream(jobs).map(job -> locks.checks(job, Instant::now)).toList();
    }

    /** Begins a job that a process holds. */
    private boolean begin(Payload job) {
        String held = new String(bed.keys.inFlight("holder"), UTF_8);
        bed.redis.texts().hset(held, "token", new String(job.bytes(), UTF_8));
        boolean may = locks.begin("holder", "token", job);
        bed.redis.texts().del(held);
        return may;
    }

    private List<String> scheduled() {
        return jids(bed.members("schedule"));
    }

    private static List<String> jids(List<String> payloads) {
        return payloads.stream()
                .map(payload -> Payload.parse(payload.getBytes(UTF_8)).jid())
                .toList();
    }

    private String holder() {
        return bed.redis.texts().get("unique:K");
    }

    private double due(Payload job) {
        return bed.redis.texts().zscore("schedule", new String(job.bytes(), UTF_8));
    }

    private static double now() {
        return System.currentTimeMillis() / 1_000.0;
    }

    private void promote(Payload job) {
        assertThat(sets.move(
                        StoredSet.SCHEDULE,
                        List.of(sets.toQueue(
                                job.bytes(), "mail", job.with("x", 1).bytes()))))
                .isNotNull();
    }

    @Test
    void aScheduledJobIsReplacedWithItsBytes() {
        Payload first = job("j1", "replace");
        assertThat(schedule(first).refused()).isEmpty();
        assertThat(schedule(job("j2", "replace"), job("j3", "replace")).refused())
                .isEmpty();

        assertThat(scheduled()).containsExactly("j3");
        assertThat(holder()).isEqualTo("j3");
        assertThat(push(job("j4", "replace")).refused()).isEmpty();
        assertThat(scheduled()).isEmpty();
        assertThat(jids(bed.queue("mail"))).containsExactly("j4");
        assertThat(begin(job("j4", "replace"))).isTrue();
    }

    @Test
    void aWaitingJobIsReplacedWhereverItIsUntilItBegins() {
        push(job("j1", "replace"));
        assertThat(push(job("j2", "replace")).refused()).isEmpty();
        assertThat(holder()).isEqualTo("j2");

        assertThat(begin(job("j1", "replace"))).isFalse();
        assertThat(begin(job("j2", "replace"))).isTrue();
        assertThat(push(job("j3", "replace")).refused()).isEqualTo(Map.of(0, "locked:j2"));
        assertThat(begin(job("j2", "replace"))).as("a repeated call").isTrue();
        assertThat(bed.queue("mail")).hasSize(2);
    }

    @Test
    void aJobThatGoesBackMayBeReplacedAgainAndAReplacedOneStaysSo() {
        Payload old = job("j1", "replace");
        Payload job = job("j2", "replace");
        schedule(old);
        promote(old);
        push(job);
        begin(job);
        Worker worker = bed.worker("p").join();
        List<JobClaims.Claimed> claimed =
                worker.exchange(0, 5, 1, List.of("mail"), List.of()).claimed();
        assertThat(claimed).hasSize(2);
        worker.settle(claimed.stream()
                .map(each -> Settlement.handedBack(each.token(), "mail", true).with(effects.of(each.payload())))
                .toArray(Settlement[]::new));

        assertThat(begin(old)).isFalse();
        assertThat(push(job("j3", "replace")).refused()).isEmpty();
        assertThat(begin(job)).isFalse();
        assertThat(begin(job("j3", "replace"))).isTrue();

        worker.exchange(0, 5, 1, List.of("mail"), List.of())
                .claimed()
                .forEach(each -> worker.settle(Settlement.done(each.token()).with(effects.of(each.payload()))));
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:twin:*")).isEmpty();
    }

    /** Its worker stops, and the thread that was about to run it comes too late. */
    @Test
    void aJobThatWentBackBeforeItBeganMayStillBeReplaced() {
        Payload old = job("j1", "replace");
        push(old);
        Worker worker = bed.worker("p").join();
        JobClaims.Claimed claimed = worker.takeOne("mail");
        worker.settle(Settlement.handedBack(claimed.token(), "mail", true).with(effects.of(claimed.payload())));

        assertThat(locks.begin(worker.id, claimed.token(), old)).isTrue();

        assertThat(push(job("j2", "replace")).refused()).isEmpty();
        assertThat(begin(old)).isFalse();
        assertThat(begin(job("j2", "replace"))).isTrue();
    }

    @Test
    void aReplacedJobThatMovesTakesNoLock() {
        Payload old = job("j1", "replace");
        Payload job = job("j2", "replace");
        push(old);
        push(job);
        Worker worker = bed.worker("p").join();
        List<JobClaims.Claimed> claimed =
                worker.exchange(0, 5, 1, List.of("mail"), List.of()).claimed();
        worker.settle(Settlement.done(claimed.get(1).token()).with(effects.of(job)));
        assertThat(holder()).isNull();

        worker.settle(
                Settlement.handedBack(claimed.get(0).token(), "mail", true).with(effects.of(old)));

        assertThat(jids(bed.queue("mail"))).containsExactly("j1");
        assertThat(holder()).isNull();
        assertThat(begin(old)).isFalse();
    }

    @Test
    void aPromotedJobIsNoLongerReplacedByItsBytes() {
        Payload first = job("j1", "replace");
        schedule(first);
        promote(first);
        assertThat(bed.redis.texts().hget("jobs:twin:K", "job")).isNull();

        push(job("j2", "replace"));

        assertThat(jids(bed.queue("mail"))).containsExactlyInAnyOrder("j1", "j2");
        assertThat(begin(first)).isFalse();
    }

    @Test
    void aRejectedJobIsInTheDeadSetWithTheHolder() {
        assertThat(push(job("j1", "reject"), job("j2", "reject")).refused()).isEqualTo(Map.of(1, "buried:j1"));

        assertThat(jids(bed.queue("mail"))).containsExactly("j1");
        Payload dead = Payload.parse(bed.members("dead").get(0).getBytes(UTF_8));
        assertThat(dead.jid()).isEqualTo("j2");
        assertThat(dead.text("error_class")).isEqualTo("dev.jobs.unique.DuplicateJobException");
        assertThat(dead.text("error_message")).isEqualTo("Job j1 held the lock of its key, so it was not run");
        assertThat(dead.has("failed_at")).isTrue();
        assertThat(Instant.ofEpochSecond(bed.redis
                        .texts()
                        .zscore("dead", bed.members("dead").get(0))
                        .longValue()))
                .isAfter(Instant.now().minusSeconds(60));

        push(job("j3", "reject"), job("j4", "reject"), job("j5", "reject"));
        assertThat(jids(bed.members("dead"))).as("trimmed").containsExactly("j4", "j5");
    }

    @Test
    void aHolderOfAnotherProgramDoesNotSpoilTheRejectedJob() {
        bed.redis.texts().set("unique:K", "\"},\\");

        push(job("j2", "reject"));

        assertThat(Payload.parse(bed.members("dead").get(0).getBytes(UTF_8)).text("error_message"))
                .startsWith("Job ???? held");
    }

    @Test
    void theLastJobOfAPeriodWaitsForItsEnd() {
        assertThat(push(job("j1", "later")).later()).isEmpty();
        bed.redis.texts().pexpire("unique:K", 50_000);
        Payload second = job("j2", "later");

        PushAnswers answers = push(second, job("j3", "later").with("expires_in", 60));

        assertThat(answers.refused()).isEmpty();
        assertThat(answers.later()).containsExactlyInAnyOrder(0, 1);
        assertThat(jids(bed.queue("mail"))).containsExactly("j1");
        assertThat(scheduled()).containsExactly("j3");
        String stored = bed.members("schedule").get(0);
        assertThat(bed.redis.texts().zscore("schedule", stored)).isBetween(now() + 40, now() + 51);
        assertThat(Payload.parse(stored.getBytes(UTF_8)).time("expiry"))
                .isAfter(Instant.now().plusSeconds(3_600));
        assertThat(holder()).isEqualTo("j3");
        assertThat(bed.redis.texts().pttl("unique:K")).isBetween(HOUR + 40_000, HOUR + 50_000);

        promote(Payload.parse(stored.getBytes(UTF_8)));
        assertThat(bed.redis.texts().keys("jobs:twin:*")).isEmpty();
        assertThat(push(job("j4", "later")).later()).containsExactly(0);
        assertThat(bed.redis.texts().zscore("schedule", bed.members("schedule").get(0)))
                .isGreaterThan(now() + 3_600);
    }

    @Test
    void aJobThatMayRunAtOnceTakesThePlaceOfOneThatNobodyPromoted() {
        push(job("j1", "later"));
        push(job("j2", "later"));
        bed.redis.texts().del("unique:K");

        assertThat(push(job("j3", "later")).later()).isEmpty();

        assertThat(jids(bed.queue("mail"))).containsExactlyInAnyOrder("j1", "j3");
        assertThat(scheduled()).isEmpty();
    }

    @Test
    void aDebouncedJobWaitsForAPauseButNotForEver() {
        Payload first = job("j1", "debounce");
        schedule(first);
        assertThat(due(first)).isBetween(now() + 50, now() + 60);
        String begun = String.valueOf(System.currentTimeMillis() - 50_000);
        bed.redis.texts().hset("jobs:twin:K", "first", begun);
        Payload second = job("j2", "debounce");
        schedule(second);
        assertThat(bed.redis.texts().hget("jobs:twin:K", "first"))
                .as("the time of the first call")
                .isEqualTo(begun);
        assertThat(scheduled()).containsExactly("j2");
        assertThat(due(second)).isBetween(now() + 50, now() + 60);

        bed.redis.texts().hset("jobs:twin:K", "first", String.valueOf(System.currentTimeMillis() - 140_000));
        Payload third = job("j3", "debounce");
        schedule(third);
        assertThat(scheduled()).containsExactly("j3");
        assertThat(due(third)).isBetween(now(), now() + 10);
    }

    @Test
    void aPromotedJobBeginsAnewWithTheNextOne() {
        Payload first = job("j1", "debounce");
        schedule(first);
        bed.redis.texts().hset("jobs:twin:K", "first", "1");
        promote(first);
        assertThat(bed.redis.texts().keys("jobs:twin:*")).isEmpty();

        Payload second = job("j2", "debounce");
        schedule(second);

        assertThat(jids(bed.queue("mail"))).containsExactly("j1");
        assertThat(scheduled()).containsExactly("j2");
        assertThat(due(second)).isBetween(now() + 50, now() + 60);
    }

    @Test
    void aTwinThatAnotherProgramLeftReplacesNothing() {
        Payload first = job("j1", "debounce");
        schedule(first);
        bed.redis.texts().del("schedule"); // as Ruby's pages do it: without effects
        bed.redis.texts().hset("jobs:twin:K", "first", "1");

        Payload second = job("j2", "debounce");
        schedule(second);

        assertThat(due(second)).isBetween(now() + 50, now() + 60);
    }

    @Test
    void aRescheduledJobIsStillReplaced() {
        Payload first = job("j1", "debounce");
        schedule(first);
        Entry entry = sets.lowest(StoredSet.SCHEDULE, 0, 1).get(0);
        bed.redis.texts().zadd("schedule", LATER + 1, new String(entry.payload(), UTF_8));

        schedule(job("j2", "debounce"));

        assertThat(scheduled()).containsExactly("j2");
    }

    @Test
    void marksOfReplacedJobsAreForgottenWhenThereAreVeryMany() {
        push(job("j1", "replace"));
        Map<String, String> marks = new HashMap<>();
        for (int i = 0; i < 10_000; i++) { // of jobs that a program without our effects took
            marks.put("-old" + i, "");
        }
        bed.redis.texts().hset("jobs:twin:K", marks);

        push(job("j2", "replace"));

        assertThat(bed.redis.texts().hgetall("jobs:twin:K")).isEqualTo(Map.of("-j1", "", "jid", "j2"));
        assertThat(begin(job("j1", "replace"))).isFalse();
        assertThat(begin(job("j2", "replace"))).isTrue();
    }

    @Test
    void aRejectedJobExpiresAsItWouldHave() {
        Payload second = job("j2", "reject").with("expires_in", 60);
        push(job("j1", "reject"), second);
        double expiry = ((Number) Payload.parse(bed.members("dead").get(0).getBytes(UTF_8))
                        .get("expiry"))
                .doubleValue();
        assertThat(expiry).isBetween(now() + 50, now() + 61);
    }

    @Test
    void aDebouncedJobThatIsPushedGoesToItsQueueInPlaceOfTheScheduledOne() {
        schedule(job("j1", "debounce"));

        push(job("j2", "debounce"));

        assertThat(scheduled()).isEmpty();
        assertThat(jids(bed.queue("mail"))).containsExactly("j2");
        assertThat(bed.redis.texts().keys("jobs:twin:*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"replace", "later", "debounce", "reject"})
    void aPushWhoseAnswerWasLostIsStoredOnce(String conflict) {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port());
                RedisConnection connection =
                        bed.redis.connections("", proxy.port()).open("test")) {
            TestPushes mine = new TestPushes(connection, bed.keys, Duration.ofSeconds(20), "mine");
            schedule(job("j1", conflict));
            mine.push("other", List.of("the connection is open from now on".getBytes(UTF_8)));
            proxy.loseAnswers(1, () -> bed.redis.texts().del("unique:K", "jobs:twin:K"));
            Payload second = job("j2", conflict);

            PushAnswers answers =
                    mine.sendPush("mail", bytes(second), checks(second)).await();

            assertThat(proxy.answersLeftToLose()).isZero();
            assertThat(answers.isStored(0)).isEqualTo(!conflict.equals("reject"));
            assertThat(answers.later()).hasSize(conflict.equals("later") ? 1 : 0);
        }
        List<String> all = new ArrayList<>(jids(bed.queue("mail")));
        all.addAll(scheduled());
        all.addAll(jids(bed.members("dead")));
        assertThat(all)
                .containsOnlyOnce("j2")
                .hasSize(conflict.equals("replace") || conflict.equals("debounce") ? 1 : 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"replace", "later", "debounce", "reject"})
    void aKeyOfAnotherTypeIsAnErrorBeforeAnythingIsWritten(String conflict) {
        Map<String, List<String>> keys = Map.of(
                "replace", List.of("unique:K", "jobs:twin:K"),
                "later", List.of("unique:K", "jobs:twin:K", "schedule"),
                "debounce", List.of("jobs:twin:K"),
                "reject", List.of("unique:K", "dead"));
        for (String key : keys.get(conflict)) {
            bed.clear();
            bed.redis.texts().rpush(key, "x");
            assertThatThrownBy(() -> push(job("j1", conflict)))
                    .as(key)
                    .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                            .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
            assertThat(bed.redis.texts().keys("*")).containsExactly(key);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"replace", "later", "debounce", "reject"})
    void aFullRedisKeepsWhatItHas(String conflict) {
        schedule(job("j1", conflict));
        SortedMap<String, Object> before = bed.stored();
        bed.fill();

        assertThatThrownBy(() -> push(job("j2", conflict)))
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(JobStoreException.Kind.FULL));

        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void aScheduledJobThatIsRestoredFromTheTrashMayBeReplaced() {
        JobTrash trash = new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), effects);
        Payload first = job("j1", "replace");
        schedule(first);
        trash.add(StoredSet.SCHEDULE, List.of(first.bytes()), "one");
        assertThat(bed.redis.texts().keys("*:K")).isEmpty();
        assertThat(trash.restore(trash.newest(Instant.EPOCH, 0, 10).items())).containsExactly(1);
        assertThat(holder()).isEqualTo("j1");

        assertThat(push(job("j2", "replace")).refused()).isEmpty();

        assertThat(holder()).isEqualTo("j2");
        assertThat(begin(first)).isFalse();
        assertThat(begin(job("j2", "replace"))).isTrue();
    }

    @Test
    void endsForgetWhatIsStoredOfAJob() {
        for (String conflict : List.of("replace", "later", "debounce")) {
            locks.noteUse();
            push(job("j0", conflict));
            schedule(job("j1", conflict));
            List<byte[]> all = new ArrayList<>();
            sets.lowest(StoredSet.SCHEDULE, 0, 10).forEach(entry -> all.add(entry.payload()));
            assertThat(all).as(conflict).hasSize(1);
            sets.move(StoredSet.SCHEDULE, all.stream().map(sets::delete).toList());
            bed.clearing(effects).clear("mail");
            assertThat(bed.redis.texts().keys("jobs:twin:*")).as(conflict).isEmpty();
            bed.clear();
        }
    }
}
