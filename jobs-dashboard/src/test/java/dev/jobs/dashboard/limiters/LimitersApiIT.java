package dev.jobs.dashboard.limiters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.Limiters.Kind;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.RedisCallback;

/** Requests and actions on limiters, without a worker. */
@ExtendWith(OutputCaptureExtension.class)
class LimitersApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

    private final JobsAdmin admin = dashboard.bean(JobsAdmin.class);
    private final Limiters limiters = dashboard.bean(Limiters.class);

    @BeforeEach
    void empty() {
        dashboard.redis().execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    @Test
    void thereMayBeNone() {
        assertThat(dashboard.get("/api/limiters").at("/items")).isEmpty();
        assertThat(dashboard.get("/api/limiters?name=erp").at("/items")).isEmpty();
    }

    @Test
    void limitersAreListedByNameWithWhatIsUsed() {
        limiters.bucket("mail", 5, Duration.ofDays(1)).run(() -> {});
        limiters.window("erp", 2, Duration.ofHours(1)).run(() -> {});
        limiters.window("erp", 2, Duration.ofHours(1)).run(() -> {});

        Reply list = dashboard.get("/api/limiters");

        assertThat(list.at("/items")).hasSize(2);
        assertThat(list.at("/partial").asBoolean()).isFalse();
        assertThat(list.at("/items/0/name").asString()).isEqualTo("erp");
        assertThat(list.at("/items/0/kind").asString()).isEqualTo("window");
        assertThat(list.at("/items/0/used").asInt()).isEqualTo(2);
        assertThat(list.at("/items/0/size").asInt()).isEqualTo(2);
        assertThat(list.at("/items/0/freeIn").asLong()).isBetween(1L, 3_600_000L);
        assertThat(list.at("/items/1/used").asInt()).isEqualTo(1);
        assertThat(list.at("/items/1/freeIn").asLong()).isZero();
    }

    @Test
    void aNameFindsLimitersOfAllKinds() {
        limiters.bucket("mail", 5, Duration.ofDays(1)).run(() -> {});
        limiters.window("erp", 2, Duration.ofHours(1)).run(() -> {});
        limiters.leaky("erp", 9, Duration.ofHours(1)).run(() -> {});

        Reply list = dashboard.get("/api/limiters?name=erp");

        assertThat(list.at("/items")).hasSize(2);
        assertThat(list.at("/items/0/kind").asString()).isEqualTo("window");
        assertThat(list.at("/items/1/kind").asString()).isEqualTo("leaky");
    }

    @Test
    void aLimiterIsResizedAndResetAndTheLogSaysByWhom(CapturedOutput output) {
        limiters.window("erp", 2, Duration.ofHours(1)).run(() -> {});

        dashboard.post("/api/limiter/resize", Map.of("kind", "window", "name", "erp", "size", 7));

        assertThat(admin.limiters().find(Kind.WINDOW, "erp").orElseThrow().size())
                .isEqualTo(7);

        dashboard.post("/api/limiter/reset", Map.of("kind", "window", "name", "erp"));

        assertThat(admin.limiters().find(Kind.WINDOW, "erp").orElseThrow().resized())
                .isFalse();
        assertThat(output)
                .contains("127.0.0.1: resize limiter erp (window) to 7 [1]")
                .contains("127.0.0.1: reset limiter erp (window) [1]");
    }

    @Test
    void refusesWhatCanNotBe() {
        assertThat(dashboard
                        .post("/api/limiter/resize", Map.of("kind", "window", "name", "erp", "size", 10_001))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/limiter/resize", Map.of("kind", "sieve", "name", "erp", "size", 1))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard.post("/api/limiter/reset", Map.of("name", "erp")).status())
                .isEqualTo(400);
    }
}
