package dev.jobs.dashboard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.dashboard.MutableProxy;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Jobs that are edited and retried while Redis refuses the new one, or doesn't say whether it has stored it. */
class UnansweredIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final MutableProxy proxy = new MutableProxy(server.port(), "jobs-client");

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            Shop.class,
            "jobs.dashboard.access=local",
            "jobs.worker.enabled=false",
            "spring.data.redis.url=redis://localhost:" + proxy.port(),
            "spring.data.redis.timeout=1s");

    private final StringRedisTemplate redis = dashboard.redis();

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Shop {

        /** Each breaks Redis in the moment before a job is sent there. */
        @Bean
        EnqueueMiddleware breaking(StringRedisTemplate redis) {
            return (payload, next) -> {
                String arguments = String.valueOf(payload.args());
                if (arguments.contains("unanswered")) {
                    proxy.mute(true);
                } else if (arguments.contains("full")) {
                    memory(redis, "1");
                }
                return next.proceed(payload);
            };
        }
    }

    private static void memory(StringRedisTemplate redis, String most) {
        redis.execute(
                connection -> {
                    connection.serverCommands().setConfig("maxmemory", most);
                    return null;
                },
                true);
    }

    @BeforeEach
    void aFailedJob() {
        redis.delete(List.of("queue:low", "retry", "jobs:trash", "jobs:trash:bytes"));
        redis.opsForZSet().add("retry", Payloads.failed("r1", "Charge", "E"), 4e9);
    }

    @AfterEach
    void mend() {
        proxy.mute(false);
        memory(redis, "0");
    }

    private static Reply again(String argument) {
        String key = dashboard.get("/api/jobs?place=retries").at("/items/0/key").asString();
        return dashboard.post(
                "/api/jobs/again",
                Map.of("place", "retries", "key", key, "arguments", List.of(argument), "instead", true));
    }

    private List<String> queued() {
        List<String> jobs = redis.opsForList().range("queue:low", 0, -1);
        return jobs == null ? List.of() : jobs;
    }

    private List<String> retries() {
        return List.copyOf(redis.opsForZSet().range("retry", 0, -1));
    }

    @Test
    void theJobBeforeStaysInTheTrashWhileTheNewOneMayBeStored() {
        List<String> before = retries();

        Reply reply = again("\"unanswered\"");

        await().atMost(Duration.ofSeconds(30)).until(() -> queued().size() == 1);
        assertThat(retries()).isEmpty();
        assertThat(dashboard.get("/api/trash").at("/items")).hasSize(1);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.at("/doubt").asString()).contains("may have been stored all the same");
        String jid = reply.at("/jid").asString();
        assertThat(queued()).singleElement().asString().contains("\"jid\":\"" + jid + "\"");

        Map<String, String> undo = Map.of(
                "jid",
                jid,
                "place",
                "queue",
                "queue",
                "low",
                "undo",
                reply.at("/undo").asString());
        assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                .isEqualTo(1);
        assertThat(queued()).isEmpty();
        assertThat(retries()).isEqualTo(before);
    }

    @Test
    void theJobBeforeStaysInTheTrashIfTheNewOneIsNotFoundAnyMore() {
        Reply reply = again("\"unanswered\"");
        await().atMost(Duration.ofSeconds(30)).until(() -> queued().size() == 1);
        redis.delete("queue:low"); // as if a worker had it

        Map<String, String> undo = Map.of(
                "jid",
                reply.at("/jid").asString(),
                "place",
                "queue",
                "queue",
                "low",
                "undo",
                reply.at("/undo").asString());
        assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                .isZero();
        assertThat(retries()).isEmpty();
        assertThat(dashboard.get("/api/trash").at("/items")).hasSize(1);
    }

    @Test
    void theJobBeforeComesBackIfRedisRefusesTheNewOne() {
        List<String> before = retries();

        Reply reply = again("\"full\"");

        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.at("/error/code").asString()).isEqualTo("redis-full");
        assertThat(queued()).isEmpty();
        assertThat(retries()).isEqualTo(before);
    }
}
