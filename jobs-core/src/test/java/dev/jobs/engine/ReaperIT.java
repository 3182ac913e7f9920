package dev.jobs.engine;

import static dev.jobs.engine.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.redis.ClearedQueues;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.JobClaims.Request;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.LimitedQueues;
import dev.jobs.redis.ProcessLeases;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the reaper does, run by run, on a clock that the test sets. */
class ReaperIT {

    private static final DeadSetLimits DEAD = new DeadSetLimits(100, Duration.ofDays(1));
    private static final int MOST_RECOVERIES = 3;

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private EngineTestBed bed;
    private ChoreTestBed process;
    private ProcessLeases leases;
    private JobClaims claims;
    private Reaper reaper;

    @BeforeEach
    void open() {
        redis.flush();
        bed = new EngineTestBed(redis);
        process = new ChoreTestBed(bed);
        leases = new ProcessLeases(
                process.connection, process.keys, process.lease.timing(), DEAD, MOST_RECOVERIES, EffectSource.NONE);
        claims = new JobClaims(process.connection, process.keys, bed.environment.clock(), DEAD, 1);
        JobSets sets = new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE);
        reaper = new Reaper(
                leases,
                claims,
                process.context,
                new Capsules(List.of(), process.context, (job, reason) -> {}),
                new ClearedQueues(process.connection, process.keys, sets, bed.environment.random()));
        leases.register("me", Duration.ZERO);
    }

    @AfterEach
    void close() {
        process.close();
        bed.close();
    }

    /** A process claims a job, and ends without a word. */
    private void dies(String identity, String queue, String jid) {
        bed.push(queue, payload("Quick", jid, "[]"));
        leases.register(identity, Duration.ZERO);
        claims.exchange(new Request(identity, 0, 1, 1, 1, List.of(queue), List.of(), LimitedQueues.NONE));
        assertThat(redis.texts().hlen("jobs:in:" + identity)).isPositive();
    }

    private static void giveUp(String identity) {
        redis.texts().zadd("jobs:beats", -1, identity);
    }

    private static long waiting(String queue) {
        return redis.texts().llen("queue:" + queue);
    }

    @Test
    void theJobsOfAProcessThatWasGivenUpAreInTheirQueuesAgain() {
        reaper.runOnce();
        dies("gone", "default", "j1");
        reaper.runOnce();
        assertThat(waiting("default")).as("nobody has given it up").isZero();

        giveUp("gone");
        reaper.reap(List.of("gone"));
        assertThat(reaper.runOnce()).isEqualTo(process.lease.timing().beat());

        assertThat(waiting("default")).isEqualTo(1);
        assertThat(bed.recoveries).containsExactly(1);
        assertThat(redis.texts().exists("jobs:in:gone")).isZero();
        reaper.runOnce();
        assertThat(bed.recoveries).as("once").hasSize(1);
    }

    @Test
    void aProcessNeverReapsItself() {
        dies("me", "default", "j1");
        giveUp("me");
        reaper.reap(List.of("me"));
        reaper.runOnce();

        assertThat(waiting("default")).isZero();
        assertThat(redis.texts().exists("jobs:in:me")).isEqualTo(1);
    }

    @Test
    void processesThatNobodyKnowsAreSoughtAtTheStartHourlyAndAfterANewIdentity() {
        forgotten("first");
        reaper.runOnce();
        assertThat(waiting("default")).isEqualTo(1);

        forgotten("second");
        process.pass(Duration.ofMinutes(59));
        reaper.runOnce();
        assertThat(waiting("default")).isEqualTo(1);
        process.pass(Duration.ofMinutes(1));
        reaper.runOnce();
        assertThat(waiting("default")).isEqualTo(2);
    }

    @Test
    void theFormerSelfIsSoughtAtOnce() {
        String[] names = {"me", "me again"};
        int[] next = {0};
        Lease changing = new Lease(
                () -> names[next[0]++],
                process.lease.timing(),
                process.context.environment().nanoTime());
        RunContext context = RunContext.of(
                process.context.environment(),
                process.context.times(),
                bed.hooks(),
                process.keys,
                EngineTestBed.unlimited(),
                EffectSource.NONE,
                changing,
                MOST_RECOVERIES,
                new AtomicInteger());
        JobSets sets = new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE);
        Reaper own = new Reaper(
                leases,
                claims,
                context,
                new Capsules(List.of(), context, (job, reason) -> {}),
                new ClearedQueues(process.connection, process.keys, sets, bed.environment.random()));
        own.runOnce();
        dies("me", "default", "j1");
        redis.texts().zrem("jobs:beats", "me");
        redis.texts().hdel("jobs:seen", "me");
        own.runOnce();
        assertThat(waiting("default")).isZero();

        changing.renew(changing.current());
        own.runOnce();
        assertThat(waiting("default")).isEqualTo(1);
    }

    /** As when Redis lost the list of processes, but not what they hold. */
    private void forgotten(String identity) {
        dies(identity, "default", identity);
        redis.texts().zrem("jobs:beats", identity);
        redis.texts().hdel("jobs:seen", identity);
    }

    @Test
    void jobsWhoseQueueIsBrokenAreToldOnceAndPutBackOnceItIsMended() {
        reaper.runOnce();
        dies("gone", "odd", "j1");
        redis.texts().set("queue:odd", "text");
        giveUp("gone");
        try (LogLines lines = LogLines.of(Reaper.class).open()) {
            for (int i = 0; i < 3; i++) {
                reaper.reap(List.of("gone"));
                reaper.runOnce();
            }
            assertThat(lines.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("1 jobs of gone can't be put back");
            assertThat(redis.texts().hlen("jobs:in:gone")).isPositive();

            redis.texts().del("queue:odd");
            reaper.reap(List.of("gone"));
            reaper.runOnce();
            assertThat(lines.messages(Level.INFO)).contains("All jobs of gone are put back");
        }
        assertThat(waiting("odd")).isEqualTo(1);
    }

    @Test
    void aJobThatOutlivedItsWorkersTooOftenIsBuriedAndItsDeathIsTold() {
        reaper.runOnce();
        for (int i = 1; i <= MOST_RECOVERIES; i++) {
            redis.texts().del("queue:default");
            dies("gone-" + i, "default", "pill");
            giveUp("gone-" + i);
            reaper.reap(List.of("gone-" + i));
            reaper.runOnce();
        }

        assertThat(waiting("default")).isZero();
        assertThat(bed.only("dead").jid()).isEqualTo("pill");
        assertThat(bed.deaths)
                .singleElement()
                .satisfies(death -> assertThat(death.payload().jid()).isEqualTo("pill"));
    }

    @Test
    void anOutageIsTriedAgainSoon() {
        process.connection.close();
        assertThat(reaper.runOnce()).isEqualTo(Duration.ofMillis(500));
        assertThat(process.context.outage().error()).isNotNull();
    }
}
