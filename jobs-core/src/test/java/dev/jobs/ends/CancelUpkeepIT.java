package dev.jobs.ends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.batches.BatchReader;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which cancellations are forgotten once there are many. */
class CancelUpkeepIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private static final int ENOUGH = 5;

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private ChoreTestBed process;
    private Cancellations cancellations;
    private CancelUpkeep upkeep;

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        cancellations = new Cancellations(process.connection, process.keys);
        upkeep = upkeep();
    }

    private CancelUpkeep upkeep() {
        return new CancelUpkeep(
                cancellations,
                new JobSets(
                        process.connection,
                        process.keys,
                        new DeadSetBounds(100, Duration.ofDays(1)),
                        process.context.effects().all()),
                new JobQueues(process.connection, process.keys),
                new LimitStates(process.connection, process.keys),
                new InFlightJobs(process.connection, process.keys),
                new BatchReader(process.connection, process.keys),
                process.context,
                ENOUGH);
    }

    @AfterEach
    void close() {
        process.close();
    }

    private static String job(String jid) {
        return EngineTestBed.payload("Note", jid, "[]");
    }

    private void cancel(String... jids) {
        for (String jid : jids) {
            cancellations.cancel(jid, Instant.EPOCH);
        }
    }

    private void cancelEnded(int from, int to) {
        IntStream.range(from, to).forEach(i -> cancel("ended" + i));
    }

    private void pass() {
        Duration next;
        do {
            next = upkeep.runOnce();
        } while (next.isZero());
        assertThat(next).isEqualTo(CancelUpkeep.EACH);
    }

    private List<String> known() {
        return cancellations.newerThan(0).jids();
    }

    @Test
    void thoseOfJobsThatWaitAreKeptHoweverManyAreNewer() {
        redis.texts().zadd("schedule", 4e9, job("scheduled"));
        redis.texts().zadd("retry", 4e9, job("retried"));
        bed.push("default", job("queued"));
        redis.texts().sadd("queues", "default");
        redis.texts().hset("jobs:limits", "d:api", "1");
        redis.texts().zadd("jobs:parked:api", 0, "5\n0000000000000001\nmail\n1\n" + job("parked"));
        cancel("scheduled", "retried", "queued", "parked");
        cancelEnded(0, 20);

        pass();

        assertThat(known()).containsExactly("scheduled", "retried", "queued", "parked", "ended19");
        assertThat(redis.texts().keys("it-*")).as("their marks").hasSize(ENOUGH);
    }

    @Test
    void thoseOfJobsThatProcessesHoldAreKept() {
        redis.texts().zadd("jobs:beats", 1, "another");
        redis.texts().hset("jobs:in:another", Map.of("#0", "0", "0:1:1:default", job("held"), "0:1:2:default", "text"));
        cancel("held");
        cancelEnded(0, 20);

        pass();

        assertThat(known()).contains("held").hasSize(ENOUGH);
    }

    /** Each is gone from the place at which the search looks next, and has come to one at which it has looked. */
    @Test
    void thoseOfJobsThatGoBackMeanwhileAreKept() {
        redis.texts().zadd("jobs:beats", 1, "another");
        redis.texts().hset("jobs:in:another", "0:1:1:default", job("fails"));
        redis.texts().sadd("queues", "default");
        bed.push("default", job("parks"));
        for (int i = 0; i < 3_000; i++) {
            bed.push("default", job("w" + i));
        }
        redis.texts().hset("jobs:limits", "d:api", "1");
        cancel("fails", "parks");
        cancelEnded(0, 20);

        assertThat(upkeep.runOnce()).isZero();
        redis.texts().hdel("jobs:in:another", "0:1:1:default");
        redis.texts().zadd("retry", 4e9, job("fails"));
        assertThat(redis.texts().lrem("queue:default", 0, job("parks"))).isOne();
        redis.texts().zadd("jobs:parked:api", 0, "5\n0000000000000001\ndefault\n1\n" + job("parks"));
        pass();

        assertThat(known()).contains("fails", "parks");
    }

    @Test
    void thoseOfJobsThatWaitForTheirBatchAreKept() {
        String batch = "00112233aabbccdd";
        redis.texts().set("jobs:batch:" + batch + ":s", "sqQ\0");
        redis.texts().set("jobs:batch:" + batch + ":g", "sr");
        redis.texts().sadd("jobs:batch:ffffffffffffffff:s", "no states");
        List<String> waiting = List.of(batch + "00000001", batch + "00000002", batch + "80000001");
        List<String> ended =
                List.of(batch + "00000000", batch + "00000003", batch + "00000004", batch + "80000000", "f".repeat(24));
        waiting.forEach(this::cancel);
        ended.forEach(this::cancel);
        cancelEnded(0, 20);

        pass();

        assertThat(known())
                .containsAll(waiting)
                .doesNotContainAnyElementsOf(ended)
                .hasSize(ENOUGH);
    }

    @Test
    void allAreKeptWhileThereAreFew() {
        cancelEnded(0, ENOUGH);
        redis.texts().configResetstat();
        pass();
        assertThat(known()).hasSize(ENOUGH);
        assertThat(redis.calls("evalsha") + redis.calls("eval")).isZero();
    }

    @Test
    void placesAreReadInSteps() {
        List<String> waiting = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            waiting.add("w" + i);
            bed.push("default", job("w" + i));
        }
        redis.texts().sadd("queues", "default");
        cancel("w0", "w1500", "w2999");
        cancelEnded(0, 20);

        assertThat(upkeep.runOnce()).isZero();
        assertThat(known()).as("the pass goes on").hasSize(23);
        cancel("ended0"); // anew
        pass();

        assertThat(known()).containsExactly("w0", "w1500", "w2999", "ended19", "ended0");
    }

    @Test
    void onlyTheLeaderForgetsAndNotTooOften() {
        cancelEnded(0, 20);
        process.follow("another");
        pass();
        assertThat(known()).hasSize(20);

        process.follow("me");
        pass();
        assertThat(known()).hasSize(ENOUGH);
        cancelEnded(0, 20);
        pass();
        assertThat(known()).as("within a minute").hasSize(20);
        process.pass(CancelUpkeep.EACH);
        pass();
        assertThat(known()).hasSize(ENOUGH);
    }
}
