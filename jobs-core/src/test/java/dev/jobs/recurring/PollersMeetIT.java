package dev.jobs.recurring;

import static java.time.temporal.ChronoUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.proof.LongTest;
import dev.jobs.recurring.RecurringJobStore.Fired;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import dev.jobs.unique.JobLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pollers of several processes look at the same moment, each on a thread of its own; one is killed after Redis has
 * fired, and before it hears so. Each slot is fired as its job says, and none twice.
 */
class PollersMeetIT {

    private static final String NAME = "count";
    private static final Duration PERIOD = Duration.ofMinutes(10);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final List<PollingProcess> all = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private EngineTestBed bed;
    private JobLocks locks;
    private volatile Instant now = Instant.now().truncatedTo(HOURS).plusMillis(300);
    private Instant begin;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
    }

    @AfterEach
    void close() throws Exception {
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        all.forEach(PollingProcess::close);
        bed.close();
    }

    private PollingProcess polling(EngineTestBed from, String id) {
        PollingProcess polling = new PollingProcess(
                from,
                id,
                new Object(),
                store -> new Snapshot(now, store.snapshot().stored()));
        polling.process.follow("process-0");
        return polling;
    }

    private void start(int count, Recurrence recurrence) {
        for (int i = 0; i < count; i++) {
            all.add(polling(bed, "process-" + i));
        }
        locks = new JobLocks(all.get(0).process.connection, all.get(0).process.keys);
        all.get(0).store.save(NAME, recurrence, FiredJobs.DRAFT, Map.of(), now);
        begin = now.minusMillis(300);
    }

    /** All at once. */
    private void meet(Duration later) throws Exception {
        now = now.plus(later);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Duration>> looks = new ArrayList<>();
        for (PollingProcess each : all) {
            looks.add(threads.submit(() -> {
                go.await();
                return each.poller.runOnce();
            }));
        }
        go.countDown();
        for (Future<Duration> each : looks) {
            each.get(1, TimeUnit.MINUTES);
        }
    }

    /** The slots that were fired, counted in periods from the beginning. */
    private List<Long> fired() {
        return FiredJobs.slots(redis).stream()
                .map(slot -> Duration.between(begin, slot).dividedBy(PERIOD))
                .toList();
    }

    private static List<Long> upTo(long first, long last) {
        return Stream.iterate(first, slot -> slot + 1).limit(last - first + 1).toList();
    }

    /** A job ends, and with it its lock. */
    private void end(int job) {
        Payload payload = FiredJobs.jobs(redis).get(job);
        locks.release(String.valueOf(payload.get("unique_lock")), String.valueOf(payload.jid()));
    }

    private static void assertCancelled(int... jobs) {
        assertThat(redis.texts().zrange("jobs:cancelled", 0, -1))
                .filteredOn(jid -> !jid.isEmpty())
                .containsExactlyElementsOf(Arrays.stream(jobs)
                        .mapToObj(each ->
                                String.valueOf(FiredJobs.jobs(redis).get(each).jid()))
                        .toList());
    }

    private static Recurrence often() {
        return Recurrence.cron("*/10 * * * *");
    }

    /** Of many processes on one Redis, few may fire in its namespace. */
    @Test
    void theOnlyOneThatFiresLooksAtEachSlotThoughAnotherOfManyLeads() throws Exception {
        start(1, often());
        PollingProcess only = all.get(0);
        ProcessLeases leases = new ProcessLeases(
                only.process.connection,
                only.process.keys,
                only.process.lease.timing(),
                bed.config.dead(),
                3,
                EffectSource.NONE);
        for (int i = 1; i < 12; i++) {
            leases.register("other-" + i, Duration.ofMinutes(1));
        }
        String role = RecurringPoller.role("default");
        Alive alive = (Alive) leases.standingFor(List.of(role)).register("process-0", Duration.ofMinutes(1));
        only.process.lease.beaten(only.process.lease.current(), only.process.nanos.get(), alive);
        assertThat(only.process.lease.isLeader()).isFalse();
        assertThat(only.process.lease.processes()).isEqualTo(12);

        for (int i = 0; i < 20; i++) {
            assertThat(only.poller.runOnce()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    static List<Arguments> inTime() {
        return inTimeOf(3);
    }

    static List<Arguments> inTimeAmongMany() {
        return inTimeOf(5, 20);
    }

    /** With the slots of five that are fired in time, and of those the jobs that are cancelled. */
    private static List<Arguments> inTimeOf(int... counts) {
        List<Arguments> cases = new ArrayList<>();
        for (int count : counts) {
            cases.add(Arguments.of(count, often(), upTo(1, 5), new int[0]));
            cases.add(Arguments.of(count, Recurrence.every(PERIOD).missed(Missed.ALL), upTo(1, 5), new int[0]));
            cases.add(Arguments.of(count, often().overlap(Overlap.SKIP), List.of(1L), new int[0]));
            cases.add(Arguments.of(count, often().overlap(Overlap.QUEUE), List.of(1L), new int[0]));
            cases.add(Arguments.of(count, often().overlap(Overlap.CANCEL), upTo(1, 5), new int[] {0, 1, 2, 3}));
            cases.add(Arguments.of(count, Recurrence.delay(PERIOD), List.of(1L), new int[0]));
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("inTime")
    void eachSlotIsFiredByOne(int count, Recurrence recurrence, List<Long> expected, int[] cancelled) throws Exception {
        start(count, recurrence);
        meet(Duration.ZERO);
        for (int i = 0; i < 5; i++) {
            meet(PERIOD);
        }
        meet(Duration.ofSeconds(3));

        assertThat(fired()).isEqualTo(expected);
        assertCancelled(cancelled);
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("inTimeAmongMany")
    void eachSlotIsFiredByOneAmongMany(int count, Recurrence recurrence, List<Long> expected, int[] cancelled)
            throws Exception {
        eachSlotIsFiredByOne(count, recurrence, expected, cancelled);
    }

    /** The run that has the lock last is the one that isn't cancelled. */
    @ParameterizedTest
    @ValueSource(ints = {5, 20})
    void runsByHandBesideASlotCancelEachOther(int count) throws Exception {
        start(count, often().overlap(Overlap.CANCEL));
        meet(PERIOD);
        now = now.plus(PERIOD);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<?>> runs = new ArrayList<>();
        for (PollingProcess each : all) {
            runs.add(threads.submit(() -> {
                RecurringJob job = each.store.find(NAME).orElseThrow();
                Payload payload = each.store.locked(
                        job,
                        FiredJobs.DRAFT.with("jid", each.process.lease.current().id()));
                go.await();
                Fired fired;
                do {
                    fired = each.store.fire(job, null, now, new Push("parked", payload.bytes(), payload.jid()));
                } while (fired == Fired.CHANGED);
                return fired;
            }));
            runs.add(threads.submit(() -> {
                go.await();
                return each.poller.runOnce();
            }));
        }
        go.countDown();
        for (Future<?> each : runs) {
            each.get(1, TimeUnit.MINUTES);
        }
        meet(Duration.ofSeconds(1));

        assertThat(FiredJobs.jobs(redis)).hasSizeBetween(1 + count, 2 + count);
        assertCancelled(Stream.iterate(0, job -> job + 1)
                .limit(FiredJobs.jobs(redis).size() - 1)
                .mapToInt(job -> job)
                .toArray());
        assertThat(all.get(0).store.holder(NAME))
                .isEqualTo(FiredJobs.jobs(redis)
                        .get(FiredJobs.jobs(redis).size() - 1)
                        .jid());
    }

    static List<Arguments> late() {
        return lateOf(3);
    }

    static List<Arguments> lateAmongMany() {
        return lateOf(1, 5, 20);
    }

    /** With what is fired after an outage while the job before it has not ended, and when all have ended. */
    private static List<Arguments> lateOf(int... counts) {
        List<Arguments> cases = new ArrayList<>();
        for (int count : counts) {
            for (Overlap each : List.of(Overlap.ALLOW, Overlap.SKIP, Overlap.CANCEL)) {
                cases.add(Arguments.of(count, often().overlap(each), List.of(), List.of()));
                cases.add(Arguments.of(count, often().overlap(each).missed(Missed.SKIP), List.of(), List.of()));
            }
            cases.add(Arguments.of(count, often().missed(Missed.ONCE), List.of(19L), List.of(19L)));
            cases.add(Arguments.of(count, often().missed(Missed.ALL), upTo(2, 19), upTo(2, 19)));
            Recurrence once = often().missed(Missed.ONCE);
            cases.add(Arguments.of(count, once.overlap(Overlap.SKIP), List.of(), List.of()));
            cases.add(Arguments.of(count, once.overlap(Overlap.CANCEL), List.of(19L), List.of(19L)));
            cases.add(Arguments.of(count, once.overlap(Overlap.QUEUE), List.of(), List.of(19L)));
            cases.add(Arguments.of(count, often().overlap(Overlap.QUEUE), List.of(), List.of(19L)));
            Recurrence waiting = often().missed(Missed.ALL).overlap(Overlap.QUEUE);
            cases.add(Arguments.of(count, waiting, List.of(), upTo(2, 19)));
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("late")
    void anOutageOfThreeHours(int count, Recurrence recurrence, List<Long> meanwhile, List<Long> atLast)
            throws Exception {
        start(count, recurrence);
        meet(PERIOD);
        assertThat(fired()).containsExactly(1L);
        meet(Duration.ofHours(3).plusMinutes(4));
        meet(Duration.ofSeconds(1));
        assertThat(fired().subList(1, FiredJobs.jobs(redis).size())).isEqualTo(meanwhile);
        if (recurrence.overlap() == Overlap.CANCEL && !meanwhile.isEmpty()) {
            assertCancelled(0);
        } else {
            assertCancelled();
        }
        for (int i = 0; i < FiredJobs.jobs(redis).size() && i < 20; i++) {
            end(i);
            meet(Duration.ofSeconds(1));
        }

        assertThat(fired().subList(1, FiredJobs.jobs(redis).size())).isEqualTo(atLast);
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("lateAmongMany")
    void anOutageOfThreeHoursAmongMany(int count, Recurrence recurrence, List<Long> meanwhile, List<Long> atLast)
            throws Exception {
        anOutageOfThreeHours(count, recurrence, meanwhile, atLast);
    }

    static List<Arguments> killed() {
        return killedOf(3);
    }

    static List<Arguments> killedAmongMany() {
        return killedOf(1, 5, 20);
    }

    /** With what is fired at two slots, and what of that is cancelled. */
    private static List<Arguments> killedOf(int... counts) {
        List<Arguments> cases = new ArrayList<>();
        for (int count : counts) {
            cases.add(Arguments.of(count, often(), upTo(1, 2), new int[0]));
            cases.add(Arguments.of(count, Recurrence.every(PERIOD).missed(Missed.SKIP), upTo(1, 2), new int[0]));
            cases.add(Arguments.of(count, often().missed(Missed.ONCE), upTo(1, 2), new int[0]));
            cases.add(Arguments.of(count, often().missed(Missed.ALL), upTo(1, 2), new int[0]));
            cases.add(Arguments.of(count, often().overlap(Overlap.CANCEL), upTo(1, 2), new int[] {0}));
            cases.add(Arguments.of(count, often().overlap(Overlap.SKIP), List.of(1L), new int[0]));
            cases.add(Arguments.of(count, often().overlap(Overlap.QUEUE), List.of(1L), new int[0]));
            cases.add(Arguments.of(count, Recurrence.delay(PERIOD), List.of(1L), new int[0]));
        }
        return cases;
    }

    /** It is killed right after Redis has made it so many jobs. */
    private void killLeader(Duration later, int jobs) throws InterruptedException {
        try (RedisProxy proxy = new RedisProxy(redis.port());
                EngineTestBed lost = new EngineTestBed(redis, redis.connections("", proxy.port()))) {
            PollingProcess leader = polling(lost, "process-0");
            leader.poller.runOnce();
            proxy.beforeEachAnswer(() -> {
                if (FiredJobs.jobs(redis).size() == jobs) {
                    proxy.cutAfter(0);
                }
            });
            now = now.plus(later);
            leader.poller.runOnce();
            assertThat(proxy.isCut()).isTrue();
            leader.process.close();
        }
        assertThat(FiredJobs.jobs(redis)).hasSize(jobs);
    }

    /** At the last of the slots that are fired. */
    @ParameterizedTest
    @MethodSource("killed")
    void aLeaderIsKilledBeforeItHearsThatRedisHasFired(
            int count, Recurrence recurrence, List<Long> expected, int[] cancelled) throws Exception {
        start(count, recurrence);
        meet(Duration.ZERO);
        for (int i = 1; i < expected.size(); i++) {
            meet(PERIOD);
        }
        killLeader(PERIOD, expected.size());
        assertThat(fired()).isEqualTo(expected);
        meet(Duration.ofSeconds(1));
        meet(Duration.ofSeconds(20));

        assertThat(fired()).isEqualTo(expected);
        assertCancelled(cancelled);
        if (FiredJobs.jobs(redis).get(0).get("unique_lock") != null) {
            assertThat(all.get(0).store.holder(NAME))
                    .isEqualTo(FiredJobs.jobs(redis)
                            .get(FiredJobs.jobs(redis).size() - 1)
                            .jid());
        }
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("killedAmongMany")
    void aLeaderIsKilledBeforeItHearsThatRedisHasFiredAmongMany(
            int count, Recurrence recurrence, List<Long> expected, int[] cancelled) throws Exception {
        aLeaderIsKilledBeforeItHearsThatRedisHasFired(count, recurrence, expected, cancelled);
    }

    static List<Arguments> killedLate() {
        return killedLateOf(3);
    }

    static List<Arguments> killedLateAmongMany() {
        return killedLateOf(1, 5, 20);
    }

    /** With the number of jobs at which it is killed, and what is fired at last. */
    private static List<Arguments> killedLateOf(int... counts) {
        List<Arguments> cases = new ArrayList<>();
        for (int count : counts) {
            cases.add(Arguments.of(count, often().missed(Missed.ALL), 10, upTo(1, 19)));
            cases.add(Arguments.of(count, often().missed(Missed.ONCE), 2, List.of(1L, 19L)));
            cases.add(Arguments.of(count, often().missed(Missed.ONCE).overlap(Overlap.CANCEL), 2, List.of(1L, 19L)));
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("killedLate")
    void aLeaderIsKilledWhileItMakesUpForAnOutage(int count, Recurrence recurrence, int jobs, List<Long> expected)
            throws Exception {
        start(count, recurrence);
        meet(PERIOD);
        killLeader(Duration.ofHours(3).plusMinutes(4), jobs);
        meet(Duration.ofSeconds(1));
        meet(Duration.ofSeconds(20));

        assertThat(fired()).isEqualTo(expected);
        assertCancelled(recurrence.overlap() == Overlap.CANCEL ? new int[] {0} : new int[0]);
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("killedLateAmongMany")
    void aLeaderIsKilledWhileItMakesUpForAnOutageAmongMany(
            int count, Recurrence recurrence, int jobs, List<Long> expected) throws Exception {
        aLeaderIsKilledWhileItMakesUpForAnOutage(count, recurrence, jobs, expected);
    }

    static List<Arguments> clockChanges() {
        return clockChangesOf(3);
    }

    static List<Arguments> clockChangesAmongMany() {
        return clockChangesOf(1, 5, 20);
    }

    /** The clocks of Berlin are put forward at 01:00 UTC on 28 March 2027, and back on 31 October. */
    private static List<Arguments> clockChangesOf(int... counts) {
        List<Arguments> cases = new ArrayList<>();
        String night = "15,45 2 * * * Europe/Berlin";
        Instant spring = Instant.parse("2027-03-28T00:55:00.300Z");
        Instant autumn = Instant.parse("2027-10-31T00:10:00.300Z");
        for (int count : counts) {
            for (Overlap each : Overlap.values()) {
                cases.add(Arguments.of(count, night, each, spring, "2027-03-28T01:00:00Z"));
                boolean waits = each == Overlap.SKIP || each == Overlap.QUEUE;
                cases.add(Arguments.of(
                        count,
                        night,
                        each,
                        autumn,
                        waits ? "2027-10-31T00:15:00Z" : "2027-10-31T00:15:00Z 2027-10-31T00:45:00Z"));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("clockChanges")
    void clocksChangeWhileAJobRuns(int count, String cron, Overlap overlap, Instant from, String expected)
            throws Exception {
        now = from;
        start(count, Recurrence.cron(cron).overlap(overlap));
        for (int i = 0; i < 24; i++) {
            meet(Duration.ofMinutes(5));
        }

        assertThat(FiredJobs.slots(redis))
                .isEqualTo(Stream.of(expected.split(" ")).map(Instant::parse).toList());
        if (overlap == Overlap.CANCEL && FiredJobs.jobs(redis).size() == 2) {
            assertCancelled(0);
        } else {
            assertCancelled();
        }
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("clockChangesAmongMany")
    void clocksChangeWhileAJobRunsAmongMany(int count, String cron, Overlap overlap, Instant from, String expected)
            throws Exception {
        clocksChangeWhileAJobRuns(count, cron, overlap, from, expected);
    }
}
