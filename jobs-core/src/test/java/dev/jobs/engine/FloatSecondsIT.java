package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every time that a worker writes into a payload, as Sidekiq 6 and 7 read it. */
@Tag("sidekiq-5")
@Tag("sidekiq-30")
class FloatSecondsIT {

    private static final Instant NOW = Instant.ofEpochMilli(1_795_237_645_739L);
    private static final String SECONDS = "1795237645.739";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    static final class Jobs {
        final AtomicReference<Payload> ran = new AtomicReference<>();

        @Job("Boom")
        void boom() {
            throw new IllegalStateException("boom");
        }

        @Job("Again")
        void again(JobContext job) {
            if (job.payload().get("enqueued_at") == null) {
                throw new JobInterruptedException("half way");
            }
            ran.set(job.payload());
        }
    }

    @BeforeEach
    void empty() {
        bed.clock(Clock.fixed(NOW, ZoneOffset.UTC));
        bed.config = bed.config.with(values -> values.times = PayloadTimes.FLOAT_SECONDS);
    }

    private void run(String payload) {
        bed.push("default", payload);
        bed.start(jobs);
        bed.awaitDrained("default");
        bed.stopEngines(); // by then all hooks have been called
    }

    private static String text(Payload payload, String member) {
        return new String(payload.raw(member), UTF_8);
    }

    @Test
    void aFirstFailure() {
        run(payload("Boom", "j1", "[]", "\"retry\":true"));
        assertThat(text(bed.only("retry"), "failed_at")).isEqualTo(SECONDS);
        assertThat(text(bed.only("retry"), "enqueued_at")).as("filled in").isEqualTo(SECONDS);
        assertThat(text(bed.only("retry"), "created_at")).as("filled in").isEqualTo(SECONDS);
    }

    @Test
    void aLaterFailure() {
        run(payload("Boom", "j1", "[]", "\"retry\":true", "\"retry_count\":0", "\"failed_at\":1795237000.5"));
        assertThat(text(bed.only("retry"), "failed_at")).isEqualTo("1795237000.5");
        assertThat(text(bed.only("retry"), "retried_at")).isEqualTo(SECONDS);
    }

    @Test
    void aLaterFailureThatLostTheTimeOfTheFirst() {
        run(payload("Boom", "j1", "[]", "\"retry\":true", "\"retry_count\":0"));
        assertThat(text(bed.only("retry"), "failed_at")).isEqualTo(SECONDS);
    }

    @Test
    void aDiscardedJob() {
        run(payload("Boom", "j1", "[]", "\"retry\":false"));
        assertThat(bed.deaths).singleElement().satisfies(death -> assertThat(text(death.payload(), "discarded_at"))
                .isEqualTo(SECONDS));
    }

    @Test
    void aJobThatCanNotRun() {
        run("{\"class\":\"Boom\",\"args\":\"x\",\"jid\":\"j1\"}");
        assertThat(text(bed.only("dead"), "failed_at")).isEqualTo(SECONDS);
    }

    @Test
    void aJobThatStoppedItself() {
        run(payload("Again", "j1", "[]", "\"retry\":true"));
        await().until(() -> jobs.ran.get() != null);
        assertThat(text(jobs.ran.get(), "enqueued_at")).isEqualTo(SECONDS);
    }

    @Test
    void aJobThatBecameDue() {
        redis.texts().zadd("schedule", 1, payload("Again", "j1", "[]", "\"queue\":\"default\""));
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.ran.get() != null);
        assertThat(text(jobs.ran.get(), "enqueued_at")).isEqualTo(SECONDS);
    }

    @Test
    void aDueEntryThatIsNoJob() {
        redis.texts().zadd("schedule", 1, "{\"class\":\"Boom\",\"args\":\"x\",\"jid\":\"j1\"}");
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("dead") == 1);
        assertThat(text(bed.only("dead"), "failed_at")).isEqualTo(SECONDS);
    }

    @Test
    void aJobThatOutlivedItsWorkerTooOftenAndIsDropped() {
        String stored = payload("Again", "j1", "[]", "\"dead\":false");
        redis.texts().zadd("jobs:beats", -1, "dead:1:abc");
        redis.texts().hset("jobs:in:dead:1:abc", "0:1:1:default", stored);
        redis.texts().eval("""
                        local payload = redis.sha1hex(ARGV[1])
                        redis.call('HSET', 'jobs:recovered', payload, 2)
                        redis.call('ZADD', 'jobs:recovered:times', redis.call('TIME')[1], payload)""", ScriptOutputType.STATUS, new String[0], stored);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(30)).until(() -> !bed.deaths.isEmpty());
        assertThat(text(bed.deaths.get(0).payload(), "discarded_at")).isEqualTo(SECONDS);
    }
}
