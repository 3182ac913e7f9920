package dev.jobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.RedisCallback;

/** Requests and actions of the pages of limits, without a worker. */
@ExtendWith(OutputCaptureExtension.class)
class LimitsApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

    private final JobsAdmin admin = dashboard.bean(JobsAdmin.class);

    @BeforeEach
    void empty() {
        dashboard.redis().execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    @Test
    void thereMayBeNone() {
        assertThat(dashboard.get("/api/limits").at("/items")).isEmpty();
        assertThat(dashboard
                        .get("/api/limit?name=none")
                        .at("/limit/concurrency")
                        .isNull())
                .isTrue();
        assertThat(dashboard.get("/api/limit/key?name=none&key=x").at("/waiting"))
                .isEmpty();
    }

    @Test
    void aLimitIsSetAndResetAndTheLogSaysByWhom(CapturedOutput output) {
        Reply set = dashboard.post("/api/limit/set", Map.of("name", "erp", "concurrency", 3));

        assertThat(set.at("/changed").asBoolean()).isTrue();
        assertThat(dashboard.get("/api/limits").at("/items/0/concurrency").asInt())
                .isEqualTo(3);
        assertThat(dashboard.get("/api/limits").at("/items/0/changed").asBoolean())
                .isTrue();

        dashboard.post("/api/limit/reset", Map.of("name", "erp"));

        assertThat(admin.limits().get("erp").concurrency()).isNull();
        assertThat(output).contains("127.0.0.1: set limit erp to 3 [1]").contains("127.0.0.1: reset limit erp [1]");
    }

    @Test
    void refusesWhatCanNotBe() {
        assertThat(dashboard
                        .post("/api/limit/set", Map.of("name", "erp", "concurrency", 0))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard.post("/api/limit/set", Map.of("concurrency", 1)).status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/limit/delete", Map.of("name", "erp", "jid", "nobody"))
                        .at("/changed")
                        .asBoolean())
                .isFalse();
    }
}
