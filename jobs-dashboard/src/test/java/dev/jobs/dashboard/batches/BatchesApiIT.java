package dev.jobs.dashboard.batches;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.batches.Batches;
import dev.jobs.batches.OpenBatch;
import dev.jobs.dashboard.EndedJobs;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.redis.RedisConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;

/** Requests and actions of the pages about batches, without a worker. */
@ExtendWith(OutputCaptureExtension.class)
class BatchesApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

    @AutoClose
    static final EndedJobs ended = new EndedJobs(dashboard.bean(RedisConnections.class));

    private final StringRedisTemplate redis = dashboard.redis();
    private final Batches batches = dashboard.bean(Batches.class);

    @BeforeEach
    void empty() {
        redis.execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    private String create(String name, int jobs) {
        return batches.create(name, batch -> batch.describe("Campaign 11.11")
                .tags("seller:17", name)
                .createdBy("ann")
                .addAll(IntStream.range(0, jobs).mapToObj(i -> JobCall.named("Jobs.sell", "b" + i)))
                .onFinish(JobCall.named("Jobs.charge", "Kim", "4111")));
    }

    private static void end(String id, String outcome, String message, long... indexes) {
        ended.end(id, outcome, index -> message, LongStream.of(indexes));
    }

    private static List<String> names(Reply list) {
        List<String> names = new ArrayList<>();
        list.at("/items").forEach(each -> names.add(each.path("name").asString()));
        return names;
    }

    @Test
    void listsBatchesByStateNameAndTag() {
        String enroll = create("Enroll", 3);
        String mail = create("Mail", 1);
        end(mail, "done", "", 0);
        ended.look(mail);
        end(enroll, "failed", "no", 0);

        JsonNode first = dashboard.get("/api/batches?text=enr").at("/items/0");

        assertThat(first.path("id").asString()).isEqualTo(enroll);
        assertThat(first.path("state").asString()).isEqualTo("running");
        assertThat(first.path("counts").path("failed").asInt()).isEqualTo(1);
        assertThat(first.path("counts").path("waiting").asInt()).isEqualTo(2);
        assertThat(first.path("remaining").isNull()).isFalse();
        assertThat(names(dashboard.get("/api/batches"))).containsExactlyInAnyOrder("Enroll", "Mail");
        assertThat(names(dashboard.get("/api/batches?state=unfinished"))).containsExactly("Enroll");
        assertThat(names(dashboard.get("/api/batches?state=running"))).containsExactly("Enroll");
        assertThat(names(dashboard.get("/api/batches?state=succeeded"))).containsExactly("Mail");
        assertThat(names(dashboard.get("/api/batches?state=failing"))).containsExactly("Enroll");
        assertThat(names(dashboard.get("/api/batches?tag=Mail"))).containsExactly("Mail");
        assertThat(names(dashboard.get("/api/batches?tag=seller"))).isEmpty();
        assertThat(names(dashboard.get("/api/batches?text=" + mail))).containsExactly("Mail");
        Reply page = dashboard.get("/api/batches?size=1");
        assertThat(page.at("/total").asInt()).isEqualTo(2);
        assertThat(page.at("/next").asInt()).isEqualTo(1);
        assertThat(dashboard.get("/api/batches?state=odd").status()).isEqualTo(400);
    }

    @Test
    void showsABatchWithItsCallbacksAndRelatives() {
        String id = batches.create("Import", batch -> batch.keepResults()
                .add(JobCall.named("Jobs.sell", "b"))
                .onFinish(JobCall.named("Jobs.charge", "Kim", "4111"))
                .child("Pictures", child -> child.add(JobCall.named("Jobs.sell", "c")))
                .then("Mails", next -> next.add(JobCall.named("Jobs.sell", "d"))));

        Reply one = dashboard.get("/api/batch?id=" + id);

        assertThat(one.status()).as(one.text()).isEqualTo(200);
        assertThat(one.at("/batch/name").asString()).isEqualTo("Import");
        assertThat(one.at("/keepsResults").asBoolean()).isTrue();
        assertThat(one.at("/callbacks/0/event").asString()).isEqualTo("finished");
        assertThat(one.at("/callbacks/0/state").isNull()).isTrue();
        assertThat(one.at("/callbacks/0/job/name").asString()).isEqualTo("Jobs.charge");
        assertThat(one.at("/callbacks/0/job/args").asString()).contains("Kim", "•••");
        assertThat(one.text()).doesNotContain("4111");
        assertThat(one.at("/family/children/0/name").asString()).isEqualTo("Pictures");
        assertThat(one.at("/family/after/0/name").asString()).isEqualTo("Mails");
        assertThat(one.at("/actions").toString()).isEqualTo("[\"audit\",\"cancel\"]");
        assertThat(dashboard.get("/api/batch?id=0123456789abcdef").status()).isEqualTo(404);
        assertThat(dashboard.get("/api/batch?id=nothing").status()).isEqualTo(404);
        assertThat(dashboard.get("/api/batch").status()).isEqualTo(400);
    }

    @Test
    void showsTheStatesOfItsJobs() {
        String id = create("Enroll", 5);
        end(id, "done", "", 0, 1);
        end(id, "failed", "no", 3);

        Reply field = dashboard.get("/api/batch/field?id=" + id);

        assertThat(field.at("/cells").asString()).isEqualTo("ssqfq");
        assertThat(field.at("/counts/succeeded").asInt()).isEqualTo(2);
        assertThat(field.at("/counts/working-again").asInt()).isZero();
        assertThat(dashboard
                        .get("/api/batch/field?from=3&most=1&id=" + id)
                        .at("/cells")
                        .asString())
                .isEqualTo("f");
        assertThat(dashboard.get("/api/batch/field?most=99999999&id=" + id).status())
                .isEqualTo(400);
    }

    @Test
    void listsItsJobsByState() {
        String id = create("Enroll", 30);
        end(id, "failed", "The book is not sold here", 3, 28);

        Reply failed = dashboard.get("/api/batch/jobs?state=failed&size=1&id=" + id);

        assertThat(failed.at("/items/0/index").asInt()).isEqualTo(3);
        assertThat(failed.at("/items/0/state").asString()).isEqualTo("failed");
        assertThat(failed.at("/items/0/messages/0").asString()).isEqualTo("The book is not sold here");
        Reply next = dashboard.get("/api/batch/jobs?state=failed&size=1&id=" + id + "&from="
                + failed.at("/next").asInt());
        assertThat(next.at("/items/0/index").asInt()).isEqualTo(28);
        assertThat(dashboard.get("/api/batch/jobs?id=" + id).at("/items")).hasSize(25);
        assertThat(dashboard
                        .get("/api/batch/jobs?from=29&id=" + id)
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo(id + "0000001d");
    }

    @Test
    void groupsFailingJobs() {
        String id = create("Enroll", 10);
        end(id, "failed", "Product 4711 is not sold here", 1);
        end(id, "failed", "Product 4712 is not sold here", 2);
        end(id, "dead", "reset", 4);

        Reply failures = dashboard.get("/api/batch/failures?id=" + id);

        assertThat(failures.at("/groups/0/message").asString()).isEqualTo("Product … is not sold here");
        assertThat(failures.at("/groups/0/count").asInt()).isEqualTo(2);
        assertThat(failures.at("/groups/0/sample/index").asInt()).isEqualTo(1);
        assertThat(failures.at("/groups/1/message").asString()).isEqualTo("reset");
        assertThat(failures.at("/partial").asBoolean()).isFalse();
    }

    @Test
    void saysWhyABatchIsNotFinished() {
        String id = create("Enroll", 2);

        Reply wait = dashboard.get("/api/batch/wait?id=" + id);

        assertThat(wait.at("/reasons").toString()).contains("\"no-process\"", "\"unserved\"");
        assertThat(wait.at("/waiting/0/jid").asString()).isEqualTo(id + "00000000");
        assertThat(dashboard
                        .get("/api/job?place=queue&queue=default&key="
                                + encoded(wait.at("/waiting/1/key").asString()))
                        .at("/job/jid")
                        .asString())
                .isEqualTo(id + "00000001");
    }

    @Test
    void cancelsABatch(CapturedOutput output) {
        String id = create("Enroll", 2);

        Reply cancelled = dashboard.post("/api/batch/cancel", Map.of("id", id));

        assertThat(cancelled.at("/done").asInt()).isEqualTo(1);
        assertThat(dashboard.get("/api/batch?id=" + id).at("/batch/state").asString())
                .isEqualTo("cancelling");
        assertThat(dashboard.get("/api/batch?id=" + id).at("/actions").toString())
                .isEqualTo("[\"audit\"]");
        assertThat(output).contains("127.0.0.1: cancel batch " + id + " [1]");
        assertThat(dashboard
                        .post("/api/batch/cancel", Map.of("id", "nothing"))
                        .at("/done")
                        .asInt())
                .isZero();
        assertThat(output).contains("127.0.0.1: cancel batch nothing [0]");
    }

    @Test
    void retriesDeadJobs(CapturedOutput output) {
        String id = create("Enroll", 2);
        String job = redis.opsForList().rightPop("queue:default");
        redis.opsForZSet().add("dead", job, 1);
        end(id, "dead", "broke", 0);
        assertThat(dashboard.get("/api/batch?id=" + id).at("/actions").toString())
                .isEqualTo("[\"retry\",\"audit\",\"cancel\"]");

        assertThat(dashboard
                        .post("/api/batch/retry", Map.of("id", id))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);

        assertThat(redis.opsForList().size("queue:default")).isEqualTo(2);
        assertThat(dashboard.get("/api/batch/field?id=" + id).at("/cells").asString())
                .isEqualTo("rq");
        assertThat(output).contains("127.0.0.1: retry dead jobs of batch " + id + " [1]");
    }

    @Test
    void findsJobsThatSomeoneDeleted(CapturedOutput output) {
        String id = create("Enroll", 3);
        redis.opsForList().trim("queue:default", 0, 1);

        Reply audit = dashboard.post("/api/batch/audit", Map.of("id", id));

        assertThat(audit.at("/checked").asInt()).isEqualTo(3);
        assertThat(audit.at("/lost").asInt()).isEqualTo(1);
        assertThat(dashboard.get("/api/batch/field?id=" + id).at("/cells").asString())
                .isEqualTo("lqq");
        assertThat(output).contains("127.0.0.1: audit batch " + id + " [1]");
    }

    @Test
    void closesAnOpenBatch(CapturedOutput output) {
        OpenBatch open = batches.open("Import");
        open.add(JobCall.named("Jobs.sell", "b"));
        open.close();
        assertThat(dashboard.get("/api/batch?id=" + open.id()).at("/actions").toString())
                .isEqualTo("[\"audit\",\"close\",\"cancel\"]");

        assertThat(dashboard
                        .post("/api/batch/close", Map.of("id", open.id()))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);

        assertThat(dashboard
                        .get("/api/batch?id=" + open.id())
                        .at("/batch/state")
                        .asString())
                .isEqualTo("running");
        assertThat(output).contains("127.0.0.1: close batch " + open.id() + " [1]");
    }

    @Test
    void showsTheBatchOfAJobWhereverItIs() {
        String id = create("Enroll", 2);
        String key = dashboard
                .get("/api/jobs?place=queue&queue=default")
                .at("/items/0/key")
                .asString();

        Reply waiting = dashboard.get("/api/job?place=queue&queue=default&key=" + encoded(key));
        assertThat(waiting.at("/batch/name").asString()).isEqualTo("Enroll");
        assertThat(waiting.at("/batch/state").asString()).isEqualTo("enqueued");
        redis.delete("queue:default");
        end(id, "failed", "no", 0);
        Reply gone =
                dashboard.get("/api/job?place=queue&queue=default&key=" + encoded(key) + "&jid=" + id + "00000000");
        assertThat(gone.at("/sought").asString()).isEqualTo("gone");
        assertThat(gone.at("/batch/job/messages/0").asString()).isEqualTo("no");
        assertThat(dashboard
                        .get("/api/find?jid=" + id + "00000000")
                        .at("/batch/state")
                        .asString())
                .isEqualTo("failed");
        assertThat(dashboard
                        .get("/api/find?jid=" + id + "ffffff02")
                        .at("/batch/callbackOf")
                        .asString())
                .isEqualTo("finished");
        assertThat(dashboard.get("/api/find?jid=nowhere").at("/batch").isNull()).isTrue();
    }
}
