package dev.jobs.metrics;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a worker adds to Sidekiq's metrics. */
@Tag("sidekiq-16")
class MetricsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T05:08:42Z");
    private static final String MINUTE = "j|261121|5:08";

    private final Jobs jobs = new Jobs();
    private RedisFixture redis;
    private EngineTestBed bed;

    static final class Jobs {
        final Semaphore gate = new Semaphore(0);

        @Job(value = "Hello", aliases = "OldHello")
        void hello() {}

        @Job("Boom")
        void boom() {
            throw new IllegalStateException("boom");
        }

        @Job("Typed")
        void typed(int number) {}

        @Job("Interrupts")
        void interrupts(JobContext job) {
            if (!job.payload().has("enqueued_at")) {
                throw new JobInterruptedException("half way");
            }
        }

        @Job("Waits")
        void waits() throws InterruptedException {
            gate.acquire();
        }
    }

    @BeforeEach
    void start() {
        redis = RedisFixture.start();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
        bed.clock(Clock.fixed(NOW, ZoneOffset.UTC));
    }

    @AfterEach
    void close() {
        jobs.gate.release(1_000);
        bed.close();
        redis.close();
    }

    private void push(String name, int times, String... more) {
        for (int i = 0; i < times; i++) {
            bed.push("default", payload(name, "j" + name + i, "[]", more));
        }
    }

    private String count(String field) {
        return redis.texts().hget(MINUTE, field);
    }

    @Test
    void executionsAreCountedWithTheNextBeatOfTheWorker() {
        push("Hello", 3);
        push("Boom", 2);
        push("OldHello", 1);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        "3".equals(count("Hello|p")) && "2".equals(count("Boom|p")) && "1".equals(count("OldHello|p")));

        Map<String, String> minute = redis.texts().hgetall(MINUTE);
        assertThat(minute)
                .containsOnlyKeys("Hello|p", "Hello|ms", "Boom|p", "Boom|f", "OldHello|p", "OldHello|ms")
                .containsEntry("Boom|f", "2")
                .containsEntry("OldHello|p", "1");
        assertThat(redis.texts().hgetall("j|261121|5:0")).isEqualTo(minute);
        assertThat(redis.texts().exists("h|Hello-21-5:8", "h|OldHello-21-5:8")).isEqualTo(2);
        assertThat(redis.texts().exists("h|Boom-21-5:8")).isZero();
    }

    /** How many waits are in each bucket that has some. */
    private Map<Integer, Integer> waits(String field) {
        return Arrays.stream(redis.texts().hget("jobs:times:261121|5:0", field).split(" "))
                .map(each -> each.split(":"))
                .filter(each -> Integer.parseInt(each[0]) >= JobTimings.WAITED)
                .filter(each -> Integer.parseInt(each[0]) < JobTimings.FAILED)
                .collect(Collectors.toMap(
                        each -> Integer.parseInt(each[0]) - JobTimings.WAITED, each -> Integer.parseInt(each[1])));
    }

    /** Waits of no time would make the percentiles better than they are. */
    @Test
    void aTimeThatCantBeIsNoWait() {
        long now = NOW.toEpochMilli();
        Duration century = Duration.ofDays(36_525);
        push("Hello", 1, "\"enqueued_at\":" + (now - 60_000));
        push("Hello", 1, "\"enqueued_at\":" + (now + 30));
        push("Hello", 1, "\"enqueued_at\":" + (now - century.toMillis()));
        push("Boom", 1, "\"enqueued_at\":" + (now + Duration.ofHours(1).toMillis()));
        bed.start(jobs);
        bed.awaitEnds(4);
        bed.stopEngines();

        assertThat(waits("jHello")).isEqualTo(Map.of(DurationBuckets.of(0), 1, DurationBuckets.of(60_000), 1));
        assertThat(waits("jBoom")).isEmpty();
    }

    @Test
    void anInterruptionCountsAsASuccessAndArgumentsThatDoNotFitAsAFailure() {
        push("Interrupts", 1);
        bed.push("default", payload("Typed", "j1", "[\"x\"]"));
        bed.start(jobs);
        bed.awaitEnds(3);
        bed.stopEngines();

        assertThat(redis.texts().hgetall(MINUTE))
                .containsOnlyKeys("Interrupts|p", "Interrupts|ms", "Typed|p", "Typed|f")
                .containsEntry("Interrupts|p", "2")
                .containsEntry("Typed|f", "1");
    }

    @Test
    void entriesThatNeverReachAJobAreNotCounted() {
        bed.push("default", "no json");
        bed.push("default", "[]");
        bed.push("default", "{\"class\":\"Hello\",\"args\":\"x\",\"jid\":\"j1\"}");
        push("Nobody", 1);
        bed.start(jobs);
        bed.awaitEnds(4);
        bed.stopEngines();

        assertThat(redis.texts().keys("j|*")).isEmpty();
        assertThat(redis.texts().keys("h|*")).isEmpty();
    }

    @Test
    void aJobThatIsHandedBackCountsAsFailedWhenItsInterruptionEndsIt() {
        push("Waits", 1);
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().busy() == 1);
        engine.stop();

        assertThat(count("Waits|p")).isEqualTo("1");
        assertThat(count("Waits|f")).isEqualTo("1");
    }

    @Test
    void moreJobsThanTravelTogetherAreSentInSlices() {
        for (int i = 0; i < 250; i++) {
            bed.push("default", payload("Hello", "j" + i, "[]", "\"wrapped\":\"Job" + i + "\""));
        }
        bed.start(jobs);
        bed.awaitEnds(250);
        bed.stopEngines();

        assertThat(redis.texts().hkeys(MINUTE).stream().filter(field -> field.endsWith("|p")))
                .hasSize(250);
        assertThat(redis.texts().keys("h|*")).hasSize(250);
    }

    @Test
    @Tag("sidekiq-17")
    void eachStartMarksTheDeploymentOnceRedisCanBeReached() {
        bed.config = bed.config.with(values -> values.deployLabel = "v1.2.3");
        redis.stop();
        JobEngine engine = bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().redisError() != null);
        redis.startAgain();
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().exists("20261121-marks") == 1);

        Map<String, String> mark = Map.of("2026-11-21T05:08:00Z", "v1.2.3");
        assertThat(redis.texts().hgetall("20261121-marks")).isEqualTo(mark);
        JobEngine second = bed.start(jobs);
        await().until(() -> second.health().alive());
        second.stop(); // or its own attempt could come after the next line
        assertThat(redis.texts().hgetall("20261121-marks")).isEqualTo(mark);
        redis.flush();
        engine.stop();
        assertThat(redis.texts().exists("20261121-marks")).isZero();
        engine.start();
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().exists("20261121-marks") == 1);
        assertThat(redis.texts().keys("deploylock-*")).isEqualTo(List.of("deploylock-v1.2.3"));
    }

    @Test
    @Tag("sidekiq-17")
    void withoutALabelNothingIsMarked() {
        JobEngine engine = bed.start(jobs);
        push("Hello", 1);
        await().atMost(Duration.ofSeconds(20)).until(() -> "1".equals(count("Hello|p")));
        engine.stop();

        assertThat(redis.texts().keys("*marks")).isEmpty();
    }
}
