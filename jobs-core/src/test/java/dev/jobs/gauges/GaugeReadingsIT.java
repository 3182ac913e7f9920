package dev.jobs.gauges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.gauges.GaugeReading.AtLimit;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.AclSetuserArgs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GaugeReadingsIT {

    private static final Instant NOW = Instant.parse("2026-03-01T00:30:00Z");
    private static final String KEY = "jobs:gauges:1";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final JobsAdmin admin = admin();

    @AutoClose
    private final RedisConnection connection = redis.connections("").open("test");

    private final GaugeReadings one = admin.gauges();
    private final GaugeReadings other = admin.gauges();

    private static JobsAdmin admin() {
        return new JobsAdmin(
                redis.connections(""),
                new DeadSetBounds(10_000, Duration.ofDays(180)),
                JobHooks.none(),
                Clock.fixed(NOW, ZoneOffset.UTC));
    }

    /** Time passes by Redis' clock. */
    private static void pass(Duration time) {
        for (String field : List.of("at", "turn")) {
            if (redis.texts().hexists(KEY, field)) {
                redis.texts().hincrby(KEY, field, -time.toMillis());
            }
        }
    }

    private static void fill() {
        redis.texts().set("stat:processed", "123456789012");
        redis.texts().sadd("queues", "mail", "b é", "broken", "empty");
        redis.texts()
                .lpush("queue:mail", "{\"enqueued_at\":" + NOW.minusSeconds(90).toEpochMilli() + "}", "2");
        redis.texts().lpush("queue:b é", "1");
        redis.texts().set("queue:broken", "text");
        redis.texts().sadd("paused", "b é");
        redis.texts().hset("jobs:limits", "d:erp", "1");
        redis.texts().zadd("jobs:parked:erp", 0, "a\n0000000000000001\nmail\n1\n{}");
        redis.texts().hset("jobs:ledger", "claimed", "3");
    }

    @Test
    void whatAnotherProcessReadIsTheSame() {
        fill();
        GaugeReading made = one.read();
        GaugeReading read = other.read();

        assertThat(read).isNotNull();
        assertThat(read.at()).isEqualTo(made.at());
        assertThat(read.stats()).isEqualTo(made.stats()).isEqualTo(admin.stats());
        assertThat(read.queues()).containsExactlyElementsOf(made.queues());
        assertThat(read.queues())
                .containsExactlyInAnyOrderElementsOf(admin.queues().all());
        assertThat(read.queues().get(0)).isEqualTo(new QueueInfo("mail", 2, Duration.ofSeconds(90), false, false));
        assertThat(read.limits()).isEqualTo(made.limits());
        assertThat(read.limits()).extracting(AtLimit::name, AtLimit::waiting).containsExactly(tuple("erp", 1L));
        assertThat(read.openBatches()).isZero();
        assertThat(read.batchError()).isZero();
    }

    /** It reads for all, also for those that know. */
    @Test
    void aProcessThatDoesNotKnowAnOrderCountsItsJobs() {
        fill();
        redis.texts().sadd("queues", "imports");
        String next = "{\"enqueued_at\":" + NOW.minusSeconds(300).toEpochMilli() + "}";
        redis.texts().zadd("jobs:order:imports", 1, next);
        redis.texts().zadd("jobs:order:imports", 2, "2");
        redis.texts().zadd("jobs:order:mail", 1, "3");

        GaugeReading made = one.read();

        assertThat(made.stats().enqueued()).isEqualTo(6);
        assertThat(made.queues())
                .contains(new QueueInfo("imports", 2, Duration.ofSeconds(300), false, false))
                .contains(new QueueInfo("mail", 3, Duration.ofSeconds(90), false, false));
    }

    @Test
    void theFirstProcessThatFindsAReadingOldMakesItAnew() {
        GaugeReading first = one.read();
        pass(Duration.ofSeconds(4));
        fill();
        assertThat(other.read().at()).isEqualTo(first.at().minusSeconds(4));
        assertThat(other.read().age()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(60));

        pass(Duration.ofSeconds(1));
        assertThat(other.read().stats().enqueued()).isEqualTo(3);
        assertThat(one.read().stats().enqueued()).isEqualTo(3);
    }

    @Test
    void whileOneMakesAReadingTheOthersShowTheLastOneAndOneOfThemTakesOverIfItTakesTooLong() {
        redis.texts().hset(KEY, "turn", Long.toString(redisMillis() + 10_000));
        assertThat(one.read()).as("there is none yet").isNull();
        pass(Duration.ofSeconds(11));
        GaugeReading made = one.read();
        assertThat(made).isNotNull();

        pass(Duration.ofSeconds(20));
        redis.texts().hset(KEY, "turn", Long.toString(redisMillis() + 10_000));
        GaugeReading old = other.read();
        assertThat(old.at()).isEqualTo(made.at().minusSeconds(20));
        assertThat(old.age()).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        pass(Duration.ofSeconds(11));
        assertThat(other.read().age()).isZero();
    }

    @Test
    void aClockThatWasSetBackHoldsUpNobody() {
        one.read();
        pass(Duration.ofDays(-1));
        redis.texts().hset(KEY, "turn", Long.toString(redisMillis() + 86_400_000));
        fill();
        assertThat(other.read().stats().enqueued()).isEqualTo(3);
    }

    private static long redisMillis() {
        List<String> time = redis.texts().time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** Each asks every five seconds. A reading asks all queues, limits and processes. */
    @ParameterizedTest
    @ValueSource(ints = {30, 300})
    void howeverManyProcessesShowGaugesEachCostsTheSame(int processes) {
        long withOne = commands(1);
        redis.flush();
        long all = commands(processes);

        assertThat(all / processes).isLessThanOrEqualTo(withOne * 12 / 10);
    }

    private long commands(int processes) {
        fill();
        ProcessRegistry registry = new ProcessRegistry(connection, new RedisKeys(""));
        IntStream.range(0, processes).forEach(i -> {
            registry.publish(
                    "p" + i, Map.of("info", "{}", "busy", "0"), new ProcessRegistry.Work(true, List.of(), Map.of()));
            redis.texts().zadd("jobs:beats", 1, "p" + i);
        });
        List<GaugeReadings> all =
                IntStream.range(0, processes).mapToObj(i -> admin.gauges()).toList();
        all.forEach(GaugeReadings::read); // the scripts are loaded
        long before = redis.stat("stats", "total_commands_processed:(\\d+)");
        for (int i = 0; i < 3; i++) {
            pass(Duration.ofSeconds(5));
            all.forEach(each -> assertThat(each.read()).isNotNull());
        }
        return redis.stat("stats", "total_commands_processed:(\\d+)") - before;
    }

    @Test
    void onlyTheLargestQueuesAreShownAndNoMoreNamesThanFit() {
        for (int i = 0; i < 300; i++) {
            redis.texts().sadd("queues", "q" + i);
            redis.texts().hset("jobs:limits", "d:limit" + i, "1");
        }
        redis.texts().lpush("queue:q299", "1");
        redis.texts().sadd("queues", "long" + "x".repeat(60_000));
        assertThat(one.read().queues())
                .hasSize(200)
                .first()
                .extracting(QueueInfo::name)
                .isEqualTo("q299");
        assertThat(one.read().limits()).hasSize(200);

        redis.texts().lpush("queue:long" + "x".repeat(60_000), "1", "2");
        pass(Duration.ofSeconds(5));
        assertThat(one.read().queues()).hasSize(200).extracting(QueueInfo::name).contains("q299");
        assertThat(redis.texts().hget(KEY, "reading")).hasSizeLessThan(60_000);
    }

    @Test
    void aBatchCheckGoesOnWithWhatAnotherProcessFound() {
        redis.texts().zadd("jobs:batches:open", 1, "0123456789abcdef");
        redis.texts()
                .hset(
                        "jobs:batch:0123456789abcdef",
                        Map.of("total", "1", "fresh", "3", "created", "1", "changed", "1"));
        redis.texts().set("jobs:batch:0123456789abcdef:s", "q");
        double error = one.read().batchError();
        assertThat(error).isEqualTo(2);

        redis.texts().zadd("jobs:batches:open", 2, "0123456789abcdee"); // the next check is not of that one
        redis.texts().zrem("jobs:batches:open", "0123456789abcdef");
        pass(Duration.ofSeconds(5));
        assertThat(other.read().batchError()).isEqualTo(2);

        redis.texts().hset("jobs:batch:0123456789abcdef", "fresh", "1");
        pass(Duration.ofSeconds(5));
        assertThat(one.read().batchError()).isZero();
    }

    @Test
    void whatCannotBeSharedIsReadByEach() {
        fill();
        redis.texts().set(KEY, "text");
        assertThat(one.read().stats().enqueued()).isEqualTo(3);
        assertThat(other.read().stats().enqueued()).isEqualTo(3);

        redis.texts().del(KEY);
        redis.texts().hset(KEY, "reading", "{\"of\":\"another kind\"}");
        redis.texts().hset(KEY, "at", Long.toString(redisMillis()));
        assertThat(one.read()).as("until it is old").isNull();
        pass(Duration.ofSeconds(5));
        assertThat(one.read().stats().enqueued()).isEqualTo(3);
    }

    @Test
    void aFullRedisStillLetsThemBeShared() {
        fill();
        redis.texts().configSet("maxmemory", "1");
        try {
            GaugeReading made = one.read();
            assertThat(other.read().at()).isEqualTo(made.at());
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
    }

    @Test
    void theyKeepAMinute() {
        one.read();
        assertThat(redis.texts().pttl(KEY)).isBetween(1L, 60_000L);
    }

    @Test
    void aUserWhoMayNotWriteReadsForItself() {
        fill();
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCategory(io.lettuce.core.AclCategory.WRITE));
        try {
            assertThat(one.read().stats().enqueued()).isEqualTo(3);
        } finally {
            redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
    }

    @Test
    void anOutageIsAnError() {
        admin.close();
        assertThatThrownBy(one::read).isInstanceOf(JobStoreException.class);
    }
}
