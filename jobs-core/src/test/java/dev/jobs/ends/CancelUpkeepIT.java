package dev.jobs.ends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
