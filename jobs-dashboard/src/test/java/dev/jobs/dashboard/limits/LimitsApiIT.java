package dev.jobs.dashboard.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.List;
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
    void aRateIsSetBesideTheConcurrency(CapturedOutput output) {
        dashboard.post("/api/limit/set", Map.of("name", "erp", "concurrency", 3));

        Reply set = dashboard.post("/api/limit/rate", Map.of("name", "erp", "rate", 10, "per", 1_500, "burst", 2));

        assertThat(set.at("/changed").asBoolean()).isTrue();
        Reply limit = dashboard.get("/api/limit?name=erp");
        assertThat(limit.at("/limit/concurrency").asInt()).isEqualTo(3);
        assertThat(limit.at("/limit/rate/jobs").asInt()).isEqualTo(10);
        assertThat(limit.at("/limit/rate/per").asInt()).isEqualTo(1_500);
        assertThat(limit.at("/limit/rate/burst").asInt()).isEqualTo(2);
        assertThat(output).contains("127.0.0.1: set limit erp to 10 per 1.5s, burst 2 [1]");
        for (Map<String, Object> wrong : List.<Map<String, Object>>of(
                Map.of("name", "erp", "rate", 0, "per", 1_000),
                Map.of("name", "erp", "rate", 1),
                Map.of("name", "erp", "per", 1_000),
                Map.of("name", "queue:mail", "rate", 1, "per", 1_000))) {
            assertThat(dashboard.post("/api/limit/rate", wrong).status()).isEqualTo(400);
        }
    }

    @Test
    void refusesWhatCanNotBe() {
        assertThat(dashboard
                        .post("/api/limit/set", Map.of("name", "erp", "concurrency", 0))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard.post("/api/limit/set", Map.of("concurrency", 1)).status())
                .isEqualTo(400);
        assertThat(dashboard.get("/api/job?place=parked&key=x").status()).isEqualTo(400);
        assertThat(dashboard
                        .post("/api/jobs/delete", Map.of("place", "parked", "keys", List.of("x")))
                        .status())
                .isEqualTo(400);
    }

    /** A job that is parked at the limit erp, as the workers store it. */
    private void park(String key, String jid, String args) {
        dashboard.redis().opsForHash().put("jobs:limits", "d:erp", "1");
        dashboard
                .redis()
                .opsForZSet()
                .add(
                        "jobs:parked:erp",
                        key + "\n0001700000000000\nmail\n1\n{\"class\":\"Mail\",\"jid\":\"" + jid
                                + "\",\"queue\":\"mail\",\"args\":[" + args + "]}",
                        0);
    }

    @Test
    void aParkedJobHasAPageThatSaysWhyItWaits() {
        park("a b", "one", "1");
        park("a b", "two", "2");
        Reply key = dashboard.get("/api/limit/key?name=erp&key=a%20b");
        assertThat(key.at("/waiting/1/place").asString()).isEqualTo("parked");
        String address = key.at("/waiting/1/key").asString();

        Reply job = dashboard.get("/api/job?place=parked&limit=erp&of=a%20b&key=" + address);

        assertThat(job.at("/sought").asString()).isEqualTo("found");
        assertThat(job.at("/job/jid").asString()).isEqualTo("two");
        assertThat(job.at("/job/place").asString()).isEqualTo("parked");
        assertThat(job.at("/position").isNull()).isTrue();
        assertThat(job.at("/actions/0").asString()).isEqualTo("delete");
        assertThat(job.at("/waiting").valueStream().map(each -> each.get("code").asString()))
                .containsExactly("unserved", "limit-free", "behind");
        Reply found = dashboard.get("/api/find?jid=two");
        assertThat(found.at("/found/0/limit").asString()).isEqualTo("erp");
        assertThat(found.at("/found/0/of").asString()).isEqualTo("a b");
        assertThat(found.at("/found/0/key").asString()).isEqualTo(address);
        Reply gone = dashboard.get("/api/job?place=parked&limit=erp&key=" + address + "&jid=two");
        assertThat(gone.at("/sought").asString()).isEqualTo("gone");
        assertThat(gone.at("/elsewhere/0/place").asString()).isEqualTo("parked");
    }

    @Test
    void aParkedJobIsDeletedIntoTheTrash(CapturedOutput output) {
        park("", "one", "1");
        park("", "two", "2");
        String address =
                dashboard.get("/api/limit/key?name=erp").at("/waiting/0/key").asString();

        Reply deleted = dashboard.post(
                "/api/jobs/delete", Map.of("place", "parked", "limit", "erp", "keys", List.of(address, "gone")));

        assertThat(deleted.at("/done").asInt()).isEqualTo(1);
        assertThat(deleted.at("/gone").asInt()).isEqualTo(1);
        assertThat(deleted.at("/restorable").asInt()).isEqualTo(1);
        assertThat(output).contains("127.0.0.1: delete at limit erp [1]");
        assertThat(dashboard.get("/api/overview").at("/live/parked").asInt()).isEqualTo(1);
        assertThat(dashboard.get("/api/trash").at("/items/0/job/jid").asString())
                .isEqualTo("one");

        dashboard.post("/api/undo", Map.of("batch", deleted.at("/undo").asString()));

        assertThat(dashboard.redis().opsForList().size("queue:mail")).isEqualTo(1);
    }
}
