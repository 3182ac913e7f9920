package dev.jobs.iterations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.store.DeadSetBounds;
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

@Tag("sidekiq-18")
class IterationsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00.5Z");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""),
            new DeadSetBounds(10_000, Duration.ofDays(180)),
            JobHooks.none(),
            Clock.fixed(NOW, ZoneOffset.UTC));

    @Test
    void showsHowFarAJobIs() {
        redis.texts().hset("it-j1", Map.of("ex", "3", "c", "[1,\"é\"]", "rt", "12.75", "cancelled", "1700000000"));

        assertThat(admin.iteration("j1"))
                .hasValue(new IterationInfo(
                        3, "[1,\"é\"]", Duration.ofSeconds(12), Instant.ofEpochSecond(1_700_000_000)));
        assertThat(admin.iteration("j2")).isEmpty();
    }

    @Test
    void showsUnreadableDataAsEmpty() {
        redis.texts().hset("it-j1", Map.of("ex", "many", "rt", "NaN", "cancelled", "today"));
        redis.texts().hset("it-j2", Map.of("ex", "-1", "rt", "1e300", "cancelled", "9223372036854775807"));
        redis.texts().hset("it-j3", "other", "1");

        assertThat(admin.iteration("j1")).hasValue(new IterationInfo(0, "null", Duration.ZERO, Instant.EPOCH));
        assertThat(admin.iteration("j2"))
                .hasValue(new IterationInfo(0, "null", Duration.ofSeconds(Long.MAX_VALUE), Instant.EPOCH));
        assertThat(admin.iteration("j3")).isEmpty();
    }
}
