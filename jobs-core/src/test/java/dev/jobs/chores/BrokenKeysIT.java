package dev.jobs.chores;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.Job;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineRun;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.handover.Doorbell;
import dev.jobs.handover.ServerWatch;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys of the wrong type: one line when the problem begins, one when it ends, and nothing in between. */
class BrokenKeysIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @RegisterExtension
    private final LogLines lines = LogLines.ofPackage("dev.jobs");

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void empty() {
        bed.config = EngineConfig.of(5, "default", "other");
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        redis.texts().del("retry", "schedule", "processes", "queue:default", "queue:other");
    }

    static final class Jobs {
        final Set<String> ran = ConcurrentHashMap.newKeySet();

        @Job("Quick")
        void quick(String id) {
            ran.add(id);
        }

        @Job("Fails")
        void fails(String id) {
            throw new IllegalStateException(id);
        }
    }

    private List<String> said(Level level, String part) {
        return lines.events().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(part))
                .toList();
    }

    private List<String> troubles() {
        return said(Level.WARN, "").stream()
                .filter(line -> !line.startsWith("fail "))
                .toList();
    }

    /** A line is logged just after the change that it reports. */
    private void awaitSaid(Level level, String part, int times) {
        await().atMost(PATIENCE).until(() -> said(level, part).size() == times);
    }

    private void job(String name, String id) {
        bed.push("default", payload(name, "j" + id, "[\"" + id + "\"]", "\"retry\":5"));
    }

    /** The number of jobs in the hash of the process, without its other fields. */
    private long held() {
        return redis.texts().keys("jobs:in:*").stream()
                .flatMap(key -> redis.texts().hkeys(key).stream())
                .filter(field -> !field.startsWith("#"))
                .count();
    }

    private void staysAtOneLine() {
        await().during(A_WHILE).atMost(PATIENCE).until(() -> troubles().size() == 1);
    }

    /** What engines do all the time, here only when a test says so. */
    private final class Chores implements AutoCloseable {

        final ChoreTestBed process = new ChoreTestBed(bed);
        final Poller poller = PollerIT.poller(process);
        final Doorbell doorbell =
                new Doorbell(process.connection, process.keys, () -> Set.of("default"), () -> true, queue -> {});
        final ServerWatch watch;

        Chores() {
            JobSets sets = new JobSets(
                    process.connection, process.keys, new DeadSetBounds(100, Duration.ofDays(1)), EffectSource.NONE);
            JobQueues queues = new JobQueues(process.connection, process.keys);
            watch = new ServerWatch(
                    doorbell,
                    process.connection,
                    process.context,
                    key -> EngineRun.isBroken(key, queues, sets),
                    () -> {});
        }

        /** Checks the server at once, which may have to be done twice. */
        void check() {
            for (int i = 0; i < 2; i++) {
                watch.runOnce();
                process.pass(Duration.ofSeconds(5));
            }
        }

        List<String> found() {
            return process.context.brokenKeys().all();
        }

        @Override
        public void close() {
            doorbell.close();
            process.close();
        }
    }

    @Test
    void aBrokenScheduledSetIsSaidOnceUntilItIsRepairedAndHoldsUpNoRetry() throws Exception {
        try (Chores chores = new Chores()) {
            for (int i = 1; i <= 2; i++) {
                redis.texts().set("schedule", "no set");
                for (int j = 0; j < 3; j++) {
                    redis.texts().zadd("retry", 1, payload("Quick", "j" + i + j, "[]", "\"queue\":\"default\""));
                    chores.poller.runOnce();
                }
                chores.check();
                assertThat(redis.texts().llen("queue:default")).isEqualTo(3L * i);
                assertThat(troubles()).hasSize(i);
                assertThat(chores.found()).singleElement().asString().startsWith("The key 'schedule'");
                redis.texts().del("schedule");
                chores.check();
                assertThat(chores.found()).isEmpty();
                assertThat(said(Level.INFO, "schedule' is repaired")).hasSize(i);
            }
            assertThat(chores.process.context.outage().error()).isNull();
        }
    }

    @Test
    void aBrokenRetrySetIsSaidOnceUntilItIsRepairedAndHoldsUpNoScheduledJob() throws Exception {
        redis.texts().set("retry", "no set");
        try (Chores chores = new Chores()) {
            for (int j = 0; j < 3; j++) {
                redis.texts().zadd("schedule", 1, payload("Quick", "j" + j, "[]", "\"queue\":\"default\""));
                chores.poller.runOnce();
            }
            assertThat(redis.texts().llen("queue:default")).isEqualTo(3);
            assertThat(troubles()).singleElement().asString().startsWith("The key 'retry'");
            redis.texts().del("retry");
            chores.check();
            assertThat(chores.found()).isEmpty();
        }
    }

    @Test
    void dueJobsForABrokenQueueAreSaidOnceForAll() throws Exception {
        redis.texts().set("queue:elsewhere", "no list");
        for (int i = 0; i < 10; i++) {
            redis.texts().zadd("schedule", 1, payload("Quick", "j" + i, "[]", "\"queue\":\"elsewhere\""));
        }
        try (Chores chores = new Chores()) {
            chores.poller.runOnce();
            assertThat(redis.texts().zcount("schedule", io.lettuce.core.Range.create(2, 1e12)))
                    .isEqualTo(10);
            assertThat(troubles()).singleElement().asString().startsWith("The key of queue elsewhere");
            chores.check();
            assertThat(chores.found()).hasSize(1);
            redis.texts().del("queue:elsewhere");
            chores.check();
            assertThat(chores.found()).isEmpty();
        }
    }

    /** No poller reads the dead set, so that it is known to be broken shows that a job could not be settled. */
    @Test
    void jobsThatCouldNotBeBuriedAreOnceTheDeadSetIsRepaired() {
        redis.texts().set("dead", "no set");
        JobEngine engine = bed.start(jobs);
        for (int i = 0; i < 60; i++) {
            bed.push("default", payload("Fails", "j" + i, "[\"" + i + "\"]", "\"retry\":0"));
        }
        await().atMost(PATIENCE).until(() -> !engine.health().brokenKeys().isEmpty());
        redis.texts().del("dead");
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("dead") == 60);
        awaitSaid(Level.WARN, "is not a sorted set", 1);
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aBrokenQueueIsSaidOnceAndHoldsUpNoOther() {
        redis.texts().set("queue:other", "no list");
        JobEngine engine = bed.start(jobs);
        for (int i = 0; i < 20; i++) {
            String id = Integer.toString(i);
            job("Quick", id);
            await().atMost(PATIENCE).until(() -> jobs.ran.contains(id));
        }
        awaitSaid(Level.ERROR, "other", 1);
        assertThat(engine.health().brokenKeys()).hasSize(1);
        assertThat(engine.health().redisError()).isNull();
        assertThat(troubles()).hasSize(1);
    }

    @Test
    @LongTest
    void aBrokenRetrySetIsLoggedOnceAndNoMoreJobsAreHeldThanThereAreThreads() {
        redis.texts().set("retry", "no set");
        JobEngine engine = bed.start(jobs);
        for (int i = 0; i < 60; i++) {
            job("Fails", Integer.toString(i));
        }
        await().atMost(PATIENCE).until(() -> held() >= 5);
        staysAtOneLine();
        assertThat(troubles().get(0)).contains("retry");
        assertThat(held()).isLessThanOrEqualTo(10);
        assertThat(engine.health().brokenKeys()).hasSize(1);
        redis.texts().del("retry");
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("retry") == 60);
        await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().isEmpty());
        awaitSaid(Level.INFO, "retry' is repaired", 1);
        assertThat(troubles()).hasSize(1);
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    @LongTest
    void aBrokenScheduledSetIsLoggedOnceWhileRetriesContinue() {
        redis.texts().set("schedule", "no set");
        JobEngine engine = bed.start(jobs);
        await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().size() == 1);
        for (int i = 0; i < 20; i++) {
            String id = Integer.toString(i);
            redis.texts().zadd("retry", 1, payload("Quick", "j" + id, "[\"" + id + "\"]", "\"queue\":\"default\""));
            await().atMost(PATIENCE).until(() -> jobs.ran.contains(id));
        }
        assertThat(troubles()).hasSize(1);
        assertThat(engine.health().redisError()).isNull();
        redis.texts().del("schedule");
        await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().isEmpty());
        awaitSaid(Level.INFO, "schedule' is repaired", 1);
        assertThat(troubles()).hasSize(1);
    }

    @Test
    void aDueRetryThatCannotBeScheduledBlamesOnlyTheBrokenScheduledSet() {
        CountDownLatch refused = new CountDownLatch(1);
        bed.enqueueMiddleware.add((payload, next) -> {
            redis.texts().set("schedule", "no set"); // after the poller has read the set, so only the move notices it
            refused.countDown();
            return next.proceed(payload.with("at", 1e11));
        });
        redis.texts().zadd("retry", 1, payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        JobEngine engine = bed.start(jobs);
        await().atMost(PATIENCE)
                .until(() -> refused.getCount() == 0
                        && redis.texts().zcount("retry", io.lettuce.core.Range.create(2, 1e12)) == 1);
        await().atMost(PATIENCE).until(() -> !troubles().isEmpty());
        assertThat(troubles()).singleElement().asString().contains("'schedule'");
        await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().size() == 1);
    }

    @Test
    @LongTest
    void aQueueThatIsBrokenASecondTimeIsSaidAgain() {
        JobEngine engine = bed.start(jobs);
        for (int i = 1; i <= 2; i++) {
            redis.texts().set("queue:other", "no list");
            await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().size() == 1);
            job("Quick", "while broken " + i);
            awaitSaid(Level.ERROR, "other", i);
            redis.texts().del("queue:other");
            await().atMost(PATIENCE).until(() -> engine.health().brokenKeys().isEmpty());
            awaitSaid(Level.INFO, "other is repaired", i);
        }
        assertThat(troubles()).hasSize(2);
    }

    @Test
    @LongTest
    void aBrokenListOfProcessesIsLoggedOnceAndDoesNotMakeTheWorkerUnhealthy() {
        redis.texts().set("processes", "no set");
        JobEngine engine = bed.start(jobs);
        await().atMost(PATIENCE).until(() -> !troubles().isEmpty());
        job("Quick", "1");
        await().atMost(PATIENCE).until(() -> jobs.ran.contains("1"));
        staysAtOneLine();
        assertThat(engine.health().redisError()).isNull();
        assertThat(engine.health().brokenKeys()).isEmpty();
        redis.texts().del("processes");
        await().atMost(PATIENCE).until(() -> redis.texts().scard("processes") == 1);
        awaitSaid(Level.INFO, "is shown again", 1);
        assertThat(troubles()).hasSize(1);
    }
}
