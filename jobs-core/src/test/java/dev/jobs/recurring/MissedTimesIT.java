package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.codec.RubyTime;
import dev.jobs.proof.LongTest;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Slots at which no worker ran are made up for as their job says, and each is fired once at most. */
class MissedTimesIT {

    private static final String NAME = "count";
    private static final String JOB = "cron_job:default:" + NAME;
    private static final Duration OUTAGE = Duration.ofHours(3);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final List<PollingProcess> all = new ArrayList<>();
    private EngineTestBed bed;
    private Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS).plusMillis(300);

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
    }

    @AfterEach
    void close() {
        all.forEach(PollingProcess::close);
        bed.close();
    }

    private PollingProcess polling() {
        PollingProcess process = new PollingProcess(
                bed,
                "process-" + all.size(),
                new Object(),
                store -> new Snapshot(now, store.snapshot().stored()));
        all.add(process);
        return process;
    }

    private void start(int processes) {
        IntStream.range(0, processes).forEach(i -> polling());
        lead(all.get(0));
    }

    private void lead(PollingProcess leader) {
        String id = "process-" + all.indexOf(leader);
        all.forEach(each -> each.process.follow(id));
    }

    private void save(Recurrence recurrence) {
        all.get(0).store.save(NAME, recurrence, FiredJobs.DRAFT, Map.of(), now);
    }

    /** All processes look, the others before the leader. */
    private void poll() throws InterruptedException {
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).poller.runOnce();
        }
    }

    /** Time passes, and the processes look at each slot. */
    private void pass(Duration time, Duration period) throws InterruptedException {
        for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(period)) {
            poll();
        }
        poll();
    }

    private static List<Instant> fired() {
        return FiredJobs.slots(redis);
    }

    private static List<Instant> slots(Instant first, int count, Duration period) {
        return Stream.iterate(first, slot -> slot.plus(period)).limit(count).toList();
    }

    /** Of 18 slots that were missed, so many are made up for, the last ones. */
    static List<Arguments> policies() {
        return policiesOf(3);
    }

    static List<Arguments> policiesAmongMany() {
        return policiesOf(1, 5, 20);
    }

    private static List<Arguments> policiesOf(int... counts) {
        Duration period = Duration.ofMinutes(10);
        List<Arguments> all = new ArrayList<>();
        for (Recurrence each : List.of(Recurrence.cron("*/10 * * * *"), Recurrence.every(period))) {
            for (int processes : counts) {
                all.add(Arguments.of(each, processes, 0));
                all.add(Arguments.of(each.missed(Missed.SKIP), processes, 0));
                all.add(Arguments.of(each.missed(Missed.ONCE), processes, 1));
                all.add(Arguments.of(each.missed(Missed.ALL).mostMissed(5), processes, 5));
                all.add(Arguments.of(each.missed(Missed.ALL), processes, 18));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("policies")
    void anOutageOfThreeHours(Recurrence recurrence, int processes, int madeUpFor) throws Exception {
        Duration period = Duration.ofMinutes(10);
        start(processes);
        save(recurrence);
        Instant first = now.truncatedTo(ChronoUnit.HOURS).plus(period);
        now = now.plus(period);
        pass(Duration.ofMinutes(20), period);
        assertThat(fired()).as("in time").isEqualTo(slots(first, 3, period));

        Instant begin = now;
        now = now.plus(OUTAGE).plus(Duration.ofMinutes(4));
        poll();
        poll();

        Instant missed = begin.minusMillis(300).plus(period.multipliedBy(18 - madeUpFor + 1));
        List<Instant> expected = new ArrayList<>(slots(first, 3, period));
        expected.addAll(slots(missed, madeUpFor, period));
        assertThat(fired()).isEqualTo(expected);

        now = begin.plus(OUTAGE).plus(period);
        pass(period, period);
        expected.addAll(slots(begin.minusMillis(300).plus(OUTAGE).plus(period), 2, period));
        assertThat(fired()).as("in time again").isEqualTo(expected);
    }

    @LongTest
    @ParameterizedTest
    @MethodSource("policiesAmongMany")
    void anOutageOfThreeHoursAmongMany(Recurrence recurrence, int processes, int madeUpFor) throws Exception {
        anOutageOfThreeHours(recurrence, processes, madeUpFor);
    }

    /** The leader ends in the midst of what it makes up for, as if it was killed. */
    @ParameterizedTest
    @CsvSource({"5, ALL, 18", "20, ALL, 18", "5, ONCE, 1", "1, ALL, 18"})
    void theNextLeaderGoesOnWhereTheLastOneWasKilled(int processes, Missed policy, int madeUpFor) throws Exception {
        Duration period = Duration.ofMinutes(10);
        AtomicInteger calls = new AtomicInteger();
        bed.enqueueMiddleware.add((payload, next) -> {
            if (calls.incrementAndGet() == (madeUpFor + 1) / 2) {
                all.get(0).process.connection.close();
            }
            return next.proceed(payload);
        });
        start(processes);
        save(Recurrence.cron("*/10 * * * *").missed(policy));
        PollingProcess leader = all.get(0);
        Instant begin = now;
        now = now.plus(OUTAGE).plus(Duration.ofMinutes(4));
        leader.poller.runOnce();
        assertThat(fired()).hasSize((madeUpFor + 1) / 2 - 1);

        PollingProcess next = processes == 1 ? polling() : all.get(1);
        all.remove(leader);
        next.process.follow("process-1");
        poll();
        poll();

        assertThat(fired())
                .isEqualTo(
                        slots(begin.minusMillis(300).plus(period.multipliedBy(18 - madeUpFor + 1)), madeUpFor, period));
    }

    /** The clocks of Berlin are put forward at 01:00 UTC on 28 March 2027, and back on 31 October. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // At 02:15 and at 02:45: the end of the gap, once
                "15,45 2 * * * Europe/Berlin | SKIP | 2027-03-27T23:10:00Z | ",
                "15,45 2 * * * Europe/Berlin | ONCE | 2027-03-27T23:10:00Z | 2027-03-28T01:00:00Z",
                "15,45 2 * * * Europe/Berlin | ALL  | 2027-03-27T23:10:00Z | 2027-03-28T01:00:00Z",
                // The first time that clocks show them
                "15,45 2 * * * Europe/Berlin | SKIP | 2027-10-30T23:10:00Z | ",
                "15,45 2 * * * Europe/Berlin | ONCE | 2027-10-30T23:10:00Z | 2027-10-31T00:45:00Z",
                "15,45 2 * * * Europe/Berlin | ALL  | 2027-10-30T23:10:00Z | 2027-10-31T00:15:00Z 2027-10-31T00:45:00Z",
                // Every hour, as many as there are
                "30 * * * * Europe/Berlin    | ALL  | 2027-03-27T23:10:00Z | 2027-03-27T23:30:00Z 2027-03-28T00:30:00Z 2027-03-28T01:30:00Z",
                "30 * * * * Europe/Berlin    | ALL  | 2027-10-30T23:10:00Z | 2027-10-30T23:30:00Z 2027-10-31T00:30:00Z 2027-10-31T01:30:00Z",
                // Within the grace, and an hour after it
                "15,45 2 * * * Europe/Berlin | WITHIN_GRACE | 2027-03-27T22:00:30Z | 2027-03-28T01:00:00Z",
                "15,45 2 * * * Europe/Berlin | WITHIN_GRACE | 2027-03-27T23:00:30Z | ",
                "15,45 2 * * * Europe/Berlin | WITHIN_GRACE | 2027-10-30T21:45:30Z | 2027-10-31T00:45:00Z",
                "15,45 2 * * * Europe/Berlin | WITHIN_GRACE | 2027-10-30T22:45:30Z | ",
                "30 * * * * Europe/Berlin    | WITHIN_GRACE | 2027-10-30T22:30:20Z | 2027-10-31T01:30:00Z",
                "@every 1h                   | WITHIN_GRACE | 2027-03-27T22:00:30Z | 2027-03-28T01:00:00Z",
                "@every 1h                   | ALL  | 2027-10-30T23:10:00Z | 2027-10-31T00:00:00Z 2027-10-31T01:00:00Z 2027-10-31T02:00:00Z",
                "@every 1h                   | ONCE | 2027-03-27T23:10:00Z | 2027-03-28T02:00:00Z"
            })
    void anOutageWhileClocksChange(String cron, Missed policy, Instant begin, String expected) throws Exception {
        List<Instant> slots = expected == null
                ? List.of()
                : Stream.of(expected.split(" ")).map(Instant::parse).toList();
        for (int processes : new int[] {1, 5}) {
            redis.flush();
            all.forEach(PollingProcess::close);
            all.clear();
            now = begin;
            start(processes);
            save(Recurrence.cron(cron).missed(policy));
            poll();
            now = begin.plus(OUTAGE);
            poll();
            now = now.plusSeconds(30);
            poll();

            assertThat(fired()).isEqualTo(slots);
        }
    }

    /** Taken slots are remembered for a day. */
    @Test
    void aMissedWeekIsMadeUpForOnce() throws Exception {
        now = Instant.parse("2026-02-02T02:00:00.300Z");
        start(2);
        save(Recurrence.cron("0 2 * * *").missed(Missed.ALL));
        poll();
        now = Instant.parse("2026-02-10T01:00:00Z");
        poll();
        save(Recurrence.cron("0 2 * * *").missed(Missed.ALL)); // as a restart does, which forgets taken slots
        poll();

        assertThat(fired()).isEqualTo(slots(Instant.parse("2026-02-03T02:00:00Z"), 7, Duration.ofDays(1)));
    }

    /** And not that of its slot. */
    @ParameterizedTest
    @EnumSource(names = {"ALLOW", "QUEUE"})
    void whatIsShownIsTheTimeAtWhichAJobWasEnqueued(Overlap overlap) throws Exception {
        start(1);
        save(Recurrence.cron("*/10 * * * *").missed(Missed.ALL).overlap(overlap));
        now = now.plus(OUTAGE);
        poll();

        RecurringJobStore store = all.get(0).store;
        assertThat(store.history(NAME)).isNotEmpty().allMatch(each -> RubyTime.inUtc(now)
                .equals(Payload.parse(each).text("enqueued")));
        assertThat(store.find(NAME).orElseThrow().lastEnqueued()).isEqualTo(now.truncatedTo(ChronoUnit.SECONDS));
    }

    /** What Ruby took before stays taken. */
    @ParameterizedTest
    @CsvSource({"'', 3", "2026-02-06 02:00:00 +0000, 7"})
    void aRunByHandMakesUpForNoSlot(String byRuby, int day) throws Exception {
        now = Instant.parse("2026-02-02T02:00:00.300Z");
        start(2);
        save(Recurrence.cron("0 2 * * *").missed(Missed.ALL));
        redis.texts().hset(JOB, "last_enqueue_time", byRuby);
        now = Instant.parse("2026-02-10T01:00:00Z");
        for (int i = 0; i < 2; i++) {
            RecurringJobStore store = all.get(i).store;
            store.fire(store.find(NAME).orElseThrow(), null, now, new Push("by hand", new byte[] {'{', '}'}, "j" + i));
        }
        poll();

        assertThat(fired())
                .isEqualTo(slots(Instant.parse("2026-02-0" + day + "T02:00:00Z"), 10 - day, Duration.ofDays(1)));
    }

    @Test
    void slotsOfSecondsAreAllFiredWhateverTheJobSays() throws Exception {
        start(2);
        save(Recurrence.every(Duration.ofSeconds(1)).missed(Missed.SKIP));
        now = now.plusSeconds(1);
        poll();
        now = now.plusSeconds(9);
        poll();

        assertThat(fired()).hasSize(10);
        now = now.plusSeconds(60);
        poll();
        assertThat(fired()).as("no hiccup any more").hasSize(11);
    }

    @Test
    void slotsOfAPauseAreNotMissedByTheNextLeader() throws Exception {
        start(2);
        save(Recurrence.cron("*/10 * * * *").missed(Missed.ALL));
        poll();
        redis.texts().hset(JOB, "status", "disabled");
        now = now.plus(Duration.ofMinutes(30));
        poll();
        redis.texts().hset(JOB, "status", "enabled");
        lead(all.get(1)); // it has not seen the pause
        all.remove(0).process.close();
        now = now.plus(Duration.ofMinutes(20));
        PollingProcess next = polling();
        next.process.follow("process-1");
        next.poller.runOnce();

        assertThat(fired()).hasSize(2);
    }

    /** Ruby fires at slots as ever, and knows nothing of those that were missed. */
    @Test
    void whatRubyTookIsNotFiredAgain() throws Exception {
        start(2);
        save(Recurrence.cron("*/10 * * * *").missed(Missed.ALL));
        Instant byRuby = now.minusMillis(300).plus(Duration.ofMinutes(20));
        redis.texts().zadd(JOB + ":enqueued", byRuby.getEpochSecond(), byRuby.toString());
        redis.texts()
                .hset(
                        JOB,
                        "last_enqueue_time",
                        byRuby.toString().replace("T", " ").replace("Z", " +0000"));
        now = now.plus(Duration.ofMinutes(34));
        poll();

        assertThat(fired()).containsExactly(byRuby.minusSeconds(600), byRuby.plusSeconds(600));
    }

    /** Or the slots before it would pass for decided. */
    @Test
    void noSlotOvertakesOneThatHasToWait() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        bed.enqueueMiddleware.add((payload, next) -> {
            if (calls.incrementAndGet() == 2) {
                throw new IllegalStateException("not now");
            }
            return next.proceed(payload);
        });
        start(1);
        save(Recurrence.cron("*/10 * * * *").missed(Missed.ALL));
        Instant first = now.minusMillis(300).plus(Duration.ofMinutes(10));
        now = now.plus(Duration.ofMinutes(34));
        poll();
        poll();
        assertThat(fired()).containsExactly(first);

        all.get(0).process.pass(Duration.ofSeconds(15));
        poll();

        assertThat(fired()).isEqualTo(slots(first, 3, Duration.ofMinutes(10)));
    }

    static List<Arguments> aheadOf() {
        return Stream.of(Missed.values())
                .flatMap(missed -> Stream.of(Recurrence.cron("*/5 * * * *"), Recurrence.every(Duration.ofMinutes(5)))
                        .map(each -> Arguments.of(each.missed(missed))))
                .toList();
    }

    /** Begins later than by the clock of Redis, by which the slot before a new job is marked. */
    private Instant inAnHour() {
        now = now.plus(Duration.ofHours(1));
        return now.minusMillis(300);
    }

    private List<Instant> firedUntil(Instant end) {
        return fired().stream().filter(slot -> slot.isBefore(end)).toList();
    }

    @ParameterizedTest
    @MethodSource("aheadOf")
    void slotsGoOnWhenTheClockIsPutBackByAYear(Recurrence recurrence) throws Exception {
        Duration period = Duration.ofMinutes(5);
        Instant begin = inAnHour();
        start(3);
        save(recurrence);
        poll();
        now = now.plus(Duration.ofDays(365));
        poll();
        assertThat(fired()).as("by the wrong clock").contains(now.minusMillis(300));

        Instant end = begin.plus(Duration.ofDays(1));
        try (LogLines log = LogLines.of(RecurringPoller.class).open()) {
            now = begin.plus(period).plusMillis(300);
            poll();
            assertThat(firedUntil(end)).isEqualTo(slots(begin.plus(period), 1, period));
            PollingProcess restarted = polling();
            lead(restarted);
            now = now.plus(period);
            pass(period, period);
            assertThat(firedUntil(end)).isEqualTo(slots(begin.plus(period), 3, period));

            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("RecurringJob[" + NAME);
        }
        assertThat(redis.texts().zrange(JOB + ":enqueued", 0, -1))
                .as("those a year later come again")
                .noneMatch(slot -> Instant.parse(slot).isAfter(end));
    }

    /** Each slot is fired once, by whichever clock. */
    @ParameterizedTest
    @MethodSource("aheadOf")
    void slotsThatWereFiredBeforeTheClockIsPutBackAreNotFiredAgain(Recurrence recurrence) throws Exception {
        Duration period = Duration.ofMinutes(5);
        Instant begin = inAnHour();
        start(3);
        save(recurrence);
        now = now.plus(period);
        poll();
        now = now.plus(period.multipliedBy(2));
        poll();
        assertThat(fired()).contains(begin.plus(period), begin.plus(period.multipliedBy(3)));
        now = now.minus(period);
        poll();
        lead(polling());
        pass(period.multipliedBy(2), period);

        assertThat(fired().stream().sorted()).isEqualTo(slots(begin.plus(period), 4, period));
    }

    @Test
    void aPauseThatEndsWhenTheClockIsPutBackEndsThen() throws Exception {
        Duration period = Duration.ofMinutes(5);
        Instant begin = inAnHour();
        start(2);
        save(Recurrence.every(period).missed(Missed.ALL));
        redis.texts().hset(JOB, "status", "disabled");
        now = now.plus(Duration.ofDays(365));
        poll();
        redis.texts().hset(JOB, "status", "enabled");
        now = begin.plusSeconds(60);
        poll();
        now = now.plus(period);
        poll();

        assertThat(fired()).isEqualTo(slots(begin.plus(period), 1, period));
    }

    /** Another version of the application may say what this one doesn't know. */
    @Test
    void aPolicyThatIsNotUnderstoodIsNone() {
        for (String text : new String[] {"all", "all 0", "all 1001", "all 99999", "twice", ""}) {
            assertThat(new RecurringJob(NAME, Map.of("cron", "@daily", "jobs_missed", text)).missed())
                    .as(text)
                    .isEqualTo(Missed.WITHIN_GRACE);
        }
    }
}
