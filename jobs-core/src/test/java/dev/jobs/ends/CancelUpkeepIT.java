package dev.jobs.ends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.batches.BatchReader;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        return upkeep(process.keys);
    }

    private CancelUpkeep upkeep(RedisKeys queues) {
        return new CancelUpkeep(
                cancellations,
                new JobSets(
                        process.connection,
                        process.keys,
                        new DeadSetBounds(100, Duration.ofDays(1)),
                        process.context.effects().all()),
                new JobQueues(process.connection, queues),
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

    /** It is claimed ahead before the search has come to the front of its queue, and handed back at some time after. */
    @Test
    void thoseOfJobsThatAreHandedBackMeanwhileAreKept() {
        for (int i = 0; i < 30; i++) {
            redis.texts().zadd("jobs:beats", 1, "p" + i); // looked at between the queue and the last one
        }
        redis.texts().zadd("jobs:beats", 2, "another");
        redis.texts().sadd("queues", "default");
        List<String> front = IntStream.range(0, 10).mapToObj(i -> "front" + i).toList();
        front.forEach(jid -> bed.push("default", job(jid)));
        for (int i = 0; i < 2_000; i++) {
            bed.push("default", job("w" + i));
        }
        front.forEach(this::cancel);
        cancelEnded(0, 20);

        assertThat(upkeep.runOnce()).isZero();
        assertThat(upkeep.runOnce()).isZero();
        assertThat(redis.texts().rpop("queue:default", front.size())).hasSize(front.size());
        front.forEach(jid -> redis.texts().hset("jobs:in:another", "0:1:" + jid + ":default", job(jid)));
        for (String jid : front) {
            upkeep.runOnce();
            redis.texts().hdel("jobs:in:another", "0:1:" + jid + ":default");
            redis.texts().rpush("queue:default", job(jid));
        }
        pass();

        assertThat(known()).containsAll(front);
    }

    @Test
    void thoseOfJobsInOrderAreKeptByALeaderThatDoesNotKnowTheOrder() {
        redis.texts().sadd("queues", "imports");
        redis.texts().zadd("jobs:order:imports", 1, job("in order"));
        bed.push("imports", job("before"));
        cancel("in order", "before");
        cancelEnded(0, 20);

        pass();

        assertThat(known()).contains("in order", "before").hasSize(ENOUGH);
    }

    /** The order is behind its list: what leaves it changes no place in the list. */
    @Test
    void thoseOfJobsInTheListOfAnOrderedQueueAreKeptWhileItsOrderIsWorkedOff() {
        upkeep = upkeep(new RedisKeys("", new OrderRules(Map.of("imports", OrderRule.fair()))));
        redis.texts().sadd("queues", "imports");
        List<String> listed = IntStream.range(0, 1_000).mapToObj(i -> "l" + i).toList();
        for (int i = 0; i < 1_000; i++) {
            redis.texts().zadd("jobs:order:imports", i, job("o" + i));
            bed.push("imports", job(listed.get(i)));
        }
        listed.forEach(this::cancel);
        cancelEnded(0, 20);

        assertThat(upkeep.runOnce()).isZero();
        redis.texts().zpopmin("jobs:order:imports", 500);
        pass();

        assertThat(known()).containsAll(listed);
    }

    @LongTest
    @Test
    void thoseOfJobsInAnyOfVeryManyQueuesAreKept() {
        String[] queues = IntStream.range(0, 10_500).mapToObj(i -> "q" + i).toArray(String[]::new);
        redis.texts().sadd("queues", queues);
        Set<String> seen = Set.copyOf(Replies.members(process.connection, process.keys.queues()));
        String unseen = Arrays.stream(queues)
                .filter(each -> !seen.contains(each))
                .findFirst()
                .orElseThrow();
        bed.push(unseen, job("far"));
        cancel("far");
        cancelEnded(0, 20);

        pass();

        assertThat(known()).contains("far").hasSize(ENOUGH);
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
