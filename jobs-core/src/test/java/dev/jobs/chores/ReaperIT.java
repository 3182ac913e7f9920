package dev.jobs.chores;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reaper does, run by run, on a clock that the test sets. */
class ReaperIT {

    private static final DeadSetBounds DEAD = new DeadSetBounds(100, Duration.ofDays(1));
    private static final int MOST_RECOVERIES = 3;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private ChoreTestBed process;
    private ProcessLeases leases;
    private JobClaims claims;
    private Reaper reaper;

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        leases = new ProcessLeases(
                process.connection, process.keys, process.lease.timing(), DEAD, MOST_RECOVERIES, EffectSource.NONE);
        claims = new JobClaims(process.connection, process.keys, bed.environment.clock(), DEAD, 1);
        reaper = reaper(process.context);
        leases.register("me", Duration.ZERO);
    }

    private Reaper reaper(RunContext context) {
        JobSets sets = new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE);
        return new Reaper(
                leases,
                new InFlightJobs(process.connection, process.keys),
                context,
                new Capsules(List.of(), context, (job, reason) -> {}),
                new ClearedQueues(process.connection, process.keys, sets, bed.environment.random()));
    }

    @AfterEach
    void close() {
        process.close();
    }

    /** A process claims a job, and ends without a word. */
    private void dies(String identity, String queue, String jid) {
        bed.push(queue, payload("Quick", jid, "[]"));
        leases.register(identity, Duration.ZERO);
        claims.exchange(new Request(identity, 0, 1, "m", 1, 1, List.of(queue), List.of(), ClaimGate.OPEN));
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
        assertThat(reaper.runOnce()).as("it has nothing more to do").isEqualTo(Loop.UNTIL_WOKEN);

        assertThat(waiting("default")).isEqualTo(1);
        assertThat(bed.recoveries).containsExactly(1);
        assertThat(redis.texts().exists("jobs:in:gone")).isZero();
        reaper.runOnce();
        assertThat(bed.recoveries).as("once").hasSize(1);
    }

    @Test
    void itIsWantedWhenThereIsSomethingToDo() {
        assertThat(reaper.isWanted()).as("it has never looked").isTrue();
        reaper.runOnce();
        assertThat(reaper.isWanted()).isFalse();

        reaper.reap(List.of("gone"));
        assertThat(reaper.isWanted()).as("a process is dead").isTrue();
        reaper.runOnce();
        assertThat(reaper.isWanted()).isFalse();

        process.beaten("another", 2);
        assertThat(reaper.isWanted()).as("it leads no longer").isTrue();
        reaper.runOnce();
        assertThat(reaper.isWanted()).isFalse();

        process.pass(Duration.ofSeconds(29));
        assertThat(reaper.isWanted()).isFalse();
        process.pass(Duration.ofSeconds(1));
        assertThat(reaper.isWanted()).as("it may be its turn").isTrue();
    }

    @Test
    void itIsWantedUntilItHasForgottenJobsThatItDidNotKnow() {
        dies("me", "default", "j1");
        reaper.compare(1);
        assertThat(reaper.isWanted()).isTrue();
        reaper.runOnce();

        reaper.compare(0);
        assertThat(reaper.isWanted())
                .as("the answer with the job arrived meanwhile")
                .isTrue();
        reaper.runOnce();
        assertThat(reaper.isWanted()).isFalse();
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
    void theLeaderSeeksProcessesThatNobodyKnowsOnceItLeadsAndHourly() {
        process.beaten("another", 2);
        forgotten("first", "first");
        reaper.runOnce();
        assertThat(waiting("first")).as("the leader does it").isZero();
        process.follow("me");
        reaper.runOnce();
        assertThat(waiting("first")).isEqualTo(1);

        forgotten("second", "second");
        process.pass(Duration.ofMinutes(59));
        reaper.runOnce();
        assertThat(waiting("second")).isZero();
        process.pass(Duration.ofMinutes(1));
        reaper.runOnce();
        assertThat(waiting("second")).isEqualTo(1);

        forgotten("third", "third");
        process.follow("another");
        reaper.runOnce();
        process.follow("me");
        reaper.runOnce();
        assertThat(waiting("third")).as("the leader changed").isEqualTo(1);
    }

    /** As when Ruby leads, or nobody can. */
    @Test
    void withoutALeaderAProcessThatIsAloneSeeksAtItsStartAndOthersAboutHourlyAllTogether() {
        process.beaten("ruby", 1);
        forgotten("first", "first");
        reaper.runOnce();
        assertThat(waiting("first")).isEqualTo(1);

        forgotten("second", "second");
        process.beaten("ruby", 5);
        for (int hour = 0; hour < 10; hour++) {
            process.pass(Duration.ofHours(1));
            reaper.runOnce();
        }
        assertThat(waiting("second")).isEqualTo(1);
    }

    /** Millions of keys of others must not keep the jobs of dead processes, or Redis, busy. */
    @Test
    void manyKeysAreGoneThroughInSteps() {
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 15_000; i++) {
            many.put("foreign:" + i, "");
        }
        redis.texts().mset(many);
        forgotten("first");
        redis.texts().configResetstat();
        dies("gone", "other", "j1");
        giveUp("gone");
        reaper.reap(List.of("gone"));

        assertThat(reaper.runOnce()).isLessThan(Duration.ofMillis(100));
        assertThat(redis.calls("scan")).isEqualTo(10);
        assertThat(waiting("other")).as("in between").isEqualTo(1);
        while (reaper.runOnce().compareTo(Duration.ofMillis(100)) < 0) {
            // goes on where it stopped
        }
        assertThat(redis.calls("scan")).isBetween(15L, 17L);
        assertThat(waiting("default")).isEqualTo(1);
    }

    /** They search all keys of the server, so what they cost must not grow with them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 30, 300})
    void howeverManyProcessesThereAreAllOfThemSeekAboutTwiceAnHour(int processes) {
        List<ChoreTestBed> all = new ArrayList<>();
        List<Reaper> reapers = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            ChoreTestBed each = new ChoreTestBed(bed, "p" + i);
            each.beaten("p0", processes);
            all.add(each);
            reapers.add(reaper(each.context));
        }
        redis.texts().configResetstat();
        int hours = 20;
        for (int step = 0; step < 2 * hours; step++) {
            reapers.forEach(Reaper::runOnce);
            all.forEach(each -> each.pass(Duration.ofMinutes(30)));
        }
        all.forEach(ChoreTestBed::close);

        assertThat(redis.calls("scan")).isBetween((long) hours, 3L * hours);
    }

    /** Of a process that beats as "me", and may begin again under another name. */
    private Lease changing() {
        Iterator<String> names = List.of("me", "me again").iterator();
        Lease changing = new Lease(
                names::next,
                process.lease.timing(),
                process.context.environment().nanoTime());
        changing.beaten(
                changing.current(),
                process.nanos.get(),
                new Alive(0, Instant.EPOCH, "another", Set.of(), 2, List.of(), Duration.ofSeconds(3), "1"));
        return changing;
    }

    private Reaper reaper(Lease lease) {
        return reaper(RunContext.of(
                process.context.environment(),
                process.context.times(),
                bed.hooks(),
                EngineTestBed.unlimited(),
                RunParts.effects(process.keys, EngineTestBed.unlimited(), List.of()),
                lease,
                MOST_RECOVERIES,
                new AtomicInteger()));
    }

    @Test
    void theJobsOfTheFormerSelfArePutBackWithoutASearch() {
        Lease changing = changing();
        Reaper own = reaper(changing);
        own.runOnce();
        forgotten("me");
        own.runOnce();
        assertThat(waiting("default")).isZero();

        changing.renew(changing.current());
        redis.texts().configResetstat();
        own.runOnce();
        assertThat(waiting("default")).isEqualTo(1);
        assertThat(redis.calls("scan")).isZero();
        assertThat(changing.former()).isNull();
    }

    @Test
    void theJobsOfTheFormerSelfArePutBackOnceRedisNoLongerRefusesIt() {
        Lease changing = changing();
        Reaper own = reaper(changing);
        own.runOnce();
        forgotten("me");
        changing.renew(changing.current());
        redis.texts().set("jobs:beats", "text");
        assertThat(own.runOnce()).as("is tried again soon").isEqualTo(Duration.ofMillis(500));
        assertThat(waiting("default")).isZero();

        redis.texts().del("jobs:beats");
        own.runOnce();
        assertThat(waiting("default")).isEqualTo(1);
    }

    /** As when Redis lost the list of processes, but not what they hold. */
    private void forgotten(String identity) {
        forgotten(identity, "default");
    }

    private void forgotten(String identity, String queue) {
        dies(identity, queue, identity);
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
