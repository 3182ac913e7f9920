package dev.jobs.chores;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.limits.LimitKeeper;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.Scripts;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.LockEffects;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Due jobs go to their queues on time, and no entry can delay the others. */
public class PollerIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private static final DeadSetBounds DEAD = new DeadSetBounds(100, Duration.ofDays(1));

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    static final class Jobs {
        final List<String> ran = new CopyOnWriteArrayList<>();
        final List<Long> at = new CopyOnWriteArrayList<>();

        @Job("Quick")
        void quick(String id) {
            at.add(System.currentTimeMillis());
            ran.add(id);
        }
    }

    /** Lets the poller of a process that leads run once, and returns how long it would pause. */
    private Duration poll() throws InterruptedException {
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            return poller(process).runOnce();
        }
    }

    public static Poller poller(ChoreTestBed process) {
        return new Poller(
                new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE),
                new LockEffects(process.keys),
                new LimitKeeper(
                        process.connection,
                        process.keys,
                        EngineTestBed.unlimited(),
                        process.context.environment().nanoTime()),
                process.context,
                Duration.ofSeconds(5));
    }

    /** What is in the queue, oldest first. */
    private static List<Payload> queued() {
        List<Payload> queued = new ArrayList<>(redis.bytes().lrange("queue:default".getBytes(UTF_8), 0, -1).stream()
                .map(Payload::parse)
                .toList());
        Collections.reverse(queued);
        return queued;
    }

    private static List<String> jids() {
        return queued().stream().map(Payload::jid).toList();
    }

    private void schedule(String set, double score, String payload) {
        redis.texts().zadd(set, score, payload);
    }

    private static double in(double seconds) {
        return System.currentTimeMillis() / 1_000.0 + seconds;
    }

    @Test
    @Tag("sidekiq-8")
    void aScheduledJobRunsWhenItIsDueAndNotBefore() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().leader());
        double due = in(1.5);
        schedule("schedule", due, payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\"", "\"retry\":true"));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.size() == 1);
        assertThat(jobs.at.get(0)).isGreaterThanOrEqualTo((long) (due * 1_000) - 1);
        await("the listener").until(() -> bed.lateness.size() == 1);
        assertThat(redis.texts().smembers("queues")).contains("default");
    }

    @Test
    void listenersHearHowLateAJobIs() throws Exception {
        schedule("schedule", in(-3_600), payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));

        poll();

        assertThat(bed.lateness).hasSize(1);
        assertThat(bed.lateness.get(0)).isBetween(Duration.ofHours(1), Duration.ofHours(2));
    }

    @Test
    void oneThatBecomesTheEarliestIsNoticedWhileALaterOneIsWaitedFor() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().leader());
        schedule("schedule", in(3_600), payload("Quick", "later", "[\"later\"]", "\"queue\":\"default\""));
        schedule("retry", in(1), payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("1"));
        assertThat(redis.texts().zcard("schedule")).isEqualTo(1);
    }

    @LongTest
    @Test
    @Tag("sidekiq-8")
    void thousandsThatAreDueAtOnceAllRunOnce() {
        double due = in(-1);
        for (int i = 0; i < 3_000; i++) {
            schedule("schedule", due, payload("Quick", "j" + i, "[\"" + i + "\"]", "\"queue\":\"default\""));
        }
        bed.start(jobs);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(60)).until(() -> jobs.ran.size() >= 3_000);
        bed.awaitDrained("default");
        assertThat(jobs.ran).hasSize(3_000).doesNotHaveDuplicates();
    }

    @Test
    void aStartRehearsesAPromotionAndLeavesNoTrace() {
        List<String> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(String.valueOf(payload.jobName()));
            return next.proceed(payload);
        });
        String move = Scripts.digest("move");
        redis.texts().scriptFlush();
        bed.start(jobs);
        await().until(() -> redis.texts().scriptExists(move).contains(true));
        schedule("schedule", 1, payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        await().until(() -> jobs.ran.contains("1"));
        assertThat(jobs.ran).containsExactly("1");
        assertThat(seen).containsExactly("Quick");
        await("the listener").until(() -> bed.lateness.size() == 1);
        assertThat(redis.texts().keys("dead")).isEmpty();
    }

    /** Fails once, for the first job that is promoted. Other threads of the engine read the time meanwhile. */
    private static final class FailingClock implements InstantSource, EnqueueMiddleware {

        private final AtomicBoolean failed = new AtomicBoolean();
        private volatile @Nullable Thread promoting;

        @Override
        public Payload enqueue(Payload payload, Chain next) {
            promoting = Thread.currentThread();
            return next.proceed(payload);
        }

        @Override
        public Instant instant() {
            if (Thread.currentThread() == promoting && failed.compareAndSet(false, true)) {
                throw new IllegalStateException("no time");
            }
            return Instant.now();
        }
    }

    @Test
    void anEntryThatTheEngineItselfFailsAtIsPutOffAndTheNextOneRuns() throws Exception {
        FailingClock clock = new FailingClock();
        bed.clock(clock.withZone(ZoneOffset.UTC));
        bed.enqueueMiddleware.add(clock);
        String first = payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\"");
        schedule("schedule", 1, first);
        schedule("schedule", 2, payload("Quick", "j2", "[\"2\"]", "\"queue\":\"default\""));
        poll();
        assertThat(jids()).containsExactly("j2");
        assertThat(redis.texts().zrange("schedule", 0, -1)).containsExactly(first);
        assertThat(redis.texts().zscore("schedule", first)).as("is put off").isGreaterThan(in(5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not json",
                "[]",
                "{\"args\":[]}",
                "{\"class\":\"Quick\",\"args\":\"x\"}",
                "{\"class\":\"Quick\",\"args\":[],\"queue\":\"\"}",
                "{\"class\":\"Quick\",\"args\":[],\"queue\":\"\\ud800\"}",
                "{\"class\":7,\"jid\":\"\\ud800\"}"
            })
    @Tag("sidekiq-0.17")
    @Tag("sidekiq-8")
    @Tag("sidekiq-31")
    void aBadEntryGoesToTheDeadSetAndTheNextOneRuns(String bad) throws Exception {
        schedule("schedule", 1, bad);
        schedule("schedule", 2, payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        poll();
        assertThat(jids()).containsExactly("j1");
        assertThat(redis.texts().zcard("dead")).isEqualTo(1);
        assertThat(redis.texts().zcard("schedule")).isZero();
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void oddScoresAreDueOrNeverAndDelayNoOtherJob() throws Exception {
        schedule("schedule", Double.NEGATIVE_INFINITY, payload("Quick", "a", "[\"a\"]"));
        schedule("schedule", -5, payload("Quick", "b", "[\"b\"]"));
        schedule("schedule", 0, payload("Quick", "c", "[\"c\"]"));
        schedule("schedule", Double.POSITIVE_INFINITY, payload("Quick", "d", "[\"d\"]"));
        schedule("schedule", 9e11, payload("Quick", "e", "[\"e\"]"));
        poll();
        assertThat(jids()).containsExactly("a", "b", "c");
        assertThat(redis.texts().zcard("schedule")).isEqualTo(2);
    }

    @Test
    @Tag("sidekiq-0.17")
    @Tag("sidekiq-8")
    @Tag("sidekiq-21")
    void enqueueMiddlewareRunsAndMayEditOrDrop() throws Exception {
        EnqueueMiddleware middleware =
                (payload, next) -> "dropped".equals(payload.jid()) ? null : next.proceed(payload.with("touched", true));
        bed.enqueueMiddleware.add(middleware);
        schedule("schedule", 1, payload("Quick", "dropped", "[\"dropped\"]"));
        schedule("schedule", 2, payload("Quick", "j1", "[\"1\"]"));
        poll();
        assertThat(jids()).containsExactly("j1");
        assertThat(queued().get(0).get("touched")).isEqualTo(true);
        assertThat(redis.texts().exists("schedule", "retry", "dead")).isZero();
    }

    @Test
    @Tag("sidekiq-0.17")
    @Tag("sidekiq-8")
    @Tag("sidekiq-31")
    void anEnqueueMiddlewareThatThrowsPostponesOnlyItsJob() throws Exception {
        EnqueueMiddleware middleware = (payload, next) -> {
            if ("bad".equals(payload.jid())) {
                throw new IllegalStateException("its database is away");
            }
            return next.proceed(payload);
        };
        bed.enqueueMiddleware.add(middleware);
        String bad = payload("Quick", "bad", "[\"bad\"]");
        schedule("schedule", 1, bad);
        schedule("schedule", 2, payload("Quick", "j1", "[\"1\"]"));
        poll();
        assertThat(jids()).containsExactly("j1");
        assertThat(redis.texts().zscore("schedule", bad)).isGreaterThan(in(5));
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void aDueJobWhoseQueueIsNoListWaitsAndDelaysNoOther() throws Exception {
        redis.texts().set("queue:broken", "a string");
        String stuck = payload("Quick", "stuck", "[\"stuck\"]", "\"queue\":\"broken\"");
        schedule("schedule", 1, stuck);
        schedule("schedule", 2, payload("Quick", "j1", "[\"1\"]"));
        poll();
        assertThat(jids()).containsExactly("j1");
        assertThat(redis.texts().zscore("schedule", stuck)).isGreaterThan(in(5));
    }

    @Test
    @Tag("sidekiq-0.3")
    @Tag("sidekiq-8")
    void storedAtIsRemovedAndMissingOptionsAreFilledIn() throws Exception {
        schedule("schedule", 1, payload("Quick", "j1", "[\"1\"]", "\"at\":5.5"));
        poll();
        assertThat(queued()).singleElement().satisfies(job -> {
            assertThat(job.names()).containsExactly("class", "args", "jid", "retry", "queue", "enqueued_at");
            assertThat(job.get("retry")).isEqualTo(true);
        });
    }

    @Test
    @LongTest
    @Tag("sidekiq-28")
    void whenTheLeaderStopsAnotherOneLeadsAtOnce() {
        JobEngine first = bed.start(jobs);
        await().until(() -> first.health().leader());
        JobEngine second = bed.start(jobs);
        await().until(() -> second.health().alive());
        assertThat(second.health().leader()).isFalse();
        assertThat(redis.texts().get("dear-leader")).isEqualTo(first.health().identity());
        first.stop();
        await().atMost(Duration.ofSeconds(20)).until(() -> second.health().leader());
        schedule("schedule", in(0.2), payload("Quick", "j1", "[\"1\"]"));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("1"));
    }

    /** As in Ruby: an entry that another program stored or changed may contain a time. */
    @ParameterizedTest
    @ValueSource(strings = {"schedule", "retry"})
    @Tag("sidekiq-8")
    void aDueEntryThatSaysALaterTimeWaitsForIt(String set) throws Exception {
        double later = Math.floor(in(3_600));
        schedule(
                set,
                in(-5),
                payload("Quick", "late", "[\"late\"]", "\"queue\":\"default\"", "\"retry\":true", "\"at\":" + later));
        schedule(set, in(-4), payload("Quick", "past", "[\"past\"]", "\"queue\":\"default\"", "\"at\":" + in(-60)));
        poll();

        assertThat(jids()).containsExactly("past");
        assertThat(redis.texts().zcard("retry")).isZero();
        Payload waiting = bed.only("schedule");
        assertThat(waiting.jid()).isEqualTo("late");
        assertThat(waiting.has("at") || waiting.has("enqueued_at")).isFalse();
        assertThat(redis.texts().zrangeWithScores("schedule", 0, 0).get(0).getScore())
                .isEqualTo(later);
    }

    @Test
    @Tag("sidekiq-21")
    void anEnqueueMiddlewareMayPutADueJobOff() throws Exception {
        double later = Math.floor(in(3_600));
        bed.enqueueMiddleware.add(
                (payload, next) -> next.proceed(payload.jid().equals("off") ? payload.with("at", later) : payload));
        schedule("schedule", in(-5), payload("Quick", "off", "[\"off\"]", "\"queue\":\"default\""));
        schedule("schedule", in(-4), payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        poll();

        assertThat(jids()).containsExactly("j1");
        assertThat(redis.texts().zrangeWithScores("schedule", 0, 0).get(0).getScore())
                .isEqualTo(later);
    }

    @Test
    void whatAnotherProcessMovesMeanwhileIsToldOnceByThatProcess() throws Exception {
        schedule("schedule", 1, "not json");
        schedule("schedule", 2, payload("Quick", "j1", "[\"1\"]", "\"queue\":\"default\""));
        try (ChoreTestBed other = new ChoreTestBed(bed, "other")) {
            AtomicBoolean moved = new AtomicBoolean();
            bed.enqueueMiddleware.add((payload, next) -> {
                if (moved.compareAndSet(false, true)) {
                    moveDue(other);
                }
                return next.proceed(payload);
            });
            poll();
            assertThat(moved).isTrue();
        }

        assertThat(jids()).containsExactly("j1");
        assertThat(bed.lateness).hasSize(1);
        assertThat(redis.texts().zcard("dead")).isEqualTo(1);
        assertThat(bed.errors).hasSize(1);
    }

    private static void moveDue(ChoreTestBed process) {
        try {
            poller(process).runOnce();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theLeaderPollsAgainWhenTheNextJobIsDue() throws Exception {
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            Poller poller = poller(process);
            assertThat(poller.runOnce()).as("is told of nothing").isEqualTo(Duration.ofMillis(250));
            process.context.hearsRings().set(true);
            assertThat(poller.runOnce()).as("is told of earlier jobs").isEqualTo(Duration.ofSeconds(5));
            schedule("retry", in(2), payload("Quick", "j1", "[\"1\"]"));
            assertThat(poller.runOnce()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(2));
            for (int i = 0; i < 150; i++) {
                schedule("schedule", 1, payload("Quick", "due" + i, "[]"));
            }
            assertThat(poller.runOnce()).as("more are due").isZero();
            assertThat(jids()).hasSize(100);
            assertThat(poller.runOnce()).isPositive();
            assertThat(jids()).hasSize(150).doesNotContain("j1");
        }
    }

    @Test
    void othersPollAtIntervalsAndNeverWithoutALease() throws Exception {
        schedule("schedule", 1, payload("Quick", "j1", "[\"1\"]"));
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            Poller poller = poller(process);
            process.follow("another");
            process.nanos.addAndGet(Duration.ofSeconds(20).toNanos());
            assertThat(poller.runOnce()).isEqualTo(PollInterval.AFTER_FAILURE);
            assertThat(jids()).isEmpty();
            process.follow("another");
            assertThat(poller.runOnce()).isBetween(Duration.ofMillis(2_500), Duration.ofMillis(7_500));
            assertThat(jids()).containsExactly("j1");
        }
    }
}
