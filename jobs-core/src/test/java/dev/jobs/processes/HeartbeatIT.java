package dev.jobs.processes;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.Job;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Sidekiq's readers see of a process, and the signals they send it. */
class HeartbeatIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        jobs.gate.countDown();
    }

    static final class Jobs {
        final CountDownLatch gate = new CountDownLatch(1);

        @Job("Waits")
        void waits() throws InterruptedException {
            gate.await();
        }
    }

    private JobEngine shown() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> redis.texts().exists(engine.health().identity()) == 1);
        return engine;
    }

    @Test
    @Tag("sidekiq-0.2")
    @Tag("sidekiq-0.15")
    @Tag("sidekiq-6")
    @Tag("sidekiq-13.1")
    @Tag("sidekiq-13.2")
    @Tag("sidekiq-30")
    @Tag("sidekiq-33")
    void theProcessHashHasEveryFieldThatAReaderNeeds() {
        bed.capsules(
                CapsuleConfig.of("default", 3, List.of("default", "crit")),
                CapsuleConfig.of("w", 1, List.of("low,2", "x")));
        JobEngine engine = shown();
        String identity = engine.health().identity();
        assertThat(identity).matches(".+:\\d+:[0-9a-f]{12}");
        assertThat(redis.texts().smembers("processes")).containsExactly(identity);
        assertThat(redis.texts().ttl(identity)).isBetween(50L, 60L);
        Map<String, String> fields = redis.texts().hgetall(identity);
        assertThat(fields)
                .containsOnlyKeys("info", "concurrency", "busy", "beat", "rtt_us", "rss", "quiet", "jobs", "shapes");
        assertThat(fields)
                .containsEntry("concurrency", "4")
                .containsEntry("busy", "0")
                .containsEntry("jobs", "Waits")
                .containsEntry("quiet", "false");
        assertThat(fields.get("beat")).matches("\\d{10}\\.\\d{6}");
        assertThat(Long.parseLong(fields.get("rss"))).isPositive();
        Payload info = Payload.parse(fields.get("info").getBytes(UTF_8));
        assertThat(info.names())
                .containsExactly(
                        "hostname",
                        "started_at",
                        "pid",
                        "tag",
                        "capsules",
                        "queues",
                        "weights",
                        "labels",
                        "identity",
                        "version",
                        "embedded",
                        "concurrency");
        assertThat(info.get("started_at")).isInstanceOf(Double.class);
        assertThat(info.get("pid")).isEqualTo(ProcessHandle.current().pid());
        assertThat(info.get("identity")).isEqualTo(identity);
        assertThat(info.get("concurrency")).isEqualTo(4L);
        assertThat(info.get("queues")).isEqualTo(List.of("default", "crit", "low", "x"));
        assertThat(new String(info.raw("capsules"), UTF_8))
                .isEqualTo(
                        "{\"default\":{\"concurrency\":3,\"mode\":\"strict\",\"weights\":{\"default\":0,\"crit\":0}},"
                                + "\"w\":{\"concurrency\":1,\"mode\":\"weighted\",\"weights\":{\"low\":2,\"x\":0}}}");
        assertThat(new String(info.raw("weights"), UTF_8))
                .isEqualTo("[{\"default\":0,\"crit\":0},{\"low\":2,\"x\":0}]");
    }

    @Test
    @Tag("sidekiq-0.2")
    @Tag("sidekiq-0.14")
    @Tag("sidekiq-6")
    @Tag("sidekiq-13.3")
    @Tag("sidekiq-33")
    void theWorkHashHasAnEntryForEachRunningJobWithItsExactPayload() {
        String stored = payload("Waits", "j1", "[]", "\"retry\":true", "\"x\":\"é\\\"\"");
        bed.push("default", stored);
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().busy() == 1);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> redis.texts().exists(engine.health().identity() + ":work") == 1);
        Map<String, String> work = redis.texts().hgetall(engine.health().identity() + ":work");
        assertThat(work).hasSize(1);
        assertThat(work.keySet().iterator().next()).matches("[0-9a-z]+");
        Payload entry = Payload.parse(work.values().iterator().next().getBytes(UTF_8));
        assertThat(entry.get("queue")).isEqualTo("default");
        assertThat(entry.get("payload")).isEqualTo(stored);
        assertThat(entry.integer("run_at"))
                .isBetween(System.currentTimeMillis() / 1_000 - 60, System.currentTimeMillis() / 1_000 + 1);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> "1".equals(redis.texts().hget(engine.health().identity(), "busy")));
    }

    private void signal(JobEngine engine, String... signals) {
        redis.texts().lpush(engine.health().identity() + "-signals", signals);
        bed.beat();
    }

    @LongTest
    @Test
    @Tag("sidekiq-13.5")
    @Tag("sidekiq-14")
    void tstpMakesItQuiet() {
        JobEngine engine = shown();
        redis.texts().lpush(engine.health().identity() + "-signals", "TSTP"); // heard without being told
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().state() == State.QUIET);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> "true".equals(redis.texts().hget(engine.health().identity(), "quiet")));
    }

    @Test
    @Tag("sidekiq-13.5")
    @Tag("sidekiq-14")
    void termStopsItAndHandsBackWhatRuns() {
        JobEngine engine = shown();
        bed.push("default", payload("Waits", "j1", "[]"));
        await().until(() -> engine.health().busy() == 1);
        signal(engine, "TERM");
        await().atMost(Duration.ofSeconds(30)).until(() -> engine.health().state() == State.STOPPED);
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        assertThat(redis.texts().scard("processes")).isZero();
    }

    @Test
    @Tag("sidekiq-13.5")
    void ttinAndUnknownSignalsAreTakenOneAfterTheOtherAndHarmNothing() {
        JobEngine engine = shown();
        bed.push("default", payload("Waits", "j1", "[]"));
        await().until(() -> engine.health().busy() == 1);
        signal(engine, "TTIN", "WHAT");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> redis.texts().exists(engine.health().identity() + "-signals") == 0);
        assertThat(engine.health().state()).isEqualTo(State.RUNNING);
    }

    @Test
    @Tag("sidekiq-13.5")
    void ttinWritesTheStacksOfAllThreadsIdleOnesTooInOneLineOfTheLog() {
        LogLines lines = LogLines.of(ThreadDump.class).open();
        try (lines) {
            JobEngine engine = shown();
            bed.push("default", payload("Waits", "j1", "[]"));
            await().until(() -> engine.health().busy() == 1);
            bed.push("default", payload("Unknown", "j2", "[]")); // ends on a second thread, which is idle then
            await().until(() -> redis.texts().zcard("schedule") + redis.texts().zcard("retry") == 1);
            signal(engine, "TTIN");
            await().atMost(Duration.ofSeconds(20)).until(() -> !lines.events().isEmpty());
        }

        assertThat(lines.events())
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("Waits (jid j1, queue default)", "HeartbeatIT$Jobs.waits", "ThreadPool.work")
                .contains(
                        "jobs-beat",
                        "jobs-default-fetcher",
                        "jobs-heartbeat",
                        Thread.currentThread().getName())
                .contains("\njobs-default-1", "\njobs-default-2");
    }

    @Test
    void showsTheStackOfTheJobOnAThreadAndOfNoOtherThread() {
        JobEngine engine = shown();
        String identity = engine.health().identity();
        bed.push("default", payload("Waits", "j1", "[]"));
        await().until(() -> engine.health().busy() == 1);
        bed.beat();
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().exists(identity + ":work") == 1);
        String thread = redis.texts().hkeys(identity + ":work").get(0);
        signal(engine, "STACK " + thread, "STACK 1");

        String key = "jobs:stack:" + identity + ":";
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().exists(key + "1") == 1);

        Payload shown = Payload.parse(redis.texts().get(key + thread).getBytes(UTF_8));
        assertThat(shown.jid()).isEqualTo("j1");
        assertThat(shown.text("thread")).matches("jobs-default-\\d+");
        assertThat(shown.get("stack").toString()).contains("HeartbeatIT$Jobs.waits");
        assertThat(redis.texts().ttl(key + thread)).isBetween(1L, 30L);
        assertThat(Payload.parse(redis.texts().get(key + "1").getBytes(UTF_8)).names())
                .containsExactly("at");
    }

    @Test
    @Tag("sidekiq-1")
    void theEvictionPolicyIsKnown() {
        redis.texts().configSet("maxmemory-policy", "allkeys-lru");
        try {
            JobEngine engine = bed.start(jobs);
            await().until(() -> "allkeys-lru".equals(engine.health().evictionPolicy()));
        } finally {
            redis.texts().configSet("maxmemory-policy", "noeviction");
        }
    }

    @Test
    @Tag("sidekiq-8")
    @Tag("sidekiq-13.4")
    void processesThatAreGoneAreForgottenAtItsStart() {
        redis.texts().sadd("processes", "gone:1:a", "gone:2:b");
        JobEngine engine = shown();
        await().untilAsserted(() -> assertThat(redis.texts().smembers("processes"))
                .containsExactly(engine.health().identity()));
        assertThat(redis.texts().ttl("process_cleanup")).isBetween(1L, 60L);
    }
}
