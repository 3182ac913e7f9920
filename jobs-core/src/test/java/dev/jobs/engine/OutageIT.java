package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.leases.Lease;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Outage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While Redis is away, the engine waits, logs it once, and continues when it is back. */
class OutageIT {

    @RegisterExtension
    private final LogLines lines = LogLines.of(Outage.class);

    private final Jobs jobs = new Jobs();
    private RedisFixture redis;
    private EngineTestBed bed;

    @BeforeEach
    void start() {
        redis = RedisFixture.start();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        bed.close();
        redis.close();
    }

    static final class Jobs {
        final Set<String> ran = ConcurrentHashMap.newKeySet();
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @Job("Waits")
        void waits() throws InterruptedException {
            started.countDown();
            release.await();
        }

        @Job("Quick")
        void quick(String id) {
            ran.add(id);
        }

        @Job("Dies")
        void dies() throws InterruptedException {
            started.countDown();
            release.await();
            throw new IllegalStateException("enough");
        }
    }

    private List<String> said() {
        return lines.messages();
    }

    private void job(String id) {
        bed.push("default", payload("Quick", "j" + id, "[\"" + id + "\"]"));
    }

    @Test
    void anEngineStartsWhileRedisIsDownAndWorksWhenItIsThere() {
        redis.stop();
        JobEngine engine = bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() != null);
        assertThat(engine.health().alive()).isFalse();
        redis.startAgain();
        job("1");
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("1"));
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() == null);
    }

    @Test
    void anIdentityWhoseRegistrationMayStillBeOnItsWayIsNotUsed() {
        redis.stop();
        JobEngine engine = bed.start(jobs);
        String first = engine.health().identity();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !engine.health().identity().equals(first));
        redis.startAgain();
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().alive());
        assertThat(redis.texts().zrange("jobs:beats", 0, -1))
                .containsExactly(engine.health().identity());
    }

    @Test
    @LongTest
    @Tag("sidekiq-9")
    void anOutageIsOneLineAndItsEndAnother() {
        JobEngine engine = bed.start(jobs);
        job("1");
        await().until(() -> jobs.ran.contains("1"));
        String identity = engine.health().identity();
        redis.stop();
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() != null);
        await().during(Duration.ofSeconds(2)).until(() -> said().size() == 1);
        redis.startAgain();
        job("2");
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.contains("2"));
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() == null);
        await("the line about its end").until(() -> said().size() == 2);
        assertThat(said().get(0)).contains("Redis");
        assertThat(said().get(1)).contains("answers again");
        // The new server doesn't know the process, so it must have taken a new identity by itself.
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !engine.health().identity().equals(identity));
    }

    @Test
    @LongTest
    void theLogSaysThatRedisLostItsData() {
        LogLines leases = LogLines.of(Lease.class).open();
        try (leases) {
            JobEngine engine = bed.start(jobs);
            await().until(() -> engine.health().alive());
            String identity = engine.health().identity();
            redis.flush();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> engine.health().alive()
                            && !engine.health().identity().equals(identity));
            await().untilAsserted(() -> assertThat(leases.messages())
                    .filteredOn(line -> line.contains(identity + " "))
                    .singleElement()
                    .asString()
                    .startsWith("Redis lost its data"));
        }
    }

    @Test
    void stoppingWhileRedisIsDownEndsWithoutAnException() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());
        redis.stop();
        engine.stop();
        assertThat(engine.health().state()).isEqualTo(EngineHealth.State.STOPPED);
        redis.startAgain();
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(strings = {"Waits", "Dies"})
    void aStopWhileRedisIsDownDoesNotWaitForJobsThatHaveEnded(String name) throws Exception {
        bed.times(Duration.ofMinutes(5), Duration.ofSeconds(20));
        bed.push("default", payload(name, "j1", "[]", "\"retry\":false"));
        JobEngine engine = bed.start(jobs);
        assertThat(jobs.started.await(20, TimeUnit.SECONDS)).isTrue();
        redis.stop();
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() != null);
        LogLines told = LogLines.of(Capsules.class).open();
        Thread stopping = new Thread(engine::stop);
        stopping.start();
        try (told) {
            await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().state() == EngineHealth.State.STOPPING);
            jobs.release.countDown();
            bed.awaitEnds(1);
            stopping.join(60_000); // a fifth of what running jobs would get
            assertThat(stopping.isAlive()).isFalse();
            assertThat(told.messages())
                    .noneMatch(line -> line.contains("still run"))
                    .anyMatch(line -> line.contains("1 finished"));
        } finally {
            redis.startAgain();
            stopping.join();
        }
    }

    @Test
    void killedConnectionsLoseNothing() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            job(Integer.toString(i));
        }
        bed.start(jobs);
        int kills = 0;
        while (jobs.ran.size() < 2_000 && kills < 5_000) {
            kills++;
            for (String line : redis.texts().clientList().split("\n")) {
                if (line.contains("name=jobs-work")) {
                    redis.texts().clientKill(line.replaceAll(".*\\baddr=(\\S+).*", "$1"));
                }
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> jobs.ran.size() == 2_000);
        bed.awaitDrained("default");
        assertThat(bed.processed())
                .as("a repeated exchange settles nothing twice")
                .isEqualTo(2_000);
        assertThat(bed.books().conservationError()).isZero();
    }
}
