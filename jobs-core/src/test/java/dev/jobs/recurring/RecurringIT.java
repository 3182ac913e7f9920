package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.Job;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.chores.PollInterval;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recurring jobs are enqueued once for each slot, here into a queue without a worker, where they can be counted. */
@Tag("sidekiq-29")
class RecurringIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String EVERY_SECOND = "* * * * * *";

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final List<AutoCloseable> processes = new ArrayList<>();
    private EngineTestBed bed;

    /** The clock of Redis, as pollers see it: half a second after a slot. */
    private Instant now;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        now = serverTime().plusMillis(500);
    }

    @AfterEach
    void close() throws Exception {
        redis.texts().configSet("maxmemory", "0");
        for (AutoCloseable process : processes) {
            process.close();
        }
        bed.close();
    }

    private PollingProcess polling(Object jobs) {
        PollingProcess process = new PollingProcess(
                bed,
                "process-" + processes.size(),
                jobs,
                store -> new Snapshot(now, store.snapshot().stored()));
        processes.add(process);
        return process;
    }

    private PollingProcess polling() {
        return polling(new NoJobs());
    }

    /** Polls at once, and again after each of the seconds. */
    private void poll(PollingProcess polling, int seconds) throws InterruptedException {
        polling.runOnce();
        for (int i = 0; i < seconds; i++) {
            pass(SECOND);
            polling.runOnce();
        }
    }

    private static void awaitAnswers(PollingProcess polling) {
        await().atMost(PATIENCE).until(() -> {
            polling.runOnce();
            return polling.process.context.outage().error() == null;
        });
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private static long count(Object name) {
        return fired().stream().filter(name::equals).count();
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

    static final class DeclaringNoMore {

        @Job(value = "Declared", cron = "-", queue = "parked")
        void declared() {}
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
    private String once(Duration ago) {
        return at(now.minus(ago));
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
    void everySlotIsFiredOnceByTwoProcesses() throws Exception {
        store("tick", EVERY_SECOND);
        PollingProcess one = polling();
        PollingProcess two = polling();
        for (int i = 0; i < 12; i++) {
            (i % 3 == 0 ? two : one).runOnce();
            (i % 3 == 0 ? one : two).runOnce();
            pass(SECOND);
        }

        everySlotWasFiredOnce("tick");
        assertThat(pushed()).hasSize(12);
        assertThat(redis.texts().llen("cron_job:default:tick:jid_history")).isEqualTo(10);
    }

    @Test
    void anEngineFiresThemInTime() {
        store("tick", EVERY_SECOND);
        bed.start(new NoJobs());
        bed.start(new NoJobs());

        awaitFired(2);
        bed.stopEngines();

        everySlotWasFiredOnce("tick");
    }

    @Test
    @LongTest
    void everySecondIsFiredOnceThoughTheLeaderIsKilled() throws Exception {
        Duration lease = Duration.ofSeconds(2);
        bed.times(SECOND, lease);
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

    /** A look at an interval would come too late for this test. */
    private JobEngine startPollingRarely(RecurringConfig recurring) {
        bed.config = bed.config.with(values -> {
            values.pollInterval = Duration.ofMinutes(10);
            values.recurring = recurring;
        });
        return bed.start(new NoJobs());
    }

    static List<RecurringConfig> configsOfOthers() {
        return List.of(
                new RecurringConfig(false, "default", "", Duration.ofMinutes(1)),
                new RecurringConfig(true, "theirs", "", Duration.ofMinutes(1)));
    }

    @ParameterizedTest
    @MethodSource("configsOfOthers")
    void theyAreFiredInTimeThoughAnotherProcessLeadsThatLeavesThemAlone(RecurringConfig others) {
        JobEngine leader = startPollingRarely(others);
        await().until(() -> leader.health().leader());
        JobEngine firing = startPollingRarely(new RecurringConfig(true, "default", "", Duration.ofMinutes(1)));
        await().until(() -> firing.health().alive());
        store("tick", EVERY_SECOND);

        awaitFired(3);
        assertThat(firing.health().leader()).isFalse();
        bed.stopEngines();

        everySlotWasFiredOnce("tick");
    }

    /** As when the leader is gone: who takes over makes up for what it would have fired. */
    @Test
    void theNextLeaderMakesUpForTheSlotsInBetween() throws Exception {
        store("tick", EVERY_SECOND);
        polling().runOnce();
        pass(Duration.ofSeconds(9));
        polling().runOnce();

        everySlotWasFiredOnce("tick");
        assertThat(pushed()).hasSize(10);
    }

    /** As after an outage: nobody wants a job for each of its seconds. */
    @Test
    void ofTheSlotsOfALongPauseOnlyTheLastIsMadeUpFor() throws Exception {
        store("tick", EVERY_SECOND);
        PollingProcess polling = polling();
        polling.runOnce();
        pass(Duration.ofSeconds(16));
        polling.runOnce();

        assertThat(slots("tick")).containsExactly(now.minusMillis(16_500), now.minusMillis(500));
        assertThat(pushed()).hasSize(2);
    }

    @Test
    void theLeaderPollsAgainAtTheNextSlot() throws Exception {
        PollingProcess leader = polling();
        assertThat(leader.runOnce()).as("nothing recurs").isEqualTo(SECOND);
        store("tick", EVERY_SECOND);
        assertThat(leader.runOnce()).isBetween(Duration.ofMillis(400), Duration.ofMillis(500));
        leader.process.context.hearsRings().set(true);
        redis.flush();
        assertThat(leader.runOnce()).as("is told of changes").isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aProcessWithoutALeaseFiresNothing() throws Exception {
        store("tick", EVERY_SECOND);
        PollingProcess polling = polling();
        polling.process.nanos.addAndGet(Duration.ofSeconds(20).toNanos());
        assertThat(polling.runOnce()).isEqualTo(PollInterval.AFTER_FAILURE);
        assertThat(pushed()).isEmpty();
    }

    @Test
    void aJobExpiresCountedFromItsSlot() throws Exception {
        Instant slot = serverTime().minusSeconds(5);
        store(
                "expiring",
                at(slot),
                "message",
                "{\"retry\":2,\"queue\":\"parked\",\"expires_in\":600,\"class\":\"HardWorker\",\"args\":[]}");
        polling().runOnce();

        assertThat(Expiry.of(pushed().get(0))).isEqualTo(slot.plusSeconds(600));
    }

    @Test
    void aJobStoredByRubyIsEnqueuedAsItIs() throws Exception {
        store(
                "Über Nacht",
                once(Duration.ofSeconds(5)),
                "args",
                "[\"a\",1.0]",
                "date_as_argument",
                "1",
                "message",
                "{\"retry\":2,\"queue\":\"parked\",\"mine\":{\"x\":1.0},\"class\":\"HardWorker\",\"args\":[]}");
        polling().runOnce();

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
    void aMissedSlotIsMadeUpForWithinTheGraceAndOnlyTheLastOne() throws Exception {
        store("late", once(Duration.ofSeconds(40)));
        store("too late", once(Duration.ofSeconds(100)));
        store("often", "*/10 * * * * *");
        store("fired by hand", once(Duration.ofSeconds(20)), "last_enqueue_time", text(now.minusMillis(500)));
        poll(polling(), 2);

        assertThat(fired()).filteredOn("late"::equals).hasSize(1);
        assertThat(fired()).contains("often").doesNotContain("too late", "fired by hand");
        assertThat(slots("often").get(0)).isAfter(now.minusSeconds(13));
    }

    @Test
    void slotsOfAnOutageAreMadeUpForThoughTheFirstCallsFail() throws Exception {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofMillis(200));
        AtomicInteger fired = new AtomicInteger();
        bed.enqueueMiddleware.add((payload, next) -> {
            if (fired.incrementAndGet() == 3) {
                redis.texts().clientPause(1_000);
            }
            return next.proceed(payload);
        });
        Instant taken = serverTime().minusSeconds(4);
        store("tick", EVERY_SECOND, "last_enqueue_time", text(taken));
        redis.texts().zadd("cron_job:default:tick:enqueued", taken.getEpochSecond(), taken.toString());
        PollingProcess polling = polling();
        polling.runOnce();
        assertThat(polling.process.context.outage().error())
                .as("the first call fails")
                .isNotNull();
        awaitAnswers(polling);
        poll(polling, 4);
        awaitAnswers(polling); // on a busy machine another call may take too long

        assertThat(slots("tick"))
                .startsWith(taken)
                .isEqualTo(Stream.iterate(taken, slot -> slot.plusSeconds(1))
                        .limit(9)
                        .toList());
    }

    private static String text(Instant time) {
        return time.toString().replace("T", " ").replace("Z", " +0000");
    }

    /** As after it was saved, or when Ruby was first. */
    @Test
    void aSlotThatWasTakenIsNotEvenPrepared() throws Exception {
        List<Object> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(payload.args().get(0));
            return next.proceed(payload);
        });
        Instant slot = serverTime().minusSeconds(20);
        store("taken", at(slot));
        redis.texts().zadd("cron_job:default:taken:enqueued", slot.getEpochSecond(), slot.toString());
        store("tick", EVERY_SECOND);
        poll(polling(), 1);

        assertThat(seen).containsOnly("tick");
    }

    @Test
    void theGraceCanBeChosen() throws Exception {
        bed.config = bed.config.with(
                values -> values.recurring = new RecurringConfig(true, "default", "", Duration.ofMinutes(10)));
        store("late", once(Duration.ofSeconds(300)));
        polling().runOnce();

        assertThat(fired()).containsExactly("late");
    }

    @Test
    void otherNamespacesAreLeftAlone() throws Exception {
        bed.config = bed.config.with(
                values -> values.recurring = new RecurringConfig(true, "mine", "", Duration.ofMinutes(1)));
        store("theirs", once(Duration.ofSeconds(1)));
        redis.texts().sadd("cron_jobs:mine", "cron_job:mine:x");
        redis.texts().hset("cron_job:mine:x", redis.texts().hgetall("cron_job:default:theirs"));
        redis.texts().hset("cron_job:mine:x", "args", "[\"mine\"]");
        polling().runOnce();

        assertThat(fired()).containsExactly("mine");
    }

    @Test
    void anEngineMayLeaveThemToOthers() {
        bed.config = bed.config.with(
                values -> values.recurring = new RecurringConfig(false, "default", "", Duration.ofMinutes(1)));
        JobEngine off = bed.start(new Declaring());
        await().until(() -> off.health().leader());
        assertThat(redis.texts().exists("cron_jobs:default")).isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("jobs-recurring");
    }

    @Test
    void changesAndPausesTakeEffectWithTheNextLook() throws Exception {
        store("tick", EVERY_SECOND);
        PollingProcess polling = polling();
        poll(polling, 1);
        redis.texts().hset("cron_job:default:tick", "status", "disabled");
        store("other", EVERY_SECOND);
        poll(polling, 3);

        assertThat(count("tick")).isEqualTo(2);
        assertThat(count("other")).isEqualTo(4);
        assertThat(polling.process.context.outage().error()).isNull();
        redis.texts().hset("cron_job:default:other", "cron", once(Duration.ofDays(1)));
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        poll(polling, 3);
        assertThat(count("tick")).isEqualTo(5);
        assertThat(count("other")).isEqualTo(4);
    }

    @Test
    void aDeletedJobIsFiredNoMore() throws Exception {
        store("gone", EVERY_SECOND);
        PollingProcess polling = polling();
        polling.runOnce();
        redis.texts().del("cron_job:default:gone");
        store("other", EVERY_SECOND);
        poll(polling, 2);

        assertThat(count("gone")).isEqualTo(1);
        assertThat(count("other")).isEqualTo(3);
        assertThat(redis.texts().exists("cron_job:default:gone")).isZero();
    }

    @Test
    void aJobThatCannotBeFiredDelaysNoOther() throws Exception {
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
        poll(polling(), 2);

        assertThat(pushed()).hasSize(3);
        assertThat(fired()).containsOnly("z good");
        assertThat(redis.texts().keys("cron_job:default:*:enqueued"))
                .containsExactly("cron_job:default:z good:enqueued");
    }

    @Test
    void anEnqueueMiddlewareSeesItAndMayKeepItOut() throws Exception {
        List<Payload> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(payload);
            return payload.args().contains("unwanted") ? null : next.proceed(payload.with("mine", "yes"));
        });
        store("unwanted", once(Duration.ofSeconds(5)));
        store("wanted", once(Duration.ofSeconds(5)));
        poll(polling(), 1);

        assertThat(slots("unwanted")).hasSize(1);
        assertThat(pushed()).singleElement().satisfies(payload -> assertThat(payload.text("mine"))
                .isEqualTo("yes"));
        assertThat(seen).hasSize(2);
        assertThat(redis.texts().exists("cron_job:default:unwanted:jid_history"))
                .isZero();
    }

    @Test
    void whileAnEnqueueMiddlewareFailsTheSlotStaysFree() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        EnqueueMiddleware failing = (payload, next) -> {
            if (fails.get()) {
                throw new IllegalStateException("not now");
            }
            return next.proceed(payload);
        };
        bed.enqueueMiddleware.add(failing);
        store("once", once(Duration.ofSeconds(1)));
        PollingProcess polling = polling();
        poll(polling, 1);
        assertThat(bed.errors).as("is not tried again at once").hasSize(1);
        assertThat(slots("once")).isEmpty();
        fails.set(false);
        polling.process.pass(Duration.ofSeconds(15));
        polling.runOnce();

        assertThat(fired()).containsExactly("once");
    }

    @Test
    void aFullRedisDelaysASlotAndDoesNotLoseIt() throws Exception {
        store("once", once(Duration.ofSeconds(1)));
        redis.texts().configSet("maxmemory", "1");
        PollingProcess polling = polling();
        assertThat(polling.runOnce()).isEqualTo(PollInterval.AFTER_FAILURE);
        assertThat(polling.process.context.outage().error()).contains("full");
        assertThat(pushed()).isEmpty();
        redis.texts().configSet("maxmemory", "0");

        polling.runOnce();
        assertThat(fired()).containsExactly("once");
        assertThat(polling.process.context.outage().error()).isNull();
        assertThat(slots("once")).hasSize(1);
    }

    @Test
    void processesThatDoNotLeadFireToo() throws Exception {
        store("tick", EVERY_SECOND);
        List<PollingProcess> followers = List.of(polling(), polling());
        for (PollingProcess each : followers) {
            each.process.follow("somebody else");
        }
        for (int i = 0; i < 4; i++) {
            for (PollingProcess each : followers) {
                assertThat(each.runOnce())
                        .as("at intervals")
                        .isBetween(Duration.ofMillis(2_500), Duration.ofMillis(7_500));
            }
            pass(SECOND);
        }

        everySlotWasFiredOnce("tick");
        assertThat(pushed()).hasSize(4);
    }

    // What an application declares

    private void application(String name) {
        bed.config = bed.config.with(
                values -> values.recurring = new RecurringConfig(true, "default", name, Duration.ofMinutes(1)));
    }

    private static List<String> known() {
        List<String> names = new ArrayList<>(redis.texts().smembers("cron_jobs:default"));
        names.replaceAll(key -> key.replace("cron_job:default:", ""));
        return names;
    }

    @Test
    void declaredJobsAreStoredAtTheStart() throws Exception {
        application("shop");
        polling(new Declaring()).runOnce();

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
    void anEngineDeclaresAndFiresThoseOfItsOwnQueues() throws Exception {
        local(new OneQueue("parked"));
        polling(new DeclaringBoth()).runOnce();
        assertThat(known()).containsExactly("Declared");

        store("tick", EVERY_SECOND);
        local(new OneQueue("default"));
        try (LogLines lines = LogLines.of(RecurringPoller.class).open();
                LogLines declared = LogLines.of(RecurringDeclarations.class).open()) {
            polling(new DeclaringBoth()).runOnce();
            assertThat(declared.messages(Level.ERROR))
                    .anyMatch(line -> line.contains("does not recur: its queue 'parked' is elsewhere"));
            assertThat(lines.messages(Level.WARN))
                    .anyMatch(line -> line.contains(
                            "it is stored in shard 'east', and its queue 'parked' is elsewhere; delete it here"));
        }
        assertThat(pushed()).isEmpty();
        assertThat(known()).as("moved to another shard").containsExactlyInAnyOrder("Another", "tick");
    }

    /** What a shard with a single queue says of it. */
    private record OneQueue(String queue) implements LocalQueues {

        @Override
        public String shard() {
            return "east";
        }

        @Override
        public boolean holds(String other) {
            return other.equals(queue);
        }

        @Override
        public boolean declares(String other) {
            return other.equals(queue);
        }

        @Override
        public boolean misses(String other) {
            return !other.equals(queue);
        }

        @Override
        public String whereIs(String other) {
            return "elsewhere";
        }
    }

    private void local(LocalQueues queues) {
        bed.config = bed.config.with(values ->
                values.recurring = new RecurringConfig(true, "default", "shop", Duration.ofMinutes(1), queues));
    }

    @Test
    void jobsNoLongerDeclaredAreRemovedAndNoOthers() throws Exception {
        application("shop");
        polling(new Declaring()).runOnce();
        assertThat(known()).containsExactly("Declared");
        store("by Ruby's schedule", "@daily", "source", "schedule");
        store("by people", "@daily");
        store("by another", "@daily", "jobs_declared_by", "billing");

        application("");
        polling(new DeclaringAnother()).runOnce();
        assertThat(known()).contains("Declared", "Another");

        application("shop");
        polling(new DeclaringAnother()).runOnce();

        assertThat(known()).containsExactlyInAnyOrder("Another", "by Ruby's schedule", "by people", "by another");
        assertThat(redis.texts().keys("cron_job:default:Declared*")).isEmpty();
    }

    @Test
    void aScheduleThatIsTurnedOffIsRemovedEvenIfTheApplicationHasNoName() throws Exception {
        application("");
        polling(new Declaring()).runOnce();
        store("by people", "@daily");
        assertThat(known()).containsExactlyInAnyOrder("Declared", "by people");

        polling(new DeclaringNoMore()).runOnce();

        assertThat(known()).containsExactly("by people");
    }

    @Test
    void aPauseOutlivesARestart() throws Exception {
        application("shop");
        polling(new Declaring()).runOnce();
        redis.texts().hset("cron_job:default:Declared", Map.of("status", "disabled", "cron", "1 1 1 1 *"));
        polling(new Declaring()).runOnce();

        assertThat(redis.texts().hget("cron_job:default:Declared", "cron")).isEqualTo("0 2 * * * Europe/Berlin");
        assertThat(redis.texts().hget("cron_job:default:Declared", "status")).isEqualTo("disabled");
    }

    @Test
    void oneThatCannotBeStoredDelaysNoOther() throws Exception {
        redis.texts().set("cron_job:default:Declared", "text");
        store("tick", EVERY_SECOND);
        polling(new Declaring()).runOnce();

        assertThat(fired()).containsExactly("tick");
        assertThat(redis.texts().get("cron_job:default:Declared")).isEqualTo("text");
    }

    /** A deleted job stays deleted until the next start. */
    @Test
    void jobsDeletedByUsersStayDeletedWhileTheWorkerRuns() throws Exception {
        application("shop");
        PollingProcess polling = polling(new Declaring());
        polling.runOnce();
        assertThat(known()).containsExactly("Declared");
        redis.texts().srem("cron_jobs:default", "cron_job:default:Declared");
        redis.texts().del("cron_job:default:Declared");
        store("tick", EVERY_SECOND);
        poll(polling, 2);

        assertThat(known()).containsExactly("tick");
    }

    @Test
    void declaredJobsComeBackAfterRedisLostItsDataAndTheLogSaysSo() throws Exception {
        LogLines lines = LogLines.of(RecurringDeclarations.class).open();
        try (lines) {
            application("shop");
            PollingProcess shop = polling(new Declaring());
            application("billing");
            PollingProcess billing = polling(new DeclaringAnother());
            shop.runOnce();
            billing.runOnce();
            lines.clear();
            redis.flush();
            shop.runOnce();
            billing.runOnce();
            shop.runOnce();
        }

        assertThat(known()).containsExactlyInAnyOrder("Declared", "Another");
        assertThat(slots("Declared")).as("nothing is fired at once").hasSize(1);
        assertThat(lines.messages(Level.WARN)).hasSize(2).allSatisfy(line -> assertThat(line)
                .contains("lost its data", "stored again"));
    }

    /** Ruby writes the status, and nothing else. */
    @Test
    void aJobResumedByRubyBeginsWithItsNextSlot() throws Exception {
        store("tick", EVERY_SECOND);
        PollingProcess polling = polling();
        poll(polling, 1);
        List<Instant> before = slots("tick");
        redis.texts().hset("cron_job:default:tick", "status", "disabled");
        poll(polling, 5);
        Instant resumed = now;
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        poll(polling, 2);

        assertThat(slots("tick").subList(0, 2)).isEqualTo(before);
        assertThat(slots("tick").subList(2, slots("tick").size()))
                .as("the slot before it was resumed counts as taken")
                .startsWith(resumed.minusMillis(500))
                .hasSize(3);
        assertThat(count("tick")).as("and nothing was fired for it").isEqualTo(4);
    }

    /** As for a leader without a working doorbell, or one that has just begun to lead. */
    @Test
    void aSlotBetweenTheResumeAndTheNextLookIsNotLost() throws Exception {
        store("tick", EVERY_SECOND, "status", "disabled");
        PollingProcess leader = polling();
        leader.runOnce();
        redis.texts().hset("cron_job:default:tick", "status", "enabled");
        Instant resumed = now;
        pass(Duration.ofSeconds(3));
        poll(leader, 1);

        assertThat(slots("tick")).filteredOn(slot -> slot.isAfter(resumed)).hasSize((int) count("tick"));
        assertThat(count("tick")).isGreaterThanOrEqualTo(2);
    }

    @Test
    @LongTest
    void saysOnceIfThereAreMoreThanItReads() throws Exception {
        try (LogLines lines = LogLines.of(RecurringPoller.class).open()) {
            redis.texts()
                    .eval(
                            "for i = 1, 10001 do local key = 'cron_job:default:many' .. i "
                                    + "redis.call('HSET', key, 'cron', '0 0 1 1 *', 'klass', 'HardWorker', 'status', 'disabled') "
                                    + "redis.call('SADD', 'cron_jobs:default', key) end",
                            ScriptOutputType.STATUS);
            poll(polling(), 1);

            assertThat(lines.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("10000 recurring jobs or more", "never fired");
        }
    }
}
