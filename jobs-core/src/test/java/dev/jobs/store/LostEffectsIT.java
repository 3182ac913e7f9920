package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.batches.BatchTestBed;
import dev.jobs.ends.Cancellations;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimiterRule;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.limits.JobLimit;
import dev.jobs.limits.LimitKeys;
import dev.jobs.limits.PermitEffects;
import dev.jobs.lists.LostEffects;
import dev.jobs.redis.Bytes;
import dev.jobs.results.JobReports;
import dev.jobs.results.ResultKeys;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each kind of effect: its key holds another type for a moment, in which its job ends or moves. There is a test for
 * each, with the name of the kind.
 */
class LostEffectsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final String LOST = "jobs:effects:lost";
    private static final String ASIDE = "aside";

    private final LostEffects lost = new LostEffects(bed.connection, bed.keys);
    private final LimitKeys limits = new LimitKeys(bed.keys);
    private Worker worker;

    @BeforeEach
    void begin() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    private static void breakKey(String key) {
        if (bed.redis.texts().exists(key) == 1) {
            bed.redis.texts().rename(key, ASIDE);
        }
        bed.redis.texts().xadd(key, Map.of("another", "type"));
    }

    private static void repairKey(String key) {
        bed.redis.texts().del(key);
        if (bed.redis.texts().exists(ASIDE) == 1) {
            bed.redis.texts().rename(ASIDE, key);
        }
    }

    private static List<String> notes() {
        return bed.redis.texts().lrange(LOST, 0, -1);
    }

    private static Instant now() {
        return Instant.ofEpochSecond(Long.parseLong(bed.redis.texts().time().get(0)));
    }

    /** The leader makes again what was noted. */
    private LostEffects.Result makeAgain() {
        LostEffects.Result result = lost.makeAgain(now());
        assertThat(notes()).isEmpty();
        return result;
    }

    /** A job has that outcome, while the key of the effect holds another type. */
    private void happenBroken(String key, String outcome, Effect... effects) {
        breakKey(key);
        happen(outcome, effects);
        repairKey(key);
        assertNoted(List.of(effects));
    }

    /** Each note has all keys of its effect: a kind that says too few in {@code keys} is made again with wrong ones. */
    private static void assertNoted(List<Effect> effects) {
        assertThat(notes()).hasSameSizeAs(effects);
        for (int i = 0; i < effects.size(); i++) {
            StringBuilder keys =
                    new StringBuilder(noted(Bytes.of(effects.get(i).keys().size())));
            effects.get(i).keys().forEach(key -> keys.append(noted(key)));
            assertThat(notes().get(i)).contains(keys);
        }
    }

    private static String noted(byte[] text) {
        return text.length + ":" + Bytes.text(text);
    }

    private static void happen(String outcome, Effect... effects) {
        List<byte[]> all = new ArrayList<>(List.of(bytes("states"), bytes("counters")));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(effects.length)));
        EffectEncoder happening = new EffectEncoder(bed.keys);
        for (int i = 0; i < effects.length; i++) {
            arguments.addAll(List.of(Bytes.of(0), Bytes.of(""), Bytes.of(outcome)));
            happening.add(i + 1, List.of(effects[i]));
        }
        happening.appendTo(all, arguments);
        bed.connection.call(Scripts.script("batch_mark"), all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }

    /** A held job ends, while the key of its effect holds another type. */
    private void settleBroken(String key, String token, List<Effect> effects) {
        breakKey(key);
        assertThat(worker.settle(Settlement.done(token).with(effects)).lateAcks())
                .isZero();
        repairKey(key);
        assertNoted(effects);
    }

    private String claimed() {
        bed.push("mail", "job");
        return worker.takeOne("mail").token();
    }

    @Test
    void everyKindHasATest() {
        List<String> tests = Arrays.stream(getClass().getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> method.getName().replaceFirst("[A-Z].*", ""))
                .toList();
        assertThat(tests).containsAll(Effect.KINDS);
    }

    @Test
    void batchTheNoteOfWhichIsLost() {
        BatchTestBed batches = new BatchTestBed(bed);
        String id = batches.batch(1, 1, BatchTestBed.plan());
        batches.lookAtAll();
        JobClaims.Claimed job = worker.takeOne(BatchTestBed.QUEUE);
        breakKey("jobs:batches:rest");
        worker.settle(batches.told(Settlement.done(job.token()), BatchTestBed.payload(id, 0)));
        repairKey("jobs:batches:rest");
        assertThat(batches.rest()).isEmpty();
        makeAgain();

        assertThat(batches.rest()).containsExactly(id);
        batches.lookAtAll();
        assertThat(batches.counters(id)).containsKeys("finished", "succeeded");
        batches.assertExact(id);
    }

    @Test
    void batchTheStatesOfWhichCanNotBeWritten() {
        BatchTestBed batches = new BatchTestBed(bed);
        String id = batches.batch(1, 3, BatchTestBed.plan());
        batches.lookAtAll();
        List<Settlement> settlements = new ArrayList<>();
        List<JobClaims.Claimed> jobs = worker.take(3, BatchTestBed.QUEUE);
        Report report = new Report("\"text\"", bytes("7"), "");
        settlements.add(batches.told(Settlement.done(jobs.get(0).token()), BatchTestBed.job(id, 0), Report.NOTHING));
        settlements.add(batches.told(Settlement.failed(jobs.get(1).token()), BatchTestBed.job(id, 1), report));
        settlements.add(batches.told(
                Settlement.dead(jobs.get(2).token(), jobs.get(2).payload(), true), BatchTestBed.job(id, 2), report));
        breakKey("jobs:batch:" + id + ":s");
        worker.settle(settlements.toArray(Settlement[]::new));
        repairKey("jobs:batch:" + id + ":s");
        assertThat(batches.states(id)).isEqualTo("qqq");
        makeAgain();

        assertThat(batches.states(id)).isEqualTo("sfd");
        assertThat(batches.reader.jobs(id, Set.of(), -1, 3).jobs().get(1).messages())
                .containsExactly("text");
        batches.lookAtAll();
        assertThat(batches.counters(id)).containsKeys("finished", "died");
        batches.assertExact(id);
    }

    /** Another version's: neither a waiting job nor an ended one, so it may not end the batch, nor keep it open. */
    @Test
    void batchOfAnOutcomeThatThisVersionDoesNotKnow() {
        BatchTestBed batches = new BatchTestBed(bed);
        String id = batches.batch(1, 1, BatchTestBed.plan());
        worker.takeOne(BatchTestBed.QUEUE);

        batches.store.mark(id, List.of(new Correction(0, "", "evaporated", Report.NOTHING)));

        assertThat(batches.states(id)).isEqualTo("q");
        assertThat(notes()).singleElement().asString().contains("evaporated");
    }

    /** All outcomes of settlements are known, so no job waits ten minutes for another version. */
    @ParameterizedTest
    @EnumSource
    void batchOfEachOutcome(Settlement.Kind outcome) {
        BatchTestBed batches = new BatchTestBed(bed);
        String id = batches.batch(1, 1, BatchTestBed.plan());

        batches.store.mark(id, List.of(new Correction(0, "", outcome.name().toLowerCase(Locale.ROOT), Report.NOTHING)));

        assertThat(notes()).isEmpty();
    }

    @Test
    void cancelled() {
        bed.redis.texts().zadd("jobs:cancelled", 1, "j1");
        happenBroken("jobs:cancelled", "done", Cancellations.ended(bed.keys, "j1"));
        makeAgain();

        assertThat(bed.redis.texts().exists("jobs:cancelled")).isZero();
    }

    /** Only in tests, and without a number of keys: it isn't made again. */
    @Test
    void count() {
        bed.redis.texts().set(ScriptTestBed.HAPPENED, "another type");
        happen("done", ScriptTestBed.count("field"));

        assertThat(notes()).isEmpty();
    }

    private static Effect lock(String name) {
        return new Effect("lock", bytes("unique:" + name), "", List.of(bytes("j1"), Bytes.of(60_000)));
    }

    @Test
    void lock() {
        bed.redis.texts().set("unique:a", "j1");
        happenBroken("unique:a", "done", lock("a"));
        makeAgain();

        assertThat(bed.redis.texts().exists("unique:a")).isZero();
    }

    @Test
    void lockThatAnotherJobHoldsByThen() {
        bed.redis.texts().set("unique:a", "j1");
        happenBroken("unique:a", "done", lock("a"));
        bed.redis.texts().set("unique:a", "j2");
        makeAgain();

        assertThat(bed.redis.texts().get("unique:a")).isEqualTo("j2");
    }

    @Test
    void lockOfAJobThatMayHaveEndedSince() {
        happenBroken("unique:a", "retried", lock("a"));
        makeAgain();

        assertThat(bed.redis.texts().exists("unique:a")).isZero();
    }

    @Test
    void lockAmongOthers() {
        for (String name : List.of("a", "b", "c")) {
            bed.redis.texts().set("unique:" + name, "j1");
        }
        breakKey("unique:b");
        happen("done", lock("a"), lock("b"), lock("c"));
        repairKey("unique:b");

        assertThat(notes()).hasSize(1);
        assertThat(bed.redis.texts().keys("unique:*")).containsExactly("unique:b");
        makeAgain();
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
    }

    private List<Effect> release(String limit) {
        return new PermitEffects(bed.keys).of("one", "mail", List.of(new JobLimit(limit, "k", null)));
    }

    @Test
    void permit() {
        String token = claimed();
        bed.redis.texts().zadd("jobs:permits:big", 0, "k\none\n" + token);
        bed.redis.texts().hset("jobs:permitted:one", token, "big\nk");
        settleBroken("jobs:permits:big", token, release("big"));
        assertThat(bed.redis.texts().zcard("jobs:permits:big")).isEqualTo(1);
        makeAgain();

        assertThat(bed.redis.texts().exists("jobs:permits:big", "jobs:permitted:one"))
                .isZero();
        assertThat(bed.members("jobs:wake")).as("the leader lets others go on").contains("big\nk");
    }

    @Test
    void permitForWhichAJobIsParkedThatMustMeetConditions() {
        String token = claimed();
        bed.redis.texts().hset("jobs:limits", "s:big", "1");
        bed.redis.texts().zadd("jobs:permits:big", 0, "k\none\n" + token);
        bed.redis.texts().hset("jobs:permitted:one", token, "big\nk");
        bed.redis.texts().zadd("jobs:parked:big", 0, "k\n0000000000000001\nmail\n1 bBATCH jj2\nparked");
        bed.redis.texts().zadd("jobs:batches:cancelled", 1, "BATCH");
        settleBroken("jobs:permits:big", token, release("big"));
        makeAgain();

        assertThat(bed.members("jobs:parked:big"))
                .as("it must not be run, so it doesn't get the permit")
                .hasSize(1);
        assertThat(bed.members("jobs:wake")).contains("big\nk");
    }

    @Test
    void permitThatAParkedJobWaitsFor() {
        String token = claimed();
        bed.redis.texts().hset("jobs:limits", "d:big", "1");
        bed.redis.texts().zadd("jobs:permits:big", 0, "k\none\n" + token);
        bed.redis.texts().hset("jobs:permitted:one", token, "big\nk");
        bed.redis.texts().zadd("jobs:parked:big", 0, "k\n1\nmail\n1 b0123456789abcdef jnext\nparked");
        settleBroken("jobs:permits:big", token, release("big"));

        assertThat(makeAgain().made()).isEqualTo(1);

        assertThat(bed.redis.texts().exists("jobs:permits:big", "jobs:permitted:one"))
                .isZero();
        assertThat(bed.redis.texts().lrange("queue:mail", 0, -1)).containsExactly("parked");
    }

    @Test
    void permitThatIsListedByToken() {
        String token = claimed();
        bed.redis.texts().zadd("jobs:permits:big", 0, "k\none\n" + token);
        bed.redis.texts().hset("jobs:permitted:one", token, "big\nk");
        settleBroken("jobs:permitted:one", token, release("big"));
        makeAgain();

        assertThat(bed.redis.texts().exists("jobs:permits:big", "jobs:permitted:one"))
                .isZero();
    }

    @Test
    void replaceable() {
        bed.redis.texts().set("unique:a", "j1");
        bed.redis.texts().hset("jobs:twin:a", Map.of("jid", "j1", "job", "bytes"));
        Effect effect = new Effect(
                "replaceable",
                List.of(bytes("unique:a"), bytes("jobs:twin:a")),
                "",
                List.of(bytes("j1"), Bytes.of(60_000)));
        happenBroken("jobs:twin:a", "done", effect);
        makeAgain();
        assertThat(bed.redis.texts().exists("unique:a", "jobs:twin:a")).isZero();

        bed.redis.texts().set("unique:a", "j1");
        happenBroken("unique:a", "done", effect);
        makeAgain();
        assertThat(bed.redis.texts().exists("unique:a")).isZero();
    }

    @Test
    void report() {
        JobReports reports = new JobReports(bed.connection, bed.keys);
        happen(
                "retried",
                JobReports.effect(
                        new ResultKeys(bed.keys), "j1", new JobReports.Report("1 2 5", List.of("1 1 5 begun"))));
        happenBroken(
                Bytes.text(bed.keys.key("jobs:log:j1")),
                "done",
                JobReports.effect(
                        new ResultKeys(bed.keys), "j1", new JobReports.Report("2 2 6", List.of("1 2 6 done"))));
        makeAgain();

        assertThat(reports.find("j1")).isEqualTo(new JobReports.Kept("2 2 6", List.of("1 1 5 begun", "1 2 6 done")));
    }

    /** They come again by themselves. */
    @Test
    void reportOfARunningJob() {
        breakKey(Bytes.text(bed.keys.key("jobs:log:j1")));
        happen(
                "noted",
                JobReports.effect(
                        new ResultKeys(bed.keys), "j1", new JobReports.Report("1 2 5", List.of("1 1 5 begun"))));

        assertThat(notes()).isEmpty();
    }

    private static Effect result(String text) {
        return new Effect(
                "result",
                List.of(bed.keys.key("jobs:result:j1"), bed.keys.key("jobs:replies:client")),
                "",
                List.of(bytes("j1"), Bytes.of(60_000), bytes("dead"), bytes(text)));
    }

    @Test
    void result() {
        String replies = Bytes.text(bed.keys.key("jobs:replies:client"));
        happenBroken(replies, "done", result("{\"state\":\"done\"}"));
        makeAgain();

        assertThat(bed.redis.texts().get("jobs:result:j1")).isEqualTo("{\"state\":\"done\"}");
        assertThat(bed.redis.texts().lrange(replies, 0, -1)).containsExactly("j1");
    }

    @Test
    void resultThatIsLaterThanAnother() {
        String replies = Bytes.text(bed.keys.key("jobs:replies:client"));
        happenBroken(replies, "dead", result("{\"state\":\"dead\"}"));
        bed.redis.texts().set("jobs:result:j1", "{\"state\":\"done\"}");
        makeAgain();

        assertThat(bed.redis.texts().get("jobs:result:j1")).isEqualTo("{\"state\":\"done\"}");
    }

    @Test
    void rewritten() {
        bed.redis.texts().hset("jobs:twin:a", Map.of("jid", "j1", "job", "old"));
        happenBroken(
                "jobs:twin:a",
                "set",
                new Effect("rewritten", bytes("jobs:twin:a"), "set", List.of(bytes("j1"), bytes("new"))));
        makeAgain();

        assertThat(bed.redis.texts().hget("jobs:twin:a", "job")).isEqualTo("new");
    }

    @Test
    void room() {
        String token = claimed();
        bed.redis.texts().hset("jobs:limits", "s:queue:mail", "1");
        bed.redis.texts().zadd("jobs:permits:queue:mail", 0, "\none\n" + token);
        settleBroken(
                "jobs:permits:queue:mail",
                token,
                new PermitEffects(bed.keys).of("one", "mail", List.of(new JobLimit("queue:mail", "", null))));
        makeAgain();

        assertThat(bed.redis.texts().exists("jobs:permits:queue:mail")).isZero();
        assertThat(bed.redis.texts().exists(Bytes.text(limits.bell("mail")))).isEqualTo(1);
    }

    @Test
    void slot() {
        LimiterRule rule = new LimiterRule(Kind.CONCURRENT, "api", 1, 0);
        Permit permit = new Permit("one\n1", null);
        Effect effect = JobLimiters.freeing(bed.keys, rule, permit);
        String permits = Bytes.text(effect.keys().get(0));
        bed.redis.texts().zadd(permits, 1, permit.name());
        happenBroken(permits, "done", effect);
        makeAgain();

        assertThat(bed.redis.texts().exists(permits)).isZero();
    }

    @Test
    void start() {
        bed.redis.texts().hset("jobs:rate", "big\nk", "20");
        happenBroken(
                "jobs:rate",
                "handed_back",
                new PermitEffects(bed.keys).start(new JobLimit("big", "k", null), bytes("20"), bytes("10")));
        makeAgain();

        assertThat(bed.redis.texts().hget("jobs:rate", "big\nk")).isEqualTo("10");
    }

    @Test
    void twin() {
        bed.redis.texts().hset("jobs:twin:a", Map.of("jid", "j1", "job", "bytes"));
        happenBroken("jobs:twin:a", "queue", new Effect("twin", bytes("jobs:twin:a"), "", List.of(bytes("j1"))));
        makeAgain();

        assertThat(bed.redis.texts().exists("jobs:twin:a")).isZero();
    }

    /** The only kind whose command takes any type: here it is denied. */
    @Test
    void unlink() {
        bed.redis.texts().hset("it-j1", "ex", "1");
        bed.redis.texts().aclSetuser("default", new AclSetuserArgs().removeCommand(CommandType.UNLINK));
        happen("done", Effect.unlink(bytes("it-j1")));
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        assertThat(bed.redis.texts().exists("it-j1")).isEqualTo(1);
        makeAgain();

        assertThat(bed.redis.texts().exists("it-j1")).isZero();
    }

    @Test
    void anEffectThatMeetsTheErrorAgainIsNotedAgainUntilTenMinutesAreOver() {
        bed.redis.texts().rpush("unique:a", "another type");
        happen("done", lock("a"));
        String note = notes().get(0);

        assertThat(lost.makeAgain(now())).isEqualTo(new LostEffects.Result(1, 0, new TreeSet<>()));
        assertThat(notes()).containsExactly(note);
        Instant later = now().plus(LostEffects.PATIENCE).plusSeconds(2);
        assertThat(lost.makeAgain(later)).isEqualTo(new LostEffects.Result(0, 1, new TreeSet<>(List.of("lock"))));
        assertThat(notes()).isEmpty();
    }

    @Test
    void whatIsNoNoteIsDropped() {
        bed.redis.texts().rpush(LOST, "", "7:a", "nonsense", "1:1", "99999999999:x", "1:14:toil4:done0:1:01:0");
        LostEffects.Result result = lost.makeAgain(now());

        assertThat(result.dropped()).isEqualTo(6);
        assertThat(notes()).isEmpty();
    }

    @Test
    void aListOfAnotherTypeIsLeftAlone() {
        bed.redis.texts().set(LOST, "another type");
        bed.redis.texts().rpush("unique:a", "another type");
        happen("done", lock("a"));

        assertThat(lost.makeAgain(now())).isEqualTo(new LostEffects.Result(0, 0, new TreeSet<>()));
        assertThat(bed.redis.texts().get(LOST)).isEqualTo("another type");
    }

    /** However long a key holds another type, and however many jobs end. */
    @Test
    void theListHasAnEnd() {
        bed.redis.texts().rpush("unique:a", "another type");
        Effect[] many = new Effect[500];
        Arrays.fill(many, lock("a"));
        for (int i = 0; i < 3; i++) {
            for (int at = 0; at < many.length; at++) {
                many[at] = lock("a");
            }
            happen("done", many);
        }
        assertThat(notes()).hasSize(1_000);
        bed.redis.texts().del(LOST);

        String replies = Bytes.text(bed.keys.key("jobs:replies:client"));
        breakKey(replies);
        String large = "{\"state\":\"done\",\"value\":\"" + "x".repeat(60_000) + "\"}";
        for (int i = 0; i < 30; i++) {
            happen("done", result(large));
        }
        assertThat(notes()).hasSize(20);
        assertThat(bed.redis.texts().ttl(LOST)).isBetween(1L, 86_400L);
    }
}
