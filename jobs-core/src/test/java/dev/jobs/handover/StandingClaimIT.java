package dev.jobs.handover;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limits.Limit;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The claims of idle workers stand in Redis, so a job needs one trip to them; and what happens where no claim can
 * stand.
 */
class StandingClaimIT {

    private static final Pattern CALLS = Pattern.compile("cmdstat_([\\w|]+):calls=(\\d+),.*,rejected_calls=(\\d+),.*");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @AfterEach
    void close() {
        redis.texts().configSet("maxmemory", "0");
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        jobs.gate.countDown();
    }

    static final class Jobs {
        final Map<String, Integer> runs = new ConcurrentHashMap<>();
        final CountDownLatch gate = new CountDownLatch(1);

        @Job("Once")
        void once(String id) {
            runs.merge(id, 1, Integer::sum);
        }

        @Job("Rated")
        @Limit(name = "api", rate = 1, per = "1h")
        void rated(String id) {
            once(id);
        }

        @Job("Permit")
        @Limit(name = "erp", concurrency = 1)
        void permit(String id) throws InterruptedException {
            gated(id);
        }

        @Job("Gated")
        void gated(String id) throws InterruptedException {
            once(id);
            gate.await();
        }
    }

    private void push(String queue, String id) {
        bed.push(queue, payload("Once", id, "[\"" + id + "\"]"));
    }

