package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.recurring.RecurringJobStore.Fired;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.JobLocks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a slot while the job of an earlier one has not ended. */
class OverlapIT {

    private static final String NAME = "count";
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Recurrence OFTEN = Recurrence.cron("*/10 * * * *");

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final List<PollingProcess> processes = new ArrayList<>();
    private EngineTestBed bed;
    private RecurringJobStore store;
    private Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS).plusMillis(300);
    private Instant first;

    /** What all processes see, so that each of them thinks that it is the first. */
    private Snapshot seen;

    /** How often they looked. */
    private final AtomicInteger looks = new AtomicInteger();

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        first = now.minusMillis(300).plus(PERIOD);
    }

    @AfterEach
    void close() {
        processes.forEach(PollingProcess::close);
        bed.close();
    }

    private void start(int count, Recurrence recurrence) {
        for (int i = 0; i < count; i++) {
            PollingProcess polling = new PollingProcess(bed, "process-" + i, new Object(), stored -> {
                looks.incrementAndGet();
                return seen;
            });
            polling.process.follow("process-0");
            processes.add(polling);
            store = polling.store;
        }
        store.save(NAME, recurrence, FiredJobs.DRAFT, Map.of(), now);
    }

    /** All processes look at the same time. */
    private void poll() throws InterruptedException {
        seen = new Snapshot(now, store.snapshot().stored());
        for (PollingProcess each : processes) {
            each.runOnce();
        }
    }

    private void pollAtNextSlot() throws InterruptedException {
        now = now.plus(PERIOD);
        poll();
    }

    /** Which slots were fired, counted from the first one. */
    private List<Long> fired() {
        return FiredJobs.slots(redis).stream()
                .map(slot -> Duration.between(first, slot).dividedBy(PERIOD))
                .toList();
    }

    /** A job ends, and with it its lock. */
    private void end(int job) {
        Payload payload = FiredJobs.jobs(redis).get(job);
        new JobLocks(processes.get(0).process.connection, processes.get(0).process.keys)
                .release(String.valueOf(payload.get("unique_lock")), String.valueOf(payload.jid()));
    }

    private static List<String> cancelled() {
        return redis.texts().zrange("jobs:cancelled", 0, -1).stream()
                .filter(jid -> !jid.isEmpty()) // the mark that there have been some
                .toList();
    }

    @Test
    void byDefaultJobsOverlap() throws Exception {
        start(2, OFTEN);
        pollAtNextSlot();
        pollAtNextSlot();

        assertThat(fired()).containsExactly(0L, 1L);
        assertThat(FiredJobs.jobs(redis).get(0).names()).doesNotContain("unique_lock", "unique_for", "unique_until");
        assertThat(redis.texts().keys("unique:*")).isEmpty();
        assertThat(redis.texts().hgetall("cron_job:default:" + NAME)).doesNotContainKey("jobs_overlap");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void aSlotIsSkippedWhileAnEarlierJobHasNotEnded(int count) throws Exception {
        start(count, OFTEN.overlap(Overlap.SKIP));
        pollAtNextSlot();
        pollAtNextSlot();
        assertThat(fired()).containsExactly(0L);
        end(0);
        poll();
        assertThat(fired()).as("the slot has passed").containsExactly(0L);

        pollAtNextSlot();

        assertThat(fired()).containsExactly(0L, 2L);
        assertThat(FiredJobs.jobs(redis).get(1).jid()).isEqualTo(store.holder(NAME));
        assertThat(redis.texts().pttl("unique:" + FiredJobs.jobs(redis).get(1).get("unique_lock")))
                .isBetween(80_000_000L, 86_400_000L);
        assertThat(cancelled()).isEmpty();
    }

    /** However many of its slots pass. */
    @Test
    void aJobThatSlotsAreSkippedForIsLoggedOnce() throws Exception {
        start(2, OFTEN.overlap(Overlap.SKIP));
        try (LogLines lines = LogLines.of(RecurringPoller.class).open()) {
            for (int i = 0; i < 4; i++) {
                pollAtNextSlot();
            }
            assertThat(lines.messages(Level.INFO))
                    .containsExactly("RecurringJob[count, job=Count, cron=*/10 * * * *] is not enqueued for "
                            + first.plus(PERIOD) + " and later slots until its job "
                            + FiredJobs.jobs(redis).get(0).jid() + " has ended");
            end(0);
            for (int i = 0; i < 3; i++) {
                pollAtNextSlot();
            }
            assertThat(lines.messages(Level.INFO)).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void theLastSlotWaitsUntilTheEarlierJobHasEnded(int count) throws Exception {
        start(count, OFTEN.overlap(Overlap.QUEUE));
        pollAtNextSlot();
        pollAtNextSlot();
        pollAtNextSlot();
        assertThat(fired()).containsExactly(0L);
        now = now.plus(Duration.ofMinutes(5)); // beyond the grace
        end(0);

        poll();
        poll();

        assertThat(fired()).containsExactly(0L, 2L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void allSlotsWaitOneAfterTheOther(int count) throws Exception {
        start(count, OFTEN.overlap(Overlap.QUEUE).missed(Missed.ALL));
        for (int i = 0; i < 4; i++) {
            pollAtNextSlot();
        }
        assertThat(fired()).containsExactly(0L);
        for (int i = 0; i < 4; i++) {
            end(i);
            poll();
            poll();
        }

        assertThat(fired()).containsExactly(0L, 1L, 2L, 3L);
    }

    /** And no other: each process takes itself for the first. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void theEarlierJobIsCancelled(int count) throws Exception {
        start(count, OFTEN.overlap(Overlap.CANCEL));
        pollAtNextSlot();
        assertThat(cancelled()).isEmpty();
        pollAtNextSlot();
        poll();

        assertThat(fired()).containsExactly(0L, 1L);
        assertThat(cancelled()).containsExactly(FiredJobs.jobs(redis).get(0).jid());
        assertThat(store.holder(NAME)).isEqualTo(FiredJobs.jobs(redis).get(1).jid());
        end(0);
        assertThat(store.holder(NAME))
                .as("the lock is another's")
                .isEqualTo(FiredJobs.jobs(redis).get(1).jid());
    }

    // Fixed delays

    private void poll(Duration later) throws InterruptedException {
        now = now.plus(later);
        poll();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void aDelayCountsFromTheEndOfTheLastJob(int count) throws Exception {
        start(count, Recurrence.delay(PERIOD));
        assertThat(redis.texts().keys("cron_jobs:*")).as("Ruby doesn't see it").isEmpty();
        poll();
        poll(PERIOD.minusSeconds(1));
        assertThat(FiredJobs.jobs(redis)).isEmpty();
        poll(Duration.ofSeconds(1));
        assertThat(FiredJobs.jobs(redis)).hasSize(1);
        poll(PERIOD.multipliedBy(5));
        assertThat(FiredJobs.jobs(redis)).as("it takes longer than the delay").hasSize(1);
        end(0);
        poll(Duration.ofSeconds(3));
        poll(PERIOD.minusSeconds(1));
        assertThat(FiredJobs.jobs(redis)).hasSize(1);

        poll(Duration.ofSeconds(1));

        assertThat(FiredJobs.jobs(redis)).hasSize(2);
        assertThat(FiredJobs.jobs(redis).get(1).jid()).isEqualTo(store.holder(NAME));
        assertThat(redis.texts().hgetall("cron_job:default:" + NAME)).doesNotContainKey("jobs_due");
    }

    /** Of Redis, so that its next slot is before the last one, or the same. */
    @ParameterizedTest
    @CsvSource({"1, 20", "1, 10", "5, 20", "5, 10"})
    void aDelayGoesOnAfterTheClockWasPutBack(int count, int minutes) throws Exception {
        start(count, Recurrence.delay(PERIOD));
        poll();
        poll(PERIOD);
        Instant slot = first;
        end(0);
        poll(Duration.ofMinutes(-minutes));
        assertThat(store.find(NAME).orElseThrow().due()).isBeforeOrEqualTo(slot);

        poll(Duration.ofHours(1));
        poll(Duration.ofSeconds(1));
        poll(PERIOD);

        assertThat(FiredJobs.jobs(redis)).hasSize(2);
        assertThat(FiredJobs.jobs(redis).get(1).jid()).isEqualTo(store.holder(NAME));
    }

    @Test
    void aDelayIsNoLongerThanItSaysAfterTheClockWasPutBack() throws Exception {
        start(2, Recurrence.delay(PERIOD));
        poll();
        poll(Duration.ofDays(-1));
        poll(Duration.ofSeconds(1));

        poll(PERIOD);

        assertThat(FiredJobs.jobs(redis)).hasSize(1);
    }

    /** By a process that saw none, and stalled. */
    @Test
    void noSlotIsStoredWhileAJobHasNotEnded() {
        start(1, Recurrence.delay(PERIOD));
        RecurringJob job = store.find(NAME).orElseThrow();
        store.fire(job, first, first, push("j1"));

        store.due(job, first.plus(PERIOD));

        assertThat(store.find(NAME).orElseThrow().due()).isNull();
    }

    @Test
    void aDelayedJobThatWasMissedIsFiredAtOnce() throws Exception {
        start(5, Recurrence.delay(PERIOD));
        poll();
        poll(Duration.ofHours(3));
        poll(Duration.ofSeconds(1));

        assertThat(FiredJobs.jobs(redis)).hasSize(1);
    }

    @Test
    void aDelayBeginsAnewWhenTheJobIsResumed() throws Exception {
        start(1, Recurrence.delay(PERIOD));
        poll();
        store.enable(NAME, false, null);
        poll(PERIOD.multipliedBy(3));
        store.enable(NAME, true, null);
        poll();
        poll(PERIOD.minusSeconds(1));
        assertThat(FiredJobs.jobs(redis)).isEmpty();

        poll(Duration.ofSeconds(1));

        assertThat(FiredJobs.jobs(redis)).hasSize(1);
    }

    @Test
    void theLeaderLooksEachSecondForTheEndOfAJob() throws Exception {
        start(1, Recurrence.delay(PERIOD));
        processes.get(0).process.context.hearsRings().set(true);
        poll();
        poll(PERIOD);
        seen = new Snapshot(now, store.snapshot().stored());

        assertThat(processes.get(0).runOnce()).isEqualTo(Duration.ofSeconds(1));
        end(0);
        seen = new Snapshot(now, store.snapshot().stored());
        assertThat(processes.get(0).runOnce()).isEqualTo(Duration.ofSeconds(5));
    }

    /** All recurring jobs are looked at as seldom as if none was awaited. */
    @ParameterizedTest
    @ValueSource(strings = {"@delay 10m", "*/10 * * * *"})
    void inBetweenTheLeaderLooksOnlyAtTheLocks(String cron) throws Exception {
        start(
                1,
                cron.startsWith("@")
                        ? Recurrence.cron(cron)
                        : Recurrence.cron(cron).overlap(Overlap.QUEUE));
        ChoreTestBed process = processes.get(0).process;
        process.context.hearsRings().set(true);
        poll();
        pollAtNextSlot();
        pollAtNextSlot();
        assertThat(FiredJobs.jobs(redis)).hasSize(1);
        looks.set(0);
        for (int i = 1; i <= 4; i++) {
            process.pass(Duration.ofSeconds(1));
            long scripts = redis.calls("evalsha");
            assertThat(processes.get(0).runOnce()).isEqualTo(Duration.ofSeconds(1));
            assertThat(redis.calls("evalsha")).isEqualTo(scripts);
        }
        assertThat(looks).hasValue(0);
        process.pass(Duration.ofSeconds(1));
        processes.get(0).runOnce();
        assertThat(looks).as("five seconds have passed").hasValue(1);
        process.pass(Duration.ofMillis(500));
        processes.get(0).runOnce();
        assertThat(looks).as("a bell rang").hasValue(2);

        end(0);
        process.pass(Duration.ofSeconds(1));
        processes.get(0).runOnce();

        assertThat(looks).as("the job has ended").hasValue(3);
    }

    @Test
    void aSlotIsStoredOnlyForAJobAsItWasRead() {
        start(1, Recurrence.delay(PERIOD));
        RecurringJob job = store.find(NAME).orElseThrow();
        store.due(job, first);
        store.due(job, first.plusSeconds(5));
        assertThat(store.find(NAME).orElseThrow().due()).isEqualTo(first);
        RecurringJob due = store.find(NAME).orElseThrow();
        assertThat(due.schedule().next(now)).isEqualTo(first);
        store.forgetDue(job);
        assertThat(store.find(NAME).orElseThrow().due())
                .as("it was read before that slot was known")
                .isEqualTo(first);
        store.forgetDue(due);
        assertThat(store.find(NAME).orElseThrow().due()).isNull();
        store.due(job, first);

        store.save(NAME, Recurrence.delay(PERIOD.multipliedBy(2)), FiredJobs.DRAFT, Map.of(), now);
        store.due(job, first);
        assertThat(store.find(NAME).orElseThrow().due()).isNull();
        store.delete(NAME);
        store.due(job, first);
        assertThat(store.find(NAME)).isEmpty();
        redis.texts().set("cron_job:default:" + NAME, "text");
        store.due(job, first);

        assertThat(redis.texts().get("cron_job:default:" + NAME)).isEqualTo("text");
    }

    // Locks

    @Test
    void theScriptDecidesWhoHasTheLock() {
        start(1, OFTEN.overlap(Overlap.SKIP));
        RecurringJob job = store.find(NAME).orElseThrow();

        assertThat(store.fire(job, first, first, push("j1"))).isEqualTo(Fired.DONE);
        assertThat(store.fire(job, first.plus(PERIOD), first, push("j2"))).isEqualTo(Fired.OVERLAPS);
        assertThat(store.fire(job, null, first, push("j2"))).isEqualTo(Fired.OVERLAPS);
        assertThat(store.holder(NAME)).isEqualTo("j1");
        String lock = redis.texts().keys("unique:*").get(0);
        redis.texts().del(lock);
        assertThat(store.fire(job, first.plus(PERIOD), first, push("j2")))
                .as("the slot was free")
                .isEqualTo(Fired.DONE);
        redis.texts().del(lock);
        redis.texts().sadd(lock, "x");
        assertThat(store.fire(job, first.plus(PERIOD.multipliedBy(2)), first, push("j3")))
                .isEqualTo(Fired.WRONG_TYPE);
        assertThat(FiredJobs.jobs(redis)).extracting(Payload::jid).containsExactly("j1", "j2");
    }

    private static Push push(String jid) {
        return new Push("parked", ("{\"jid\":\"" + jid + "\"}").getBytes(UTF_8), jid);
    }

    static final class Counting {

        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch may = new CountDownLatch(1);

        @Job(value = "Count", retry = Job.NONE)
        void count() throws InterruptedException {
            begun.countDown();
            may.await(1, TimeUnit.MINUTES);
            throw new IllegalStateException("given up at once");
        }
    }

    /** The lock ends with the job, however it ends. */
    @Test
    void aRunByHandOverlapsAsLittle() throws Exception {
        Counting counting = new Counting();
        bed.start(counting);
        try (RedisRecurringJobs recurring = new RedisRecurringJobs(
                bed.connections(),
                JobRegistry.of(counting),
                JobHooks.none(),
                ClientConfig.defaults(),
                new Random(1),
                "default")) {
            recurring.save(NAME, Recurrence.cron("@yearly").overlap(Overlap.SKIP), JobCall.named("Count"));

            assertThat(recurring.runNow(NAME)).isNotNull();
            assertThat(counting.begun.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(recurring.runNow(NAME)).isNull();
            counting.may.countDown();
            bed.awaitEnds(1);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> redis.texts().keys("unique:*").isEmpty());
            assertThat(recurring.runNow(NAME)).isNotNull();
            bed.awaitEnds(2);
            assertThat(recurring.history(NAME)).hasSize(2);
        }
        bed.awaitDrained("default");
        assertThat(bed.books().inFlight()).isZero();
    }
}
