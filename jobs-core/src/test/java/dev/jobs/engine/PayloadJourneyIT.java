package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.PastAttempt;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What happens to the bytes of a job that was written elsewhere, through failure, retry, promotion and another failure.
 */
class PayloadJourneyIT {

    private static final Instant NOW = Instant.ofEpochMilli(1_795_237_645_739L);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final class Jobs {
        @Job("Mod::Boom")
        void boom(Object a, Object b, Map<String, Object> c, JobContext job) {
            throw new IllegalStateException("attempt " + job.attempt());
        }
    }

    @Test
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.1")
    void membersOrderNumbersAndTextSurvive() {
        String args = "[\"é漢😀\\u001f\\\"\\\\/\",12345678901234567890123456789,"
                + "{\"z\":1.0,\"a\":1,\"f\":10000000.0,\"e\":1E+2,\"deep\":[null,true,[]]}]";
        String head = "{\"x_first\":{\"b\":1.10,\"a\":[]},\"class\":\"Mod::Boom\",\"args\":" + args
                + ",\"retry\":2,\"jid\":\"b12284374a88892fbc659ea4\",\"created_at\":1700000000.5,\"enqueued_at\":1700000000.75,\"bid\":\"a-b_c\",\"n\":1.0";
        try (EngineTestBed bed = new EngineTestBed(redis)) {
            bed.environment = new EngineEnvironment(
                    Clock.fixed(NOW, ZoneOffset.UTC),
                    System::nanoTime,
                    new java.util.Random(7),
                    Thread::new,
                    error -> {});
            bed.push("default", head + "}");
            bed.start(new Jobs());
            await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("retry") == 1);
            String afterFirst = head
                    + ",\"queue\":\"default\",\"error_message\":\"attempt 1\",\"error_class\":\"java.lang.IllegalStateException\""
                    + ",\"failed_at\":1795237645739,\"retry_count\":0";
            assertThat(stored("retry")).isEqualTo(afterFirst + "}");

            makeDue();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> bed.ends.size() == 2 && redis.texts().zcard("retry") == 1);
            // The promotion stamped enqueued_at anew, the second failure edited its fields in place.
            String afterSecond = head.replace("1700000000.75", "1795237645739")
                    + ",\"queue\":\"default\",\"error_message\":\"attempt 2\",\"error_class\":\"java.lang.IllegalStateException\""
                    + ",\"failed_at\":1795237645739,\"retry_count\":1,\"retried_at\":1795237645739";
            assertThat(stored("retry")).isEqualTo(afterSecond + "}");

            makeDue();
            await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("dead") == 1);
            assertThat(stored("dead"))
                    .isEqualTo(afterSecond
                                    .replace("attempt 2", "attempt 3")
                                    .replace("\"retry_count\":1", "\"retry_count\":2")
                            + "}");
            bed.awaitDrained("default");
            assertThat(bed.books().conservationError()).isZero();
        }
    }

    /** A Ruby worker loses a job with an unknown level; it doesn't matter here. */
    @ParameterizedTest
    @ValueSource(strings = {"\"debug\"", "\"WARN\"", "\"shout\"", "0", "99", "null", "[]", "{}"})
    @Tag("sidekiq-27")
    void membersOfFrameworksAndOptionsArePreserved(String level) {
        String head = "{\"class\":\"Mod::Boom\",\"args\":[1,2,{}],\"jid\":\"j1\",\"retry\":true,\"queue\":\"default\""
                + ",\"created_at\":1700000000000,\"enqueued_at\":1700000000.5"
                + ",\"cattr\":{\"user\":{\"_aj_globalid\":\"gid://shop/User/1\"},\"_aj_symbol_keys\":[\"user\"]}"
                + ",\"cattr_1\":{ \"tenant\" : 7.50 },\"locale\":\"de\",\"tags\":[\"a\",\"é\"]"
                + ",\"log_level\":" + level + ",\"profile\":null";
        try (EngineTestBed bed = new EngineTestBed(redis)) {
            bed.clock(Clock.fixed(NOW, ZoneOffset.UTC));
            bed.push("default", head + "}");
            bed.start(new Jobs());
            await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("retry") == 1);
            assertThat(stored("retry"))
                    .isEqualTo(head
                            + ",\"error_message\":\"attempt 1\",\"error_class\":\"java.lang.IllegalStateException\""
                            + ",\"failed_at\":1795237645739,\"retry_count\":0}");
        }
    }

    /** Without its past attempts, which the engine adds. */
    private static String stored(String set) {
        String stored =
                new String(redis.bytes().zrange(set.getBytes(UTF_8), 0, -1).get(0), UTF_8);
        String without = stored.replaceFirst(",\"" + PastAttempt.MEMBER + "\":\\[[^]]*]", "");
        assertThat(without).isNotEqualTo(stored);
        return without;
    }

    private static void makeDue() {
        byte[] member = redis.bytes().zrange("retry".getBytes(UTF_8), 0, -1).get(0);
        redis.bytes().zadd("retry".getBytes(UTF_8), 1, member);
    }
}
