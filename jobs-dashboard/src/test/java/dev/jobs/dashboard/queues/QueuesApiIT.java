package dev.jobs.dashboard.queues;

import static dev.jobs.dashboard.RunningDashboard.all;
import static dev.jobs.dashboard.RunningDashboard.encoded;
import static dev.jobs.dashboard.jobs.Payloads.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The requests and actions of the pages of queues. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class QueuesApiIT {

    private static final String ODD = "a/b é";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;
    private final StringRedisTemplate redis;

    QueuesApiIT(RunningDashboard dashboard) {
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
    void listsQueues() {
        dashboard.enqueue("default", job("1", "Jobs.sell", "default"));
        dashboard.enqueue(ODD, job("2", "Jobs.sell", ODD), job("3", "Jobs.sell", ODD));

        Reply queues = dashboard.get("/api/queues?sort=size");

        assertThat(all(queues.at("/items"), "name")).containsExactly(ODD, "default");
        assertThat(queues.at("/items/0/size").asInt()).isEqualTo(2);
        assertThat(dashboard
                        .get("/api/queue?name=" + encoded(ODD))
                        .at("/clearUndo")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard.get("/api/queue?name=unknown").status()).isEqualTo(404);
    }

    @Test
    void showsTheLastPageIfTheListHasBecomeShorter() {
        for (String name : List.of("a", "b", "c")) {
            dashboard.enqueue(name, job(name, "Jobs.sell", name));
        }

        for (String sort : List.of("name", "size", "latency")) {
            Reply beyond = dashboard.get("/api/queues?from=50&size=2&sort=" + sort);
            assertThat(beyond.at("/items")).hasSize(1);
            assertThat(beyond.at("/from").asInt()).isEqualTo(2);
        }
    }

    @Test
    void pausesAndResumesAQueue() {
        dashboard.enqueue(ODD, job("2", "Jobs.sell", ODD));

        assertThat(dashboard
                        .post("/api/queue/pause", Map.of("queue", ODD))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard
                        .get("/api/queue?name=" + encoded(ODD))
                        .at("/paused")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard
                        .post("/api/queue/resume", Map.of("queue", ODD))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard
                        .get("/api/queue?name=" + encoded(ODD))
                        .at("/paused")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void clearsAQueueAndPutsItBackAsItWas() {
        for (int i = 0; i < 250; i++) {
            dashboard.enqueue(ODD, job("jid" + i, "Jobs.sell", ODD));
        }
        List<String> before = redis.opsForList().range("queue:" + ODD, 0, -1);

        Reply cleared = dashboard.post("/api/queue/clear", Map.of("queue", ODD, "undoable", true));

        assertThat(cleared.at("/done").asInt()).isEqualTo(250);
        assertThat(cleared.at("/restorable").asInt()).isEqualTo(250);
        assertThat(redis.hasKey("queue:" + ODD)).isFalse();
        assertThat(dashboard.undo(cleared.at("/undo").asString())).isEqualTo(250);
        assertThat(redis.opsForList().range("queue:" + ODD, 0, -1)).isEqualTo(before);
    }

    @Test
    void clearsNothingIfItCanNotKeepWhatItPromised() {
        String[] many = new String[10_001];
        java.util.Arrays.fill(many, "{}");
        dashboard.enqueue("many", many);
        redis.opsForSet().add("queues", "broken", "empty");
        redis.opsForValue().set("queue:broken", "x");

        for (String queue : List.of("many", "broken")) {
            Reply refused = dashboard.post("/api/queue/clear", Map.of("queue", queue, "undoable", true));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.at("/error/code").asString()).isEqualTo("changed");
        }
        assertThat(redis.opsForList().size("queue:many")).isEqualTo(10_001);
        assertThat(redis.opsForValue().get("queue:broken")).isEqualTo("x");

        Reply forGood = dashboard.post("/api/queue/clear", Map.of("queue", "many", "undoable", false));
        assertThat(forGood.at("/done").asInt()).isEqualTo(10_001);
        assertThat(forGood.at("/undo").isNull()).isTrue();
        assertThat(dashboard
                        .post("/api/queue/clear", Map.of("queue", "broken", "undoable", false))
                        .status())
                .isEqualTo(200);
        assertThat(dashboard
                        .post("/api/queue/clear", Map.of("queue", "empty", "undoable", true))
                        .status())
                .isEqualTo(200);
        assertThat(redis.opsForSet().members("queues")).isEmpty();
        assertThat(redis.hasKey("queue:broken")).isFalse();
    }
}
