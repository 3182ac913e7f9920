package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a leader does for batches that stand still, on a clock that the test sets. */
class BatchUpkeepIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final String BATCH = "00c0ffee00c0ffee";

    private final AtomicLong nanos = new AtomicLong();
    private final RedisConnections connections = redis.connections("");
    private final RedisConnection connection = connections.open("test");
    private final RedisKeys keys = connections.keys();
    private final Lease lease = new Lease(() -> "me", new Timing(Duration.ofSeconds(20)), nanos::get);
    private final EngineEnvironment system = EngineEnvironment.system();
    private final RunContext context = RunContext.of(
            new EngineEnvironment(
                    Clock.systemUTC(), nanos::get, new Random(1), system.processorThreads(), system.outOfMemory()),
            PayloadTimes.MILLISECONDS,
            JobHooks.none(),
            EngineTestBed.unlimited(),
            RunParts.effects(keys, EngineTestBed.unlimited(), List.of()),
            lease,
            3,
            new AtomicInteger());
    private final BatchUpkeep upkeep = new BatchUpkeep(connection, keys, context);

    @BeforeEach
    void empty() {
        redis.flush();
        lead("me");
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private void lead(String leader) {
        lease.beaten(
                lease.current(),
                nanos.get(),
                new Alive(0, Instant.EPOCH, leader, Set.of(), 1, List.of(), Duration.ofSeconds(3), "1"));
    }

    private void store(String id, String states) {
        redis.texts()
                .hset(
                        "jobs:batch:" + id,
                        Map.of(
                                "total",
                                "" + states.length(),
                                "fresh",
                                "" + states.length(),
                                "again",
                                "0",
                                "open",
                                "0",
                                "created",
                                "1"));
        redis.texts().set("jobs:batch:" + id + ":s", states);
        redis.texts().zadd("jobs:batches", 1, id);
        redis.texts().zadd("jobs:batches:open", 1, id);
    }

    /** Runs until there is nothing more to do now. */
    private void run() {
        int runs = 0;
        while (upkeep.runOnce().isZero()) {
            assertThat(runs++).isLessThan(1_000);
        }
    }

    private void after(Duration time) {
        nanos.addAndGet(time.toNanos());
        lead("me");
        run();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        lead("me");
        run();
        run();
    }

    private String states() {
        return redis.texts().get("jobs:batch:" + BATCH + ":s");
    }

    @Test
    void anOutageIsOverForAProcessThatNoLongerLeads() {
        connection.close();
        upkeep.runOnce();
        assertThat(context.outage().error()).isNotNull();

        lead("another");
        upkeep.runOnce();

        assertThat(context.outage().error()).isNull();
    }

    @Test
    void aKeyOfAnotherTypeIsNoOutage() {
        redis.texts().set("jobs:batches:open", "text");
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        lead("me");
        context.outage().failed("batch upkeep", new JobStoreException(JobStoreException.Kind.TIMEOUT, "late", null));
        upkeep.runOnce();

        assertThat(context.outage().error()).isNull();
    }

    @Test
    void aBatchThatStandsStillIsAudited() {
        store(BATCH, "qq");
        run();
        after(Duration.ofMinutes(30));
        assertThat(states()).isEqualTo("qq");

        after(Duration.ofMinutes(30));
        assertThat(states()).isEqualTo("ll");
    }

    @Test
    void aBatchThatChangesIsNot() {
        store(BATCH, "qq");
        run();
        after(Duration.ofMinutes(50));
        redis.texts().hincrby("jobs:batch:" + BATCH, "again", 1);
        after(Duration.ofMinutes(50));

        assertThat(states()).isEqualTo("qq");
    }

    @Test
    void onlyTheLeaderDoesAnything() {
        store(BATCH, "qq");
        redis.texts().lpush("jobs:batches:notes", BATCH + "00000000 s");
        lead("another");
        upkeep.runOnce();
        nanos.addAndGet(Duration.ofHours(2).toNanos());
        lead("another");
        upkeep.runOnce();

        assertThat(states()).isEqualTo("qq");
        lead("me");
        run();
        assertThat(states()).isEqualTo("sq");
    }

    private List<String> resting() {
        return redis.texts().zrange("jobs:batches:rest", 0, -1);
    }

    /** All its jobs have ended, but the note of that is lost. */
    @Test
    void aBatchWhoseNoteIsLostIsLookedAt() {
        store(BATCH, "ss");
        redis.texts().hset("jobs:batch:" + BATCH, Map.of("fresh", "0", "ok", "2"));
        run();

        assertThat(resting()).containsExactly(BATCH);
    }

    @Test
    void aBatchThatIsOverButStillInTheListOfOpenOnesIsLookedAt() {
        store(BATCH, "ss");
        redis.texts()
                .hset(
                        "jobs:batch:" + BATCH,
                        Map.of(
                                "fresh",
                                "0",
                                "ok",
                                "2",
                                "attempted",
                                "1",
                                "finished",
                                "1",
                                "succeeded",
                                "1",
                                "c2",
                                "q"));
        run();
        assertThat(resting()).as("its callback waits").isEmpty();

        redis.texts().hset("jobs:batch:" + BATCH, "c2", "s");
        after(Duration.ofMinutes(1));
        assertThat(resting()).containsExactly(BATCH);
    }

    /** Its keys would expire, although a job of it waits. */
    @Test
    void aBatchThatWasOverAndHasAPendingJobIsLookedAt() {
        store(BATCH, "sr");
        redis.texts().zrem("jobs:batches:open", BATCH);
        redis.texts()
                .hset(
                        "jobs:batch:" + BATCH,
                        Map.of(
                                "fresh",
                                "0",
                                "again",
                                "1",
                                "ok",
                                "1",
                                "attempted",
                                "1",
                                "finished",
                                "1",
                                "told",
                                "finished"));
        run();

        assertThat(resting()).containsExactly(BATCH);
    }

    @Test
    void batchesThatWantNoLookGetNone() {
        store(BATCH, "qq");
        store("00c0ffee00000001", "sd");
        redis.texts().zrem("jobs:batches:open", "00c0ffee00000001");
        redis.texts()
                .hset(
                        "jobs:batch:00c0ffee00000001",
                        Map.of(
                                "fresh",
                                "0",
                                "ok",
                                "1",
                                "dead",
                                "1",
                                "attempted",
                                "1",
                                "finished",
                                "1",
                                "died",
                                "1",
                                "told",
                                "finished"));
        store("00c0ffee00000002", "sf");
        redis.texts().zrem("jobs:batches:open", "00c0ffee00000002");
        redis.texts()
                .hset(
                        "jobs:batch:00c0ffee00000002",
                        Map.of("fresh", "0", "ok", "1", "failed", "1", "attempted", "1", "finished", "1", "told", "x"));
        run();
        assertThat(resting()).isEmpty();

        redis.texts().hset("jobs:batch:00c0ffee00000002:d", "tolerates", "f");
        after(Duration.ofMinutes(1));
        assertThat(resting()).as("it has succeeded").containsExactly("00c0ffee00000002");
    }

    @LongTest
    @Test
    void eachOfManyIsWatchedEveryFewMinutes() {
        redis.pipeline(1_100, (texts, i) -> {
            texts.zadd("jobs:batches:open", i, String.format("%016x", i));
            texts.hset(
                    "jobs:batch:" + String.format("%016x", i),
                    Map.of("total", "1", "fresh", "1", "open", "0", "changed", "1"));
        });
        String last = String.format("%016x", 1_099);
        redis.texts().set("jobs:batch:" + last + ":s", "q");
        run();
        for (int minute = 0; minute < 80; minute++) {
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            lead("me");
            run();
        }
        redis.texts().hset("jobs:batch:" + last, "fresh", "0");
        for (int minute = 0; minute < 3; minute++) {
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            lead("me");
            run();
        }

        assertThat(resting()).contains(last);
    }

    @Test
    void aBatchWithAKeyOfTheWrongTypeHoldsUpNoOther() {
        redis.texts().set("jobs:batch:00c0ffee00000001", "text");
        redis.texts().zadd("jobs:batches:open", 0, "00c0ffee00000001");
        redis.texts().zadd("jobs:batches", 0, "00c0ffee00000001");
        store(BATCH, "qq");
        run();
        after(Duration.ofHours(1));

        assertThat(states()).isEqualTo("ll");
        assertThat(redis.texts().zcard("jobs:batches:open")).isEqualTo(2);
    }

    @Test
    void expiredBatchesLeaveTheListHoweverManyOthersThereAre() {
        for (int i = 0; i < 250; i++) {
            store(String.format("%016x", i), "q");
        }
        for (int i = 0; i < 250; i += 2) {
            redis.texts().del("jobs:batch:" + String.format("%016x", i));
        }
        run();

        assertThat(redis.texts().zcard("jobs:batches")).isEqualTo(125);
        assertThat(redis.texts().zcard("jobs:batches:open")).isEqualTo(125);
    }

    @Test
    void anUnusableListStopsNothingForGood() {
        redis.texts().set("jobs:batches", "a text");
        redis.texts().lpush("jobs:batches:notes", "nonsense");
        run();
        assertThat(context.outage().error()).isNull();
        redis.texts().del("jobs:batches");
        store(BATCH, "q");
        redis.texts().lpush("jobs:batches:notes", BATCH + "00000000 s");
        run();

        assertThat(states()).isEqualTo("s");
    }
}
