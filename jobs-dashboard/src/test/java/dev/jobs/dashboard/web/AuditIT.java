package dev.jobs.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Each action is logged with the number of affected jobs, even when Redis fails in the middle. */
@ExtendWith(OutputCaptureExtension.class)
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class AuditIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    AuditIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.forAnswers()
                .map(kind -> RunningDashboard.start(
                        kind,
                        server,
                        "/jobs",
                        SabotagedShop.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local"));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class SabotagedShop {

        /** Breaks the retry set when a certain job passes. */
        @Bean
        EnqueueMiddleware saboteur(StringRedisTemplate redis) {
            return (payload, next) -> {
                if ("saboteur".equals(payload.jid())) {
                    redis.opsForValue().set("retry", "no set");
                }
                return next.proceed(payload);
            };
        }
    }

    @BeforeEach
    void empty() {
        dashboard.redis().execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    private void retry(int jobs, int saboteur) {
        for (int i = 0; i < jobs; i++) {
            dashboard
                    .redis()
                    .opsForZSet()
                    .add("retry", Payloads.failed(i == saboteur ? "saboteur" : "j" + i, "Jobs.sell", "E"), 3e9 + i);
        }
    }

    @Test
    void logsHowManyWereDoneBeforeRedisFailed(CapturedOutput output) {
        retry(250, 150);

        Reply step = dashboard.post("/api/jobs/run", Map.of("place", "retries", "matching", Map.of()));

        assertThat(step.status()).isEqualTo(200);
        assertThat(step.at("/done").asInt()).isEqualTo(100);
        assertThat(step.at("/cursor").isNull()).isFalse();
        assertThat(output).contains("127.0.0.1: run in retries (all) [100]");
        assertThat(dashboard.redis().opsForList().size("queue:low")).isEqualTo(100);
        Reply next = dashboard.post(
                "/api/jobs/run",
                Map.of(
                        "place",
                        "retries",
                        "matching",
                        Map.of(),
                        "cursor",
                        step.at("/cursor").asString()));
        assertThat(next.at("/error/code").asString()).isEqualTo("redis-type");
        assertThat(output).contains("127.0.0.1: run in retries (all) [0]");
    }

    @Test
    void writesDownWhatCouldNotBeDone(CapturedOutput output) {
        dashboard.redis().opsForSet().add("processes", "web:1:a");
        dashboard.redis().opsForHash().put("web:1:a", "info", "{\"embedded\":true}");

        dashboard.redis().opsForValue().set("paused", "no set");
        dashboard.redis().opsForValue().set("jobs:limits", "no hash");

        dashboard.post("/api/queue/pause", Map.of("queue", "mail"));
        dashboard.post("/api/limit/set", Map.of("name", "erp", "concurrency", 3));
        dashboard.post("/api/process/stop", Map.of("identity", "web:1:a"));
        dashboard.post("/api/undo", Map.of("batch", "no-such-batch"));

        assertThat(output)
                .contains("127.0.0.1: pause queue mail [0]")
                .contains("127.0.0.1: set limit erp to 3 [0]")
                .contains("127.0.0.1: stop process web:1:a [0]")
                .contains("127.0.0.1: undo a deletion [0]");
    }
}