    private void awaitRun(String id) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> jobs.runs.containsKey(id));
    }

    /** Pushes each job when the one before it is settled. */
    private void runOneByOne(String queue, int count) {
        long before = bed.processed();
        for (int i = 1; i <= count; i++) {
            push(queue, queue + before + i);
            long expected = before + i;
            await().pollInterval(Duration.ofMillis(1)).until(() -> bed.processed() == expected);
        }
        assertThat(jobs.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
    }

    private static void awaitStanding(int count) {
        await().until(() -> redis.texts().info("clients").contains("blocked_clients:" + count + "\r\n"));
    }

    /** How often a command was sent, whether it was executed or refused. */
    private static long calls(String command) {
        for (String line : redis.texts().info("commandstats").lines().toList()) {
            Matcher stat = CALLS.matcher(line);
            if (stat.matches() && stat.group(1).equals(command)) {
                return Long.parseLong(stat.group(2)) + Long.parseLong(stat.group(3));
            }
        }
        return 0;
    }

    /** One script claims the job and one settles it, without a poll or a notification in between. */
    @Test
    void aJobForAnIdleWorkerIsAskedForBeforeItIsThere() {
        bed.start(jobs);
        runOneByOne("default", 1);
        await().until(() -> calls("client|tracking") >= 3); // on for the queue, off, on without it
        redis.texts().configResetstat();
        long begin = System.nanoTime();

        runOneByOne("default", 200);

        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        long others = 60 + 5 * seconds; // beats and other chores, which run by the clock
        assertThat(calls("blmove")).isGreaterThanOrEqualTo(200);
        assertThat(calls("evalsha")).isBetween(200L, 2 * 200 + others);
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void jobsOfOtherQueuesAreNoticedWhileAClaimStandsAtTheFirst() {
        bed.capsules(CapsuleConfig.of("default", 5, List.of("default", "low", "lower")));
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().doorbell());
        awaitStanding(1);

        runOneByOne("low", 20);
        runOneByOne("default", 20);
        runOneByOne("lower", 20);

        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aClaimStandsWhileOtherJobsRun() {
        bed.start(jobs);
        for (int i = 0; i < 5; i++) {
            bed.push("default", payload("Gated", "g" + i, "[\"g" + i + "\"]"));
        }
        await().until(() -> jobs.runs.size() == 5);
        awaitStanding(1);

        push("default", "quick");

        awaitRun("quick");
        awaitStanding(1);
        assertThat(bed.books().inFlight()).isLessThanOrEqualTo(6);
    }

    /** A standing claim takes no suspects, and no notification comes when one may be taken again. */
    @Test
    @LongTest
    void aSuspectInAnotherQueueDoesNotWaitWhileAClaimStands() throws Exception {
        bed.capsules(CapsuleConfig.of("default", 5, List.of("default", "low")));
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(2)); // a younger process takes no suspect
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().doorbell());
        awaitStanding(1);
        String first = payload("Gated", "s1", "[\"s1\"]");
        String second = payload("Gated", "s2", "[\"s2\"]");
        for (String suspect : List.of(first, second)) {
            redis.texts().hset("jobs:recovered", sha1(suspect), "2");
        }
        redis.texts().lpush("queue:low", first, second);
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.runs.size() == 1);
        jobs.gate.countDown();

        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.runs.size() == 2);
    }

    private static String sha1(String text) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
    }

    /** The exchange that settles a job with a limit takes those that the job lets go on, and no later ones. */
    @Test
    void aJobThatAClaimHasTakenLosesItsStartToNoneThatComesWithASettlement() {
        try (RedisProxy proxy = new RedisProxy(redis.port());
                EngineTestBed slow = new EngineTestBed(redis, redis.connections("", proxy.port()))) {
            AtomicBoolean stands = new AtomicBoolean();
            AtomicLong now = new AtomicLong();
            slow.environment = new EngineEnvironment(
                    Clock.systemUTC(),
                    () -> stands.get() ? now.addAndGet(20_000) : System.nanoTime(),
                    new SecureRandom(),
                    Thread::new,
                    error -> {});
            slow.capsules(CapsuleConfig.of("default", 5, List.of("default")));
            JobEngine engine = slow.start(jobs);
            await().until(() -> engine.health().doorbell());
            awaitStanding(1);
            runOneByOne("default", 1); // so a claim begins to stand
            slow.push("default", payload("Permit", "permit", "[\"permit\"]"));
            awaitRun("permit");
            awaitStanding(1);
            now.set(System.nanoTime());
            stands.set(true); // the clock nearly stops, so its answer is not overdue, however long it takes
            CountDownLatch arrives = new CountDownLatch(1);
            proxy.holdAnswersWith("first", arrives);

            slow.push("default", payload("Rated", "first", "[\"first\"]"));
            await().until(() -> redis.texts().llen("queue:default") == 0);
            slow.push("default", payload("Rated", "second", "[\"second\"]"));
            jobs.gate.countDown();
            await().until(() -> slow.processed() >= 2);
            arrives.countDown();

            await().until(() -> redis.texts().zcard("jobs:parked:api") == 1);
            await().until(() -> jobs.runs.size() == 3);
            assertThat(jobs.runs).containsKey("first").doesNotContainKey("second");
            stands.set(false);
            slow.stopEngines();
            assertThat(slow.books().conservationError()).isZero();
        }
    }

    /** Another exchange would bring the later job, which would then ask for its start first. */
    @Test
    void aJobThatAClaimHasTakenLosesItsStartToNoLaterOne() {
        try (RedisProxy proxy = new RedisProxy(redis.port());
                EngineTestBed slow = new EngineTestBed(redis, redis.connections("", proxy.port()))) {
            AtomicBoolean stands = new AtomicBoolean();
            AtomicLong now = new AtomicLong();
            slow.environment = new EngineEnvironment(
                    Clock.systemUTC(),
                    () -> stands.get() ? now.get() : System.nanoTime(),
                    new SecureRandom(),
                    Thread::new,
                    error -> {});
            slow.capsules(CapsuleConfig.of("default", 5, List.of("default", "low")));
            JobEngine engine = slow.start(jobs);
            await().until(() -> engine.health().doorbell());
            awaitStanding(1);
            runOneByOne("default", 1); // so a claim begins to stand
            awaitStanding(1);
            now.set(System.nanoTime());
            stands.set(true); // so its answer is not overdue, however long it takes
            CountDownLatch arrives = new CountDownLatch(1);
            proxy.holdAnswersWith("first", arrives);

            slow.push("default", payload("Rated", "first", "[\"first\"]"));
            await().until(() -> redis.texts().llen("queue:default") == 0);
            slow.push("default", payload("Rated", "second", "[\"second\"]"));
            slow.push("low", payload("Once", "other", "[\"other\"]"));
            awaitRun("other");
            arrives.countDown();

            await().until(() -> redis.texts().zcard("jobs:parked:api") == 1);
            await().until(() -> jobs.runs.size() == 3);
            assertThat(jobs.runs).containsKey("first").doesNotContainKey("second");
            stands.set(false);
            slow.stopEngines();
            assertThat(slow.books().conservationError()).isZero();
        }
    }

    @Test
    void noneStandsWhereNoThreadIsFree() {
        bed.capsules(CapsuleConfig.of("default", 2, List.of("default")));
        bed.start(jobs);
        for (int i = 0; i < 5; i++) {
            bed.push("default", payload("Gated", "g" + i, "[\"g" + i + "\"]"));
        }
        await().until(() -> jobs.runs.size() == 2);
        awaitStanding(0);
        await().untilAsserted(
                        () -> assertThat(redis.texts().llen("queue:default")).isEqualTo(3));
        jobs.gate.countDown();
        await().until(() -> jobs.runs.size() == 5);
        awaitStanding(1);
    }

    @Test
    void twoWorkersThatStandAtOneQueueRunEachJobOnce() {
        bed.start(jobs);
        bed.start(jobs);
        awaitStanding(2);

        for (int i = 0; i < 300; i++) {
            push("default", "j" + i);
        }

        await().until(() -> jobs.runs.size() == 300);
        bed.awaitDrained("default");
        assertThat(jobs.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.processed()).isEqualTo(300);
    }

    @Test
    void aJobThatComesAfterQuietStaysInItsQueue() {
        JobEngine engine = bed.start(jobs);
        awaitStanding(1);
        engine.quiet();

        push("default", "late");

        awaitStanding(0);
        await().untilAsserted(() -> {
            assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
            assertThat(bed.books().inFlight()).isZero();
        });
        bed.stopEngines();
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        assertThat(jobs.runs).isEmpty();
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void anIdleEngineStopsAtOnceAndLeavesNothingBehind() {
        bed.start(jobs);
        awaitStanding(1);
        bed.stopEngines();
        awaitStanding(0);
        assertThat(redis.texts().keys("jobs:in:*")).isEmpty();
    }

    /** A claim never stands for long at a paused queue with jobs; that must not become a busy loop. */
    @Test
    void aPausedQueueWithJobsIsNotAskedAgainAndAgain() {
        redis.texts().sadd("paused", "default");
        push("default", "waits");
        bed.start(jobs);
        await().until(() -> calls("blmove") >= 1);
        redis.texts().configResetstat();
        await().until(() -> calls("scard") >= 8); // as many polls of this worker

        assertThat(calls("blmove")).isLessThan(5);
        assertThat(jobs.runs).isEmpty();

        redis.texts().srem("paused", "default");
        push("default", "more");
        await().until(() -> jobs.runs.size() == 2);
        awaitStanding(1);
    }

    @Test
    void jobsRunWhenTheConnectionOfAStandingClaimIsLostAndAnotherOneStands() {
        bed.start(jobs);
        for (int i = 0; i < 5; i++) {
            awaitStanding(1);
            runOneByOne("default", 1); // a connection that was never used successfully is not replaced at once
            awaitStanding(1);
            redis.texts()
                    .clientList()
                    .lines()
                    .filter(line -> line.contains(" name=jobs-standing "))
                    .forEach(line -> redis.texts()
                            .clientKill(KillArgs.Builder.id(Long.parseLong(line.replaceAll("^id=(\\d+) .*", "$1")))));
            push("default", "j" + i);
            awaitRun("j" + i);
        }
        awaitStanding(1);
        bed.stopEngines();
        assertThat(bed.processed()).isEqualTo(10);
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void jobsAreNoticedWhereNoClaimMayStand() {
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.BLMOVE));
        redis.texts().configResetstat();
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().doorbell());
        await().until(() -> calls("blmove") > 0);

        runOneByOne("default", 50);

        assertThat(calls("blmove")).isBetween(1L, 20L);
    }

    @Test
    void aFullRedisHandsOutItsJobs() {
        for (int i = 0; i < 20; i++) {
            push("default", "j" + i);
        }
        redis.texts().configSet("maxmemory", "1");
        bed.start(jobs);
        await().until(() -> jobs.runs.size() == 20);
        redis.texts().configSet("maxmemory", "0");
        bed.awaitDrained("default");
    }
}
