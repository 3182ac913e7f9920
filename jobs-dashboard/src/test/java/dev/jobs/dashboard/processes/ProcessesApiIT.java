package dev.jobs.dashboard.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What is done with processes of others, without a worker here. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class ProcessesApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;
    private final StringRedisTemplate redis;

    ProcessesApiIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
        this.redis = dashboard.redis();
    }

    static Stream<RunningDashboard> dashboards() {
        return RunningDashboard.forAnswers(server);
    }

    @BeforeEach
    void empty() {
        dashboard.empty();
    }

    @Test
    void signalsAllProcessesAtOnce() {
        for (int i = 0; i < 30; i++) {
            String process = "vm:" + (100 + i) + ":a";
            redis.opsForHash().put(process, "info", "{\"embedded\":" + (i == 0) + ",\"queues\":[\"q" + i + "\"]}");
            redis.opsForHash().put(process, "quiet", String.valueOf(i == 1));
            redis.opsForHash().put(process, "busy", "2");
            redis.opsForSet().add("processes", process);
        }
        Reply busy = dashboard.get("/api/busy?processes=25");

        assertThat(busy.at("/processes/items")).hasSize(5);
        assertThat(busy.at("/processes/total").asInt()).isEqualTo(30);
        assertThat(busy.at("/controllable").toString())
                .isEqualTo("{\"processes\":29,\"awake\":28,\"busy\":58,\"awakeBusy\":56}");
        assertThat(dashboard
                        .get("/api/busy?text=Q17")
                        .at("/processes/items/0/identity")
                        .asString())
                .isEqualTo("vm:117:a");
        assertThat(dashboard.post("/api/processes/quiet", Map.of()).at("/told").asInt())
                .isEqualTo(28);
        assertThat(dashboard.post("/api/processes/stop", Map.of()).at("/told").asInt())
                .isEqualTo(29);
        assertThat(redis.opsForList().range("vm:100:a-signals", 0, -1)).isEmpty();
        assertThat(redis.opsForList().range("vm:101:a-signals", 0, -1)).containsExactly("TERM");
        assertThat(redis.opsForList().range("vm:102:a-signals", 0, -1)).containsExactlyInAnyOrder("TSTP", "TERM");
    }

    @Test
    void asksForNoStackOfAThreadThatRunsNothing() {
        redis.opsForHash().put("vm:1:a", "info", "{\"version\":\"jobs-1\"}");
        redis.opsForSet().add("processes", "vm:1:a");
        redis.opsForHash().put("vm:1:a:work", "t1", "{}");

        for (int i = 0; i < 20; i++) {
            assertThat(dashboard
                            .post("/api/stack", Map.of("process", "vm:1:a", "thread", "made" + i))
                            .at("/state")
                            .asString())
                    .isEqualTo("gone");
        }
        assertThat(dashboard
                        .post("/api/stack", Map.of("process", "vm:1:a", "thread", "t1"))
                        .at("/state")
                        .asString())
                .isEqualTo("waiting");
        assertThat(redis.opsForList().range("vm:1:a-signals", 0, -1)).containsExactly("STACK t1");
    }

    @Test
    void hasACodeForWhatCanNotBeDone() {
        redis.opsForHash().put("web:1:a", "info", "{\"embedded\":true}");
        redis.opsForSet().add("processes", "web:1:a");

        Reply embedded = dashboard.post("/api/process/quiet", Map.of("identity", "web:1:a"));

        assertThat(embedded.status()).isEqualTo(409);
        assertThat(embedded.at("/error/code").asString()).isEqualTo("embedded");
    }
}
