package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens to the jobs of a worker that died, froze, or was given up while it lived. */
class RecoveryIT {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        bed.times(Duration.ofMillis(200), LEASE);
    }

    @AfterEach
    void close() {
        jobs.release.countDown();
    }

    static final class Jobs {
        final Set<String> ran = ConcurrentHashMap.newKeySet();
        final CountDownLatch release = new CountDownLatch(1);
        final List<JobContext> contexts = new java.util.concurrent.CopyOnWriteArrayList<>();

        @Job("Hold")
        void hold(String id, JobContext job) {
            assertThat(job.recoveries()).isBetween(0, 2);
            ran.add(id);
        }

        @Job("Quick")
        void quick(String id) {
            ran.add(id);
        }

        @Job("Waits")
        void waits(String id, JobContext job) throws InterruptedException {
            contexts.add(job);
            ran.add(id);
            release.await();
        }
    }

    private static List<String> started() {
        return redis.texts().lrange("started", 0, -1);
    }

    @Test
    @LongTest
    @Tag("sidekiq-0.20")
    @Tag("sidekiq-31")
    void tenJobsOfAKilledWorkerRunAgainElsewhere() throws Exception {
        IntStream.range(0, 10).forEach(i -> bed.push("default", payload("Hold", "j" + i, "[\"" + i + "\"]")));
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> started().size() == 10);
            worker.kill();
        }
        assertThat(bed.books().inFlight()).isEqualTo(10);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.ran.size() == 10);
        bed.awaitDrained("default");
        assertThat(bed.books().recovered()).isEqualTo(10);
        assertThat(bed.books().conservationError()).isZero();
        await("the listener")
                .until(() -> bed.recoveries.stream().mapToInt(Integer::intValue).sum() == 10);
        assertThat(redis.texts().keys("jobs:in:*"))
                .as("the dead worker is forgotten")
                .hasSizeLessThanOrEqualTo(1);
    }

    @Test
    @LongTest
    void aFrozenWorkerFindsItsJobsGoneAndGoesOnUnderAnotherIdentity() throws Exception {
        bed.push("default", payload("Hold", "j1", "[\"1\"]"));
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> started().size() == 1);
            worker.signal("STOP");
            bed.start(jobs);
            await().atMost(Duration.ofSeconds(30)).until(() -> jobs.ran.contains("1"));
            bed.awaitDrained("default");
            bed.stopEngines();
            worker.signal("CONT");
            bed.push("default", payload("Quick", "j2", "[\"2\"]"));
            await().atMost(Duration.ofSeconds(30)).until(() -> started().contains("2"));
            bed.awaitDrained("default");
            assertThat(started()).containsExactly("1", "2");
            assertThat(bed.processed()).as("nothing is counted twice").isEqualTo(2);
            assertThat(bed.books().conservationError()).isZero();
        }
    }

    /** As a copy of this machine would, if it was cloned while its worker ran. */
    @Test
    void aWorkerWhoseIdentityAnotherProcessUsesLeavesItAndSettlesNothingUnderIt() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        String identity = engine.health().identity();
        bed.push("default", payload("Waits", "j1", "[\"1\"]"));
        await().until(() -> jobs.ran.contains("1"));
        redis.texts().hset("jobs:in:" + identity, "#0", "1000000");
        jobs.release.countDown();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> !engine.health().identity().equals(identity));
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.contexts.size() == 2);
        assertThat(jobs.contexts.get(1).recoveries())
                .as("its job was recovered, not kept")
                .isEqualTo(1);
        bed.push("default", payload("Quick", "j2", "[\"2\"]"));
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.ran.contains("2"));
        bed.awaitDrained("default");
        assertThat(bed.processed()).isEqualTo(2);
        assertThat(bed.books().conservationError()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"Halt,", "Exit,System.exit", "Fill,java.lang.OutOfMemoryError"})
    @LongTest
    void aJobThatEndsItsJvmIsBuriedAtTheThirdTimeAndTheOthersRun(String how, String error) throws Exception {
        bed.push("default", payload(how, "pill", "[\"pill\"]"));
        IntStream.range(0, 20).forEach(i -> bed.push("default", payload("Quick", "j" + i, "[\"" + i + "\"]")));
        for (int life = 1; life <= 3; life++) {
            int expected = life;
            try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> started().stream().filter("pill"::equals).count() == expected);
                await().atMost(Duration.ofSeconds(20)).until(() -> !worker.isAlive());
            }
        }
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(30)).until(() -> redis.texts().zcard("dead") == 1);
        assertThat(bed.only("dead").jid()).isEqualTo("pill");
        assertThat(bed.only("dead").text("error_class")).isEqualTo(error);
        bed.awaitDrained("default");
        assertThat(bed.books().poisoned()).isEqualTo(1);
        assertThat(bed.books().conservationError()).isZero();
        await("the death handler").until(() -> bed.deaths.size() == 1);
        Set<String> all = ConcurrentHashMap.newKeySet();
        all.addAll(jobs.ran);
        all.addAll(started());
        assertThat(all).hasSize(21);
    }

    @Test
    void aWorkerThatIsGivenUpWhileItLivesSettlesNothingOfItAndWorksOn() {
        bed.push("default", payload("Waits", "j1", "[\"1\"]"));
        JobEngine engine = bed.start(jobs);
        await().until(() -> jobs.ran.contains("1"));
        String before = engine.health().identity();
        await().until(() -> jobs.contexts.get(0).holdsLease());
        redis.texts().zadd("jobs:beats", -1, before);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !engine.health().identity().equals(before));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.contexts.size() == 2);
        assertThat(jobs.contexts.get(0).holdsLease()).isFalse();
        await().until(() -> jobs.contexts.get(1).holdsLease()); // a beat may be late on a busy machine
        assertThat(jobs.contexts.get(1).recoveries()).isEqualTo(1);
        jobs.release.countDown();
        bed.awaitEnds(2);
        bed.awaitDrained("default");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(Ending.LOST, Ending.DONE);
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    @LongTest
    void aJobThatOnlyRedisKnowsToBeOursIsAdopted() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        // What a lost reply or a failover leaves: an entry of a live process that doesn't know it.
        redis.texts().hincrby("jobs:ledger", "claimed", 1);
        redis.texts()
                .hset("jobs:in:" + engine.health().identity(), "0:999:1:default", payload("Quick", "j1", "[\"lost\"]"));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("lost"));
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void anAdoptedJobKeepsItsStrikes() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        String payload = payload("Waits", "j1", "[\"lost\"]");
        wasRecovered(payload, 1);
        redis.texts().hincrby("jobs:ledger", "claimed", 1);
        redis.texts().hset("jobs:in:" + engine.health().identity(), "0:999:1:default", payload);
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("lost"));
        assertThat(jobs.contexts.get(0).recoveries()).isEqualTo(1);
        jobs.release.countDown();
        bed.awaitDrained("default");
    }

    private static void wasRecovered(String payload, int times) {
        String hash =
                redis.texts().eval("return redis.sha1hex(ARGV[1])", ScriptOutputType.VALUE, new String[0], payload);
        redis.texts().hset("jobs:recovered", hash, Integer.toString(times));
    }

    /** The clock of engines that are started later, which this many nanoseconds put ahead. */
    private AtomicLong clockAhead() {
        AtomicLong ahead = new AtomicLong();
        EngineEnvironment system = bed.environment;
        bed.environment = new EngineEnvironment(
                system.clock(),
                () -> System.nanoTime() + ahead.get(),
                system.random(),
                system.processorThreads(),
                system.outOfMemory());
        return ahead;
    }

    /** The lease is longer than any test takes to start an engine. */
    @Test
    @LongTest
    void aSuspectWaitsUntilItsProcessHasLivedForALease() {
        Duration lease = Duration.ofSeconds(30);
        AtomicLong ahead = clockAhead();
        bed.config = EngineConfig.of(1, "default");
        bed.times(Duration.ofMillis(200), lease);
        String suspect = payload("Quick", "suspect", "[\"suspect\"]");
        wasRecovered(suspect, 2);
        bed.push("default", suspect);
        bed.push("default", payload("Quick", "j1", "[\"1\"]"));

        bed.start(jobs);

        bed.awaitEnds(1);
        ahead.set(lease.toNanos());
        bed.awaitEnds(2);
        assertThat(bed.ends).extracting(EngineTestBed.Ended::jid).containsExactly("j1", "suspect");
    }

    @Test
    void noOtherSuspectStartsBesideARunningOneHoweverManyJobsEnd() {
        AtomicLong ahead = clockAhead();
        bed.config = EngineConfig.of(3, "default");
        bed.times(Duration.ofMillis(200), LEASE);
        String running = payload("Waits", "s1", "[\"running\"]");
        String next = payload("Quick", "s2", "[\"next\"]");
        wasRecovered(running, 2);
        wasRecovered(next, 2);
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        ahead.set(LEASE.toNanos()); // a younger process takes no suspect
        bed.push("default", running);
        await().until(() -> jobs.ran.contains("running"));

        bed.push("default", next);
        for (int i = 1; i <= 3; i++) {
            bed.push("default", payload("Quick", "j" + i, "[\"" + i + "\"]"));
            int settled = i;
            await().until(() -> bed.processed() == settled);
        }

        assertThat(jobs.ran).doesNotContain("next");
        jobs.release.countDown();
        bed.awaitEnds(5);
    }

    @Test
    void anInFlightHashWithoutAnOwnerIsFoundAtStart() {
        redis.texts().hincrby("jobs:ledger", "claimed", 1);
        redis.texts().hset("jobs:in:nobody:1:abc", "0:1:1:default", payload("Quick", "j1", "[\"orphan\"]"));
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("orphan"));
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
        assertThat(redis.texts().exists("jobs:in:nobody:1:abc")).isZero();
    }

    /** As in a rolling deployment that changes the lease. */
    @Test
    void workersWithOtherLeasesWorkBesideEachOther() {
        JobEngine before = bed.start(jobs);
        await().until(() -> before.health().alive());
        try (EngineTestBed other = new EngineTestBed(redis)) {
            other.times(Duration.ofMillis(200), LEASE.multipliedBy(10));
            JobEngine after = other.start(jobs);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> before.health().alive()
                            && after.health().alive()
                            && after.health().processes() == 2);
        }
    }

    @Test
    void noJobStartsWhileTheLeaseMayHaveRunOut() {
        AtomicLong ahead = clockAhead();
        bed.config = bed.config.with(values -> {
            values.shutdownTimeout = Duration.ofMillis(200);
            values.lease = Duration.ofMinutes(10);
        });
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        ahead.set(Duration.ofMinutes(7).toNanos());
        bed.push("default", payload("Quick", "j1", "[\"1\"]"));
        assertThat(engine.health().alive()).isFalse();
        await().during(Duration.ofMillis(500)).until(() -> jobs.ran.isEmpty());
        ahead.set(0);
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("1"));
    }
}
