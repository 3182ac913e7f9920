package dev.jobs.dashboard.history;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchBuilder;
import dev.jobs.batches.Batches;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.history.HistoryTask;
import dev.jobs.history.JobHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Requests of the page about the history, with a worker that makes some. */
@ExtendWith(OutputCaptureExtension.class)
class HistoryApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard =
            RunningDashboard.start(server, "/jobs", HistoryApplication.class, HistoryApplication.PROPERTIES);

    private final JobHistory history = dashboard.bean(JobHistory.class);

    @BeforeEach
    void empty() {
        dashboard
                .bean(Database.class)
                .execute("delete from jobs_task; delete from jobs_task_tag; delete from jobs_event");
    }

    private String enroll(String name, int products, Consumer<BatchBuilder> more) {
        String id = dashboard.bean(Batches.class).create(name, batch -> {
            more.accept(batch);
            batch.addAll(IntStream.range(0, products)
                    .mapToObj(product -> JobCall.named("Shop.enroll", product, "s3cret" + product)));
        });
        await().atMost(Duration.ofSeconds(30))
                .until(() -> history.task(id).filter(HistoryTask::complete).isPresent());
        return id;
    }

    private static List<String> all(String path, String member) {
        Reply reply = dashboard.get("/api/history/" + path);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        List<String> values = new ArrayList<>();
        reply.at("/items").forEach(each -> values.add(each.path(member).asString()));
        return values;
    }

    @Test
    void findsBatchesByNameStateTagOwnerAndTime() {
        String refused = enroll("Enroll", 3, batch -> batch.describe("Campaign 11.11")
                .tags("campaign:11.11", "seller:17")
                .createdBy("ann"));
        enroll("Mail", 1, batch -> batch.tags("seller:18"));

        JsonNode first = dashboard.get("/api/history/tasks?name=Enroll").at("/items/0");

        assertThat(first.path("id").asString()).isEqualTo(refused);
        assertThat(first.path("description").asString()).isEqualTo("Campaign 11.11");
        assertThat(first.path("tags").toString()).isEqualTo("[\"campaign:11.11\",\"seller:17\"]");
        assertThat(first.path("state").asString()).isEqualTo("finished");
        assertThat(first.path("counts").path("failed").asInt()).isEqualTo(1);
        assertThat(first.path("complete").asBoolean()).isTrue();
        assertThat(first.path("finishedAt").asLong())
                .isGreaterThanOrEqualTo(first.path("createdAt").asLong());
        assertThat(all("tasks", "name")).containsExactly("Mail", "Enroll");
        assertThat(all("tasks?state=any", "name")).hasSize(2);
        assertThat(all("tasks?state=succeeded", "name")).containsExactly("Mail");
        assertThat(all("tasks?state=gone", "name")).isEmpty();
        assertThat(all("tasks?tag=seller:18&name=", "name")).containsExactly("Mail");
        assertThat(all("tasks?owner=ann", "name")).containsExactly("Enroll");
        long created = first.path("createdAt").asLong();
        assertThat(all("tasks?until=" + (created + 1), "name")).containsExactly("Enroll");
        assertThat(all("tasks?from=" + created, "name")).hasSize(2);
        assertThat(all("tasks?until=" + created, "name")).isEmpty();
    }

    @Test
    void findsJobsByBatchStateNameQueueTagTimeAndWordsOfAMessage() {
        String id = enroll("Enroll", 4, batch -> batch.tags("seller:17"));
        enroll("Mail", 1, batch -> {});

        Reply found = dashboard.get("/api/history/jobs?text=" + encoded("3 QUALIF"));

        assertThat(found.at("/items")).as(found.text()).hasSize(1);
        JsonNode job = found.at("/items/0");
        assertThat(job.path("jid").asString()).isEqualTo(id + "00000003");
        assertThat(job.path("task").asString()).isEqualTo(id);
        assertThat(job.path("taskName").asString()).isEqualTo("Enroll");
        assertThat(job.path("index").asInt()).isEqualTo(3);
        assertThat(job.path("job").asString()).isEqualTo("Shop.enroll");
        assertThat(job.path("state").asString()).isEqualTo("failed");
        assertThat(job.path("parameters").asString()).isEqualTo("[3,\"•••\"]");
        assertThat(job.path("messages").toString()).isEqualTo("[\"Product 3 is not qualified\"]");
        assertThat(job.path("errorClass").asString()).isEqualTo("dev.jobs.JobFailedException");
        assertThat(job.path("attempts").asInt()).isEqualTo(1);
        assertThat(job.path("endedAt").asLong()).isPositive();
        assertThat(all("jobs", "jid")).hasSize(5);
        assertThat(all("jobs?task=" + id, "index")).containsExactly("0", "1", "2", "3");
        assertThat(all("jobs?states=failed&task=" + id, "index")).containsExactly("1", "3");
        assertThat(all("jobs?states=failed,succeeded", "index")).hasSize(5);
        assertThat(all("jobs?job=Shop.enroll", "index")).hasSize(5);
        assertThat(all("jobs?job=Shop", "index")).isEmpty();
        assertThat(all("jobs?queue=default", "index")).hasSize(5);
        assertThat(all("jobs?queue=mail", "index")).isEmpty();
        assertThat(all("jobs?tag=seller:17", "index")).hasSize(4);
        assertThat(all("jobs?from=" + System.currentTimeMillis() * 2, "index")).isEmpty();
        assertThat(all("jobs?until=" + System.currentTimeMillis() * 2, "index")).hasSize(5);
    }

    @Test
    void listsAreLeafedThroughInEachOrder() {
        String id = enroll("Enroll", 7, batch -> {});
        List<String> ended = leaf("jobs?order=ended&limit=3&task=" + id, "endedAt");
        assertThat(ended).hasSize(7).isSortedAccordingTo(Collections.reverseOrder());
        assertThat(leaf("jobs?order=ended&limit=3&task=" + id, "jid"))
                .hasSize(7)
                .doesNotHaveDuplicates();
        assertThat(leaf("jobs?order=newest&limit=3", "jid")).hasSize(7).doesNotHaveDuplicates();
        assertThat(leaf("jobs?limit=3&task=" + id, "index")).containsExactly("0", "1", "2", "3", "4", "5", "6");
        IntStream.range(0, 4).forEach(i -> enroll("Mail " + i, 1, batch -> {}));
        assertThat(leaf("tasks?limit=2", "name")).containsExactly("Mail 3", "Mail 2", "Mail 1", "Mail 0", "Enroll");
    }

    private static List<String> leaf(String path, String member) {
        List<String> values = new ArrayList<>(all(path, member));
        for (JsonNode next = next(path); !next.isNull(); ) {
            String page = path + "&after=" + encoded(next.asString());
            values.addAll(all(page, member));
            next = next(page);
        }
        return values;
    }

    private static JsonNode next(String path) {
        return dashboard.get("/api/history/" + path).at("/next");
    }

    @Test
    void showsOneBatchAndWhetherRedisHasIt() {
        String id = enroll("Enroll", 1, batch -> {});
        assertThat(dashboard.get("/api/history/task?id=" + id).at("/task/name").asString())
                .isEqualTo("Enroll");
        assertThat(dashboard.get("/api/history/task?id=" + id).at("/live").asBoolean())
                .isTrue();

        dashboard.redis().delete(dashboard.redis().keys("jobs:batch:" + id + "*"));

        assertThat(dashboard.get("/api/history/task?id=" + id).at("/live").asBoolean(true))
                .isFalse();
        assertThat(dashboard.get("/api/history/task?id=nothing").status()).isEqualTo(404);
        assertThat(dashboard.get("/api/history/task").status()).isEqualTo(400);
    }

    @Test
    void showsOneJobCompletely() {
        String id = enroll("Enroll", 2, BatchBuilder::keepResults);

        Reply one = dashboard.get("/api/history/job?jid=" + id + "00000000");

        assertThat(one.at("/job/result").asString()).isEqualTo("\"enrolled\"");
        assertThat(one.at("/job/taskName").asString()).isEqualTo("Enroll");
        assertThat(one.at("/live").asBoolean()).isTrue();
        assertThat(dashboard.get("/api/history/job?jid=nothing").status()).isEqualTo(404);
    }

    @Test
    void cutsLongTextsInLists() {
        String id = enroll("Enroll", 1, batch -> {});
        dashboard.bean(Database.class).execute("update jobs_event set params = repeat('x', 9000)");

        assertThat(dashboard
                        .get("/api/history/jobs?task=" + id)
                        .at("/items/0/parameters")
                        .asString())
                .hasSize(201);
        assertThat(dashboard
                        .get("/api/history/job?jid=" + id + "00000000")
                        .at("/job/parameters")
                        .asString())
                .hasSize(9_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tasks?state=odd",
                "tasks?limit=0",
                "tasks?limit=101",
                "tasks?from=soon",
                "tasks?until=-1",
                "tasks?until=253402300800000",
                "tasks?after=7",
                "tasks?after=x:y",
                "tasks?after=9999999999999999:x",
                "tasks?name=%00",
                "jobs?states=failed,odd",
                "jobs?states=,",
                "jobs?order=index",
                "jobs?order=ended",
                "jobs?order=odd",
                "jobs?task=01234567890123456",
                "jobs?task=1&after=1:x",
                "job?jid=%00"
            })
    void refusesWhatItDoesNotUnderstand(String path) {
        Reply reply = dashboard.get("/api/history/" + path);

        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.at("/error/code").asString()).isEqualTo("bad-parameter");
    }

    @Test
    void refusesTooLongTexts() {
        assertThat(dashboard.get("/api/history/jobs?text=" + "x".repeat(501)).status())
                .isEqualTo(400);
    }

    @Test
    void saysSoWhenTheDatabaseIsAway(CapturedOutput output) {
        try (RunningDashboard other =
                RunningDashboard.start(server, "/jobs", HistoryApplication.class, HistoryApplication.PROPERTIES)) {
            other.bean(Database.class).close();
            for (String path : List.of("tasks", "task?id=1", "jobs", "job?jid=1")) {
                Reply reply = other.get("/api/history/" + path);
                assertThat(reply.status()).as(path).isEqualTo(503);
                assertThat(reply.at("/error/code").asString()).isEqualTo("database");
            }
        }
        assertThat(output).contains("The dashboard can't read the history").doesNotContain("failed to answer");
    }

    @Test
    void thePagesKnowThatThereIsAHistory() {
        assertThat(dashboard.get("/api/session").at("/features/history").asBoolean())
                .isTrue();
        assertThat(dashboard.get("/history").status()).isEqualTo(200);
    }
}
