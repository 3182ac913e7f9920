package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.Job;
import dev.jobs.OneShard;
import dev.jobs.Payload;
import dev.jobs.ShardMap;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Recurring jobs are enqueued once for each slot, here into a queue without a worker, where they can be counted. */
@Tag("sidekiq-29")
class RecurringIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String EVERY_SECOND = "* * * * * *";

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private EngineTestBed bed;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
    }

    @AfterEach
    void close() {
        redis.texts().configSet("maxmemory", "0");
        bed.close();
    }

    static final class NoJobs {}

    static final class Declaring {

        @Job(value = "Declared", cron = "0 2 * * *", zone = "Europe/Berlin", queue = "parked", retry = 3)
        void declared() {}
    }

    static final class DeclaringAnother {

        @Job(value = "Another", cron = "@hourly")
        void another() {}
    }

    static final class DeclaringBoth {

        @Job(value = "Declared", cron = "0 2 * * *", queue = "parked")
        void declared() {}

        @Job(value = "Another", cron = "@hourly")
        void another() {}
    }

    /** Stores one as Ruby does, of a class that is unknown here. */
    private void store(String name, String cron, String... changes) {
        Map<String, String> fields = new HashMap<>(Map.of(
                "name", name,
                "namespace", "default",
                "klass", "HardWorker",
                "cron", cron,
                "source", "dynamic",
                "args", "[\"" + name + "\"]",
                "message", "{\"retry\":true,\"queue\":\"parked\",\"class\":\"HardWorker\",\"args\":[]}",
                "status", "enabled",
                "last_enqueue_time", ""));
        for (int i = 0; i < changes.length; i += 2) {
            fields.put(changes[i], changes[i + 1]);
        }
        redis.texts().hset("cron_job:default:" + name, fields);
        redis.texts().sadd("cron_jobs:default", "cron_job:default:" + name);
    }

    /** A cron text whose last slot was this long ago, and whose next one is a year away. */
    private static String once(Duration ago) {
        return at(serverTime().minus(ago));
    }

    private static String at(Instant slot) {
        LocalDateTime time = LocalDateTime.ofInstant(slot, ZoneOffset.UTC);
        return time.getSecond() + " " + time.getMinute() + " " + time.getHour() + " " + time.getDayOfMonth() + " "
                + time.getMonthValue() + " *";
    }

    private static Instant serverTime() {
        return Instant.ofEpochSecond(Long.parseLong(redis.texts().time().get(0)));
    }

    private static List<Payload> pushed() {
        return redis.bytes().lrange("queue:parked".getBytes(UTF_8), 0, -1).stream()
                .map(Payload::parse)
                .toList();
    }

    /** The names of the recurring jobs that were fired, by their only argument. */
    private static List<Object> fired() {
        return pushed().stream().map(payload -> payload.args().get(0)).toList();
    }

    private static List<Instant> slots(String name) {
        return redis.texts().zrange("cron_job:default:" + name + ":enqueued", 0, -1).stream()
                .map(Instant::parse)
                .sorted()
                .toList();
    }

    private static void awaitFired(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().llen("queue:parked") >= count);
    }

    private static void everySlotWasFiredOnce(String name) {
        List<Instant> slots = slots(name);
        for (int i = 1; i < slots.size(); i++) {
            assertThat(slots.get(i))
                    .as("no slot was missed")
                    .isEqualTo(slots.get(i - 1).plusSeconds(1));
        }
        assertThat(pushed()).as("no slot was fired twice").hasSameSizeAs(slots);
        assertThat(pushed().stream().map(Payload::jid).distinct()).hasSameSizeAs(slots);
    }

    @Test
    void everySecondIsFiredOnceByTwoEngines() {
        store("tick", EVERY_SECOND);
        bed.start(new NoJobs());
        bed.start(new NoJobs());

        awaitFired(12);
        bed.stopEngines();

        everySlotWasFiredOnce("tick");
        assertThat(redis.texts().llen("cron_job:default:tick:jid_history")).isEqualTo(10);
    }

    @Test
    void everySecondIsFiredOnceThoughTheLeaderIsKilled() throws Exception {
        Duration lease = Duration.ofSeconds(2);
        bed.times(Duration.ofSeconds(1), lease);
        try (WorkerProcess leader = WorkerProcess.start(redis.port(), lease)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().get("dear-leader") != null);
            bed.start(new NoJobs());
            store("tick", EVERY_SECOND);
            awaitFired(4);
            leader.kill();
        }

        awaitFired(9);
        bed.stopEngines();

        everySlotWasFiredOnce("tick");
    }

    @Test
    void aJobExpiresCountedFromItsSlot() {
        Instant slot = serverTime().minusSeconds(5);
        store(
                "expiring",
                at(slot),
                "message",
                "{\"retry\":2,\"queue\":\"parked\",\"expires_in\":600,\"class\":\"HardWorker\",\"args\":[]}");
        bed.start(new NoJobs());

        awaitFired(1);

        assertThat(Expiry.of(pushed().get(0))).isEqualTo(slot.plusSeconds(600));
    }

    @Test
    void aJobStoredByRubyIsEnqueuedAsItIs() {
        store(
                "Über Nacht",
                once(Duration.ofSeconds(5)),
                "args",
                "[\"a\",1.0]",
                "date_as_argument",
                "1",
                "message",
                "{\"retry\":2,\"queue\":\"parked\",\"mine\":{\"x\":1.0},\"class\":\"HardWorker\",\"args\":[]}");
        bed.start(new NoJobs());

        awaitFired(1);
        Payload payload = pushed().get(0);

        assertThat(payload.names())
                .containsExactly("retry", "queue", "mine", "class", "args", "jid", "created_at", "enqueued_at");
        assertThat(new String(payload.rawArgs(), UTF_8)).matches("\\[\"a\",1\\.0,\\d{10}\\.\\d{6}]");
        assertThat(new String(payload.raw("mine"), UTF_8)).isEqualTo("{\"x\":1.0}");
        assertThat(payload.jid()).matches("[0-9a-f]{24}");
        assertThat(redis.texts().smembers("queues")).contains("parked");
        assertThat(redis.texts().hget("cron_job:default:Über Nacht", "last_enqueue_time"))
                .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000");
        assertThat(redis.texts().lindex("cron_job:default:Über Nacht:jid_history", 0))
                .startsWith("{\"jid\":\"" + payload.jid() + "\",\"enqueued\":\"")
                .endsWith(" UTC\"}");
    }

    @Test
    void aMissedSlotIsMadeUpForWithinTheGraceAndOnlyTheLastOne() {
        store("late", once(Duration.ofSeconds(40)));
        store("too late", once(Duration.ofSeconds(100)));
        store("often", "*/10 * * * * *");
        store("fired by hand", once(Duration.ofSeconds(20)), "last_enqueue_time", text(serverTime()));
        bed.start(new NoJobs());

        await().atMost(PATIENCE).until(() -> fired().contains("often") && fired().contains("late"));

        assertThat(fired()).filteredOn("late"::equals).hasSize(1);
        assertThat(fired()).doesNotContain("too late", "fired by hand");
        assertThat(slots("often").get(0)).isAfterOrEqualTo(serverTime().minusSeconds(60));
    }

    @Test
    void slotsOfAnOutageAreMadeUpForThoughTheFirstCallsFail() {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        AtomicInteger fired = new AtomicInteger();
        bed.enqueueMiddleware.add((payload, next) -> {
            if (fired.incrementAndGet() == 3) {
                redis.texts().clientPause(3_000);
            }
            return next.proceed(payload);
        });
        Instant taken = serverTime().minusSeconds(4);
        store("tick", EVERY_SECOND, "last_enqueue_time", text(taken));
        redis.texts().zadd("cron_job:default:tick:enqueued", taken.getEpochSecond(), taken.toString());
        bed.start(new NoJobs());

        awaitFired(12);
        bed.stopEngines();

        assertThat(slots("tick"))
                .startsWith(taken)
                .isEqualTo(Stream.iterate(taken, slot -> slot.plusSeconds(1))
                        .limit(slots("tick").size())
                        .toList());
    }

    private static String text(Instant time) {
        return time.toString().replace("T", " ").replace("Z", " +0000");
    }

    /** As after it was saved, or when Ruby was first. */
    @Test
    void aSlotThatWasTakenIsNotEvenPrepared() {
        List<Object> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(payload.args().get(0));
            return next.proceed(payload);
        });
        Instant slot = serverTime().minusSeconds(20);
        store("taken", at(slot));
        redis.texts().zadd("cron_job:default:taken:enqueued", slot.getEpochSecond(), slot.toString());
        store("tick", EVERY_SECOND);
        bed.start(new NoJobs());

        awaitFired(2);
        assertThat(seen).containsOnly("tick");
    }

    @Test
    void theGraceCanBeChosen() {
        bed.config = bed.config.toBuilder()
                .recurring(new RecurringConfig(true, "default", "", Duration.ofMinutes(10)))
                .build();
        store("late", once(Duration.ofSeconds(300)));
        bed.start(new NoJobs());

        awaitFired(1);
        assertThat(fired()).containsExactly("late");
    }

    @Test
    void otherNamespacesAreLeftAlone() {
        bed.config = bed.config.toBuilder()
                .recurring(new RecurringConfig(true, "mine", "", Duration.ofMinutes(1)))
                .build();
        store("theirs", once(Duration.ofSeconds(1)));
        redis.texts().sadd("cron_jobs:mine", "cron_job:mine:x");
        redis.texts().hset("cron_job:mine:x", redis.texts().hgetall("cron_job:default:theirs"));
        redis.texts().hset("cron_job:mine:x", "args", "[\"mine\"]");
        bed.start(new NoJobs());

        awaitFired(1);
        assertThat(fired()).containsExactly("mine");
    }

    @Test
    void anEngineMayLeaveThemToOthers() {
        bed.config = bed.config.toBuilder()
                .recurring(new RecurringConfig(false, "default", "", Duration.ofMinutes(1)))
                .build();
        JobEngine off = bed.start(new Declaring());
        await().until(() -> off.health().leader());
        assertThat(redis.texts().exists("cron_jobs:default")).isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("jobs-recurring");
    }

    @Test
    void changesAndPausesTakeEffectAtOnce() {
        store("tick", EVERY_SECOND);
        JobEngine engine = bed.start(new NoJobs());
        awaitFired(2);
        redis.texts().hset("cron_job:default:tick", "status", "disabled");
        long paused = redis.texts().llen("queue:parked");
        store("other", EVERY_SECOND);

        await().atMost(PATIENCE)
                .until(() -> fired().stream().filter("other"::equals).count() >= 3);

        assertThat(fired().stream().filter("tick"::equals)).hasSize((int) paused);
        assertThat(engine.health().redisError()).isNull();
        redis.texts().hset("cron_job:default:other", "cron", once(Duration.ofDays(1)));
        long changed = fired().stream().filter("other"::equals).count();
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        awaitFired((int) (paused + changed + 3));
        assertThat(fired().stream().filter("other"::equals)).hasSize((int) changed);
    }

    @Test
    void aDeletedJobIsFiredNoMore() {
        store("gone", EVERY_SECOND);
        bed.start(new NoJobs());
        awaitFired(1);
        redis.texts().del("cron_job:default:gone");
        long before = redis.texts().llen("queue:parked");
        store("other", EVERY_SECOND);
        await().atMost(PATIENCE)
                .until(() -> fired().stream().filter("other"::equals).count() >= 2);

        assertThat(fired().stream().filter("gone"::equals)).hasSize((int) before);
        assertThat(redis.texts().exists("cron_job:default:gone")).isZero();
    }

    @Test
    void aJobThatCannotBeFiredDelaysNoOther() {
        store("a natural one", "every day at noon");
        store(
                "b of no class",
                EVERY_SECOND,
                "message",
                "{\"queue\":\"parked\",\"retry\":true,\"class\":5}",
                "klass",
                "");
        store("c of no queue", EVERY_SECOND, "message", "{\"queue\":\"\",\"retry\":true,\"class\":\"A\"}");
        store("d no json", EVERY_SECOND, "message", "{");
        store("e no arguments", EVERY_SECOND, "args", "{}");
        store("f of Rails", EVERY_SECOND, "message", "{\"queue\":\"parked\",\"class\":\"A\"}");
        store("g global id", EVERY_SECOND, "args", "[{\"_sc_globalid\":\"gid://app/User/1\"}]");
        store("h wrong queue", EVERY_SECOND, "message", "{\"queue\":\"odd\",\"retry\":true,\"class\":\"A\"}");
        redis.texts().set("queue:odd", "text");
        redis.texts().sadd("cron_jobs:default", "cron_job:default:i text");
        redis.texts().set("cron_job:default:i text", "text");
        store("z good", EVERY_SECOND);
        bed.start(new NoJobs());

        awaitFired(3);
        assertThat(fired()).containsOnly("z good");
        assertThat(redis.texts().keys("cron_job:default:*:enqueued"))
                .containsExactly("cron_job:default:z good:enqueued");
    }

    @Test
    void anEnqueueMiddlewareSeesItAndMayKeepItOut() {
        List<Payload> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(payload);
            return payload.args().contains("unwanted") ? null : next.proceed(payload.with("mine", "yes"));
        });
        store("unwanted", once(Duration.ofSeconds(5)));
        store("wanted", once(Duration.ofSeconds(5)));
        bed.start(new NoJobs());

        awaitFired(1);
        await().atMost(PATIENCE).until(() -> slots("unwanted").size() == 1);
        assertThat(pushed()).singleElement().satisfies(payload -> assertThat(payload.text("mine"))
                .isEqualTo("yes"));
        assertThat(seen).hasSize(2);
        assertThat(redis.texts().exists("cron_job:default:unwanted:jid_history"))
                .isZero();
    }

    @Test
    void whileAnEnqueueMiddlewareFailsTheSlotStaysFree() {
        AtomicBoolean fails = new AtomicBoolean(true);
        EnqueueMiddleware failing = (payload, next) -> {
            if (fails.get()) {
                throw new IllegalStateException("not now");
            }
            return next.proceed(payload);
        };
        bed.enqueueMiddleware.add(failing);
        store("once", once(Duration.ofSeconds(1)));
        JobEngine first = bed.start(new NoJobs());
        await().atMost(PATIENCE).until(() -> bed.errors.size() == 1);
        assertThat(slots("once")).isEmpty();
        first.stop();
        fails.set(false);
        bed.start(new NoJobs());

        awaitFired(1);
        assertThat(fired()).containsExactly("once");
    }

    @Test
    void aFullRedisDelaysASlotAndDoesNotLoseIt() {
        store("once", once(Duration.ofSeconds(1)));
        redis.texts().configSet("maxmemory", "1");
        JobEngine engine = bed.start(new NoJobs());
        await().atMost(PATIENCE).until(() -> {
            String error = engine.health().redisError();
            return error != null && error.contains("full");
        });
        assertThat(pushed()).isEmpty();
        redis.texts().configSet("maxmemory", "0");

        awaitFired(1);
        assertThat(slots("once")).hasSize(1);
    }

    @Test
    void processesThatDoNotLeadFireToo() {
        redis.texts().set("dear-leader", "somebody else");
        bed.config = bed.config.toBuilder().pollInterval(Duration.ofMillis(100)).build();
        store("tick", EVERY_SECOND);
        JobEngine one = bed.start(new NoJobs());
        JobEngine two = bed.start(new NoJobs());

        awaitFired(4);
        assertThat(one.health().leader() || two.health().leader()).isFalse();
        bed.stopEngines();
        everySlotWasFiredOnce("tick");
    }

    // What an application declares

    private void application(String name) {
        bed.config = bed.config.toBuilder()
                .recurring(new RecurringConfig(true, "default", name, Duration.ofMinutes(1)))
                .build();
    }

    private static List<String> known() {
        List<String> names = new ArrayList<>(redis.texts().smembers("cron_jobs:default"));
        names.replaceAll(key -> key.replace("cron_job:default:", ""));
        return names;
    }

    @Test
    void declaredJobsAreStoredAtTheStart() {
        application("shop");
        bed.start(new Declaring());
        await().atMost(PATIENCE).until(() -> known().contains("Declared"));

        assertThat(redis.texts().hgetall("cron_job:default:Declared"))
                .containsEntry("klass", "Declared")
                .containsEntry("cron", "0 2 * * * Europe/Berlin")
                .containsEntry("status", "enabled")
                .containsEntry("source", "dynamic")
                .containsEntry("jobs_declared_by", "shop")
                .containsEntry("args", "[]")
                .containsEntry("retry", "3")
                .containsEntry("message", "{\"retry\":3,\"queue\":\"parked\",\"class\":\"Declared\",\"args\":[]}");
        assertThat(slots("Declared")).as("nothing is fired at once").hasSize(1);
    }

    @Test
    void theEngineOfAShardDeclaresAndFiresThoseOfItsQueues() {
        ShardMap map = ShardMap.of("east", Map.of("east", Set.of("parked")), Map.of());
        ShardMap others = ShardMap.of("east", Map.of("east", Set.of("default")), Map.of());
        shard(new OneShard(map, "east"));
        JobEngine east = bed.start(new DeclaringBoth());
        await().atMost(PATIENCE).until(() -> known().contains("Declared"));
        assertThat(known()).containsExactly("Declared");
        east.stop();

        store("tick", EVERY_SECOND);
        shard(new OneShard(others, "east"));
        try (LogLines lines = LogLines.of(RecurringPoller.class).open()) {
            bed.start(new DeclaringBoth());
            await().atMost(PATIENCE).until(() -> lines.messages(Level.WARN).stream()
                    .anyMatch(line ->
                            line.contains("its queue 'parked' is in none of the shards [east]; delete it here")));
        }
        assertThat(pushed()).isEmpty();
        assertThat(known()).as("moved to another shard").containsExactlyInAnyOrder("Another", "tick");
    }

    private void shard(OneShard shard) {
        bed.config = bed.config.toBuilder()
                .recurring(new RecurringConfig(true, "default", "shop", Duration.ofMinutes(1), shard))
                .build();
    }

    @Test
    void jobsNoLongerDeclaredAreRemovedAndNoOthers() {
        application("shop");
        JobEngine before = bed.start(new Declaring());
        await().atMost(PATIENCE).until(() -> known().contains("Declared"));
        before.stop();
        store("by Ruby's schedule", "@daily", "source", "schedule");
        store("by people", "@daily");
        store("by another", "@daily", "jobs_declared_by", "billing");

        application("");
        JobEngine nameless = bed.start(new DeclaringAnother());
        await().atMost(PATIENCE).until(() -> known().contains("Another"));
        assertThat(known()).contains("Declared");
        nameless.stop();

        application("shop");
        bed.start(new DeclaringAnother());
        await().atMost(PATIENCE).until(() -> !known().contains("Declared"));

        assertThat(known()).containsExactlyInAnyOrder("Another", "by Ruby's schedule", "by people", "by another");
        assertThat(redis.texts().keys("cron_job:default:Declared*")).isEmpty();
    }

    @Test
    void aPauseOutlivesARestart() {
        application("shop");
        bed.start(new Declaring()).stop();
        bed.start(new Declaring());
        await().atMost(PATIENCE).until(() -> known().contains("Declared"));
        bed.stopEngines();
        redis.texts().hset("cron_job:default:Declared", Map.of("status", "disabled", "cron", "1 1 1 1 *"));
        bed.start(new Declaring());

        await().atMost(PATIENCE)
                .until(() ->
                        redis.texts().hget("cron_job:default:Declared", "cron").equals("0 2 * * * Europe/Berlin"));
        assertThat(redis.texts().hget("cron_job:default:Declared", "status")).isEqualTo("disabled");
    }

    @Test
    void oneThatCannotBeStoredDelaysNoOther() {
        redis.texts().set("cron_job:default:Declared", "text");
        store("tick", EVERY_SECOND);
        bed.start(new Declaring());

        awaitFired(1);
        assertThat(redis.texts().get("cron_job:default:Declared")).isEqualTo("text");
    }

    /** A deleted job stays deleted until the next start. */
    @Test
    void jobsDeletedByUsersStayDeletedWhileTheWorkerRuns() {
        application("shop");
        bed.start(new Declaring());
        await().atMost(PATIENCE).until(() -> known().contains("Declared"));
        redis.texts().srem("cron_jobs:default", "cron_job:default:Declared");
        redis.texts().del("cron_job:default:Declared");
        store("tick", EVERY_SECOND);
        awaitFired(3);

        assertThat(known()).containsExactly("tick");
    }

    @Test
    void declaredJobsComeBackAfterRedisLostItsDataAndTheLogSaysSo() {
        LogLines lines = LogLines.of(RecurringDeclarations.class).open();
        try (lines) {
            application("shop");
            bed.start(new Declaring());
            application("billing");
            bed.start(new DeclaringAnother());
            await().atMost(PATIENCE).until(() -> known().size() == 2);
            lines.clear();
            redis.flush();
            await().atMost(PATIENCE).until(() -> known().size() == 2);
            await("a line of each engine")
                    .atMost(PATIENCE)
                    .until(() -> lines.messages(Level.WARN).size() >= 2);
        }

        assertThat(known()).containsExactlyInAnyOrder("Declared", "Another");
        assertThat(slots("Declared")).as("nothing is fired at once").hasSize(1);
        assertThat(lines.messages(Level.WARN)).hasSizeGreaterThanOrEqualTo(2).allSatisfy(line -> assertThat(line)
                .contains("lost its data", "stored again"));
    }

    /** Ruby writes the status, and nothing else. */
    @Test
    void aJobResumedByRubyBeginsWithItsNextSlot() {
        store("tick", EVERY_SECOND);
        bed.start(new NoJobs());
        awaitFired(2);
        redis.texts().hset("cron_job:default:tick", "status", "disabled");
        Instant disabled = serverTime();
        store("other", EVERY_SECOND);
        await().atMost(PATIENCE)
                .until(() -> fired().stream().filter("other"::equals).count() >= 5);
        Instant resumed = serverTime();
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        await().atMost(PATIENCE)
                .until(() -> slots("tick").stream().anyMatch(slot -> slot.isAfter(resumed.plusSeconds(1))));
        bed.stopEngines();

        assertThat(slots("tick"))
                .filteredOn(slot -> slot.isAfter(disabled.plusSeconds(1)) && slot.isBefore(resumed.minusSeconds(1)))
                .isEmpty();
        assertThat(fired())
                .filteredOn("tick"::equals)
                .as("the slot before it was resumed counts as taken, and nothing was fired for it")
                .hasSize(slots("tick").size() - 1);
    }

    /** As for a leader without a working doorbell, or one that has just begun to lead. */
    @Test
    void aSlotBetweenTheResumeAndTheNextLookIsNotLost() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        bed.enqueueMiddleware.add((payload, next) -> {
            if (payload.args().contains("slow")) {
                looking.countDown();
                await().atMost(PATIENCE).until(() -> goOn.getCount() == 0);
            }
            return next.proceed(payload);
        });
        JobEngine leader = bed.start(new NoJobs());
        await().atMost(PATIENCE).until(() -> leader.health().leader());
        store("tick", EVERY_SECOND, "status", "disabled");
        store("slow", once(Duration.ofSeconds(1)));
        assertThat(looking.await(30, TimeUnit.SECONDS)).isTrue();
        Instant resumed = serverTime();
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        await().atMost(PATIENCE).until(() -> serverTime().isAfter(resumed.plusSeconds(2)));
        goOn.countDown();
        await().atMost(PATIENCE)
                .until(() -> fired().stream().filter("tick"::equals).count() >= 3);
        bed.stopEngines();

        List<Instant> taken =
                slots("tick").stream().filter(slot -> slot.isAfter(resumed)).toList();
        assertThat(fired()).filteredOn("tick"::equals).hasSameSizeAs(taken);
    }

    @Test
    void saysOnceIfThereAreMoreThanItReads() {
        try (LogLines lines = LogLines.of(RecurringPoller.class).open()) {
            redis.texts()
                    .eval(
                            "for i = 1, 10001 do local key = 'cron_job:default:many' .. i "
                                    + "redis.call('HSET', key, 'cron', '0 0 1 1 *', 'klass', 'HardWorker', 'status', 'disabled') "
                                    + "redis.call('SADD', 'cron_jobs:default', key) end",
                            ScriptOutputType.STATUS);
            bed.start(new NoJobs());

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(lines.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("10000 recurring jobs or more", "never fired"));
        }
    }
}
