package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** Death handlers are called once, after Redis has stored the death, and block only the thread that calls them. */
@Tag("sidekiq-11.6")
class DeathsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
    }

    static final class Jobs {
        volatile Runnable before = () -> {};
        final AtomicInteger fine = new AtomicInteger();

        @Job("Fine")
        void fine() {
            fine.incrementAndGet();
        }

        @Job("Dies")
        void dies() {
            before.run();
            throw new IllegalStateException("enough");
        }
    }

    private void pushDying(String jid, String... more) {
        bed.push("default", payload("Dies", jid, "[]", more));
    }

    @Test
    @Tag("sidekiq-12")
    void aDeathHandlerFindsTheJobInTheDeadSet() {
        List<String> found = new CopyOnWriteArrayList<>();
        bed.deathHandlers.add(
                (payload, failure) -> found.add(payload.jid() + redis.texts().zrange("dead", 0, -1)));
        for (int i = 0; i < 20; i++) {
            pushDying("j" + i, "\"retry\":0");
        }
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> bed.deaths.size() == 20);

        assertThat(found).isNotEmpty().allSatisfy(each -> assertThat(each)
                .contains(each.substring(0, each.indexOf('[')) + "\""));
        assertThat(bed.deaths).isNotEmpty().allSatisfy(each -> assertThat(
                        redis.texts().zscore("dead", new String(each.payload().bytes(), UTF_8)))
                .as("the payload is the one that was stored")
                .isNotNull());
    }

    @Test
    @Tag("sidekiq-0.5")
    void aDroppedJobIsGoneBeforeItsDeathHandlerIsCalled() {
        List<Long> inFlight = new CopyOnWriteArrayList<>();
        bed.deathHandlers.add((payload, failure) -> inFlight.add(bed.books().inFlight()));
        pushDying("j1", "\"retry\":false");
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> bed.deaths.size() == 1);

        assertThat(inFlight).containsExactly(0L);
        assertThat(bed.deaths.get(0).payload().has("discarded_at")).isTrue();
    }

    @Test
    void noDeathIsReportedOfAJobThatHadBeenTakenAway() {
        jobs.before = () -> redis.texts().keys("jobs:in:*").forEach(held -> redis.texts().hkeys(held).stream()
                .filter(field -> !field.startsWith("#"))
                .forEach(field -> redis.texts().hdel(held, field)));
        pushDying("j1", "\"retry\":0");
        bed.start(jobs);
        bed.awaitEnds(1);
        bed.stopEngines();

        assertThat(redis.texts().zcard("dead")).isZero();
        assertThat(bed.deaths).isEmpty();
    }

    @Test
    void eachDeathIsReportedOnceThoughAnswersOfRedisAreLost() {
        try (RedisProxy proxy = new RedisProxy(redis.port())) {
            RedisConnections over = redis.connections("", proxy.port());
            jobs.before = () -> proxy.loseAnswers(3);
            for (int i = 0; i < 20; i++) {
                pushDying("j" + i, "\"retry\":0");
            }
            bed.engine(jobs, over).start();
            await().atMost(PATIENCE).until(() -> redis.texts().zcard("dead") == 20);
            bed.stopEngines();
        }

        assertThat(bed.deaths)
                .extracting(each -> each.payload().jid())
                .doesNotHaveDuplicates()
                .hasSize(20);
    }

    @Test
    @Tag("sidekiq-23")
    void aDeathHandlerThatThrowsIsReportedToTheErrorHandlersAndTheOthersHear() {
        bed.deathHandlers.add((payload, failure) -> {
            throw new IllegalStateException("no mail today");
        });
        pushDying("j1", "\"retry\":0");
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> bed.deaths.size() == 1);
        bed.stopEngines();

        assertThat(bed.errors).hasSize(2);
        assertThat(bed.errors.get(0).failure()).hasMessage("enough");
        assertThat(bed.errors.get(1).failure()).hasMessage("no mail today");
        assertThat(bed.errors.get(1).payload().jid()).isEqualTo("j1");
    }

    @Test
    void aSlowDeathHandlerBlocksOnlyItsOwnThread() {
        bed.capsules(CapsuleConfig.of("default", 2, List.of("default")));
        bed.deathHandlers.add((payload, failure) -> uninterrupted(gate));
        pushDying("j1", "\"retry\":0");
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("dead") == 1);
        for (int i = 0; i < 200; i++) {
            bed.push("default", payload("Fine", "f" + i, "[]"));
        }
        bed.awaitDrained("default");

        assertThat(jobs.fine).hasValue(200);
        assertThat(bed.deaths).isEmpty();
        gate.countDown();
        await().atMost(PATIENCE).until(() -> bed.deaths.size() == 1);
    }

    @Test
    @Tag("sidekiq-22")
    void logLinesOfADeathHandlerNameTheJob() {
        List<String> named = new CopyOnWriteArrayList<>();
        bed.deathHandlers.add((payload, failure) -> named.add(MDC.get("jid") + " " + MDC.get("job")));
        pushDying("j1", "\"retry\":0");
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> bed.deaths.size() == 1);

        assertThat(named).containsExactly("j1 Dies");
    }

    @Test
    @Tag("sidekiq-14")
    void aStopWaitsForDeathHandlers() {
        CountDownLatch called = new CountDownLatch(1);
        JobEngine[] engine = new JobEngine[1];
        bed.deathHandlers.add((payload, failure) -> {
            called.countDown();
            await().atMost(PATIENCE).until(() -> engine[0].health().state() == State.STOPPING);
        });
        engine[0] = bed.engine(jobs);
        pushDying("j1", "\"retry\":0");
        engine[0].start();
        uninterrupted(called);
        engine[0].stop();

        assertThat(bed.deaths).hasSize(1);
    }

    /** A thread that waits for an answer that can't come is released. */
    @Test
    @LongTest
    @Timeout(120)
    void aStopWhileRedisIsAwayLeavesNoThreadBehind() {
        Set<Thread> ofEarlierTests = Thread.getAllStackTraces().keySet();
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
        LogLines lines = LogLines.of(AwaitedSettlements.class).open();
        try (lines;
                RedisProxy proxy = new RedisProxy(redis.port())) {
            jobs.before = proxy::close;
            JobEngine engine = bed.engine(jobs, redis.connections("", Duration.ofSeconds(5), proxy.port()));
            pushDying("j1", "\"retry\":0");
            engine.start();
            bed.awaitEnds(1);
            engine.stop();
        }

        assertThat(lines.messages()).singleElement().asString().contains("didn't confirm in time that 1 jobs died");
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !ofEarlierTests.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("jobs-default-"));
        assertThat(bed.deaths).isEmpty();
    }

    @Test
    @LongTest
    @Timeout(120)
    void noThreadWaitsForRedisIfNoDeathHandlerListens() {
        LogLines lines = LogLines.of(AwaitedSettlements.class).open();
        try (lines;
                RedisProxy proxy = new RedisProxy(redis.port())) {
            bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
            bed.hearsOfDeaths = false;
            jobs.before = proxy::close;
            JobEngine engine = bed.engine(jobs, redis.connections("", Duration.ofSeconds(5), proxy.port()));
            pushDying("j1", "\"retry\":0");
            engine.start();
            bed.awaitEnds(1);
            engine.stop();
        }

        assertThat(lines.events()).as("released threads").isEmpty();
    }

    @Test
    void aDeathHandlerThatDoesNotListenIsNotCalled() {
        bed.hearsOfDeaths = false;
        pushDying("j1", "\"retry\":0");
        bed.start(jobs);
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("dead") == 1);
        bed.stopEngines();

        assertThat(bed.deaths).isEmpty();
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
