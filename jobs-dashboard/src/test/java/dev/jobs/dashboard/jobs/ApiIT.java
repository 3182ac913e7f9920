package dev.jobs.dashboard.jobs;

import static dev.jobs.dashboard.RunningDashboard.all;
import static dev.jobs.dashboard.RunningDashboard.encoded;
import static dev.jobs.dashboard.jobs.Payloads.failed;
import static dev.jobs.dashboard.jobs.Payloads.job;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** All requests and actions of the pages, on prepared data, without a worker that would take it. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class ApiIT {

    private static final String ODD = "a/b é";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;
    private final StringRedisTemplate redis;

    ApiIT(RunningDashboard dashboard) {
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

    private void retry(double score, String job) {
        redis.opsForZSet().add("retry", job, score);
    }

    private static String key(Reply list, int index) {
        return list.at("/items/" + index + "/key").asString();
    }

    @Test
    void namesTheUser() {
        Reply session = dashboard.get("/api/session");

        assertThat(session.status()).isEqualTo(200);
        assertThat(session.at("/role").asString()).isEqualTo("operator");
        assertThat(session.at("/actor").asString()).isEqualTo("127.0.0.1");
        assertThat(session.at("/csrf").isNull()).isTrue();
        assertThat(session.at("/idle").isNull()).isTrue();
        assertThat(session.at("/application").asString()).isEqualTo("shop");
        assertThat(session.at("/system").toString())
                .isEqualTo("{\"name\":\"shop\",\"environment\":\"\",\"colour\":\"grey\"}");
    }

    @Test
    void theDefaultDecidesAboutFailuresIfNothingElseDoes() {
        Reply retry = dashboard.get("/api/retry?failures=1&name=Jobs.sell");

        assertThat(retry.at("/decides").asString()).isEqualTo("default");
        assertThat(retry.at("/waits/0/least").asLong()).isEqualTo(16_000);
    }

    @Test
    void hasNoHistoryWithoutADatabase() {
        assertThat(dashboard.get("/api/session").at("/features").propertyNames())
                .containsExactlyInAnyOrder("recurring", "enqueue");
        assertThat(dashboard.get("/api/history/tasks").status()).isEqualTo(404);
        assertThat(dashboard.get("/api/history/jobs").status()).isEqualTo(404);
    }

    /** As of a program that writes nanoseconds, or whose unit is another one. */
    @Test
    void aTimeThatNoPageCanShowIsNone() {
        String far = "{\"class\":\"Far\",\"args\":[],\"jid\":\"1\",\"created_at\":1790000000000000000,"
                + "\"failed_at\":8640000000000001,\"error_class\":\"E\"}";
        redis.opsForZSet().add("dead", far, 1e16);
        redis.opsForZSet().add("retry", far, 1.79e15);
        dashboard.enqueue("default", "{\"class\":\"Old\",\"args\":[],\"jid\":\"2\",\"created_at\":-2e16}");

        Reply retries = dashboard.get("/api/jobs?place=retries");

        for (String time : List.of("at", "createdAt", "failedAt")) {
            assertThat(retries.at("/items/0/" + time).isNull()).as(time).isTrue();
        }
        assertThat(dashboard.get("/api/failures").at("/groups/0/last").isNull()).isTrue();
        assertThat(dashboard
                        .get("/api/jobs?place=queue&queue=default")
                        .at("/items/0/createdAt")
                        .isNull())
                .isTrue();
        Reply overview = dashboard.forgets().get("/api/overview");
        assertThat(overview.status()).as(overview.text()).isEqualTo(200);
        Reply queues = dashboard.get("/api/queues?sort=latency");
        assertThat(queues.status()).as(queues.text()).isEqualTo(200);
    }

    @Test
    void showsTheLastPageOfTheTrashIfItHasBecomeShorter() {
        for (int i = 0; i < 3; i++) {
            retry(4e9 + i, failed("" + i, "Jobs.sell", "E"));
        }
        dashboard.post("/api/jobs/delete", Map.of("place", "retries", "matching", Map.of()));

        Reply beyond = dashboard.get("/api/trash?from=50&size=2");

        assertThat(beyond.at("/items")).hasSize(1);
        assertThat(beyond.at("/from").asInt()).isEqualTo(2);
    }

    @Test
    void showsEverythingAtAGlance() {
        dashboard.enqueue("default", job("1", "Jobs.sell", "default"));
        dashboard.enqueue(ODD, job("2", "Jobs.sell", ODD), job("3", "Jobs.sell", ODD));
        retry(4e9, failed("4", "Jobs.sell", "E"));
        redis.opsForValue().set("stat:processed", "12");
        redis.opsForValue().set("stat:processed:" + LocalDate.now(ZoneOffset.UTC), "7");

        Reply overview = dashboard.forgets().get("/api/overview?days=30");

        assertThat(overview.status()).isEqualTo(200);
        assertThat(overview.at("/history")).hasSize(30);
        assertThat(overview.at("/history/29/processed").asInt()).isEqualTo(7);
        assertThat(overview.at("/server/policy").asString()).isNotEmpty();
        assertThat(all(overview.at("/warnings"), "code")).contains("no-process");
        assertThat(all(overview.at("/queues"), "name")).containsExactly(ODD, "default");
        assertThat(overview.at("/live/retries").asInt()).isEqualTo(1);
        assertThat(overview.at("/live/processed").asInt()).isEqualTo(12);
        assertThat(dashboard.get("/api/overview?days=100000").status()).isEqualTo(400);
    }

    @Test
    void pagesThroughAQueueFromBothEnds() {
        for (int i = 0; i < 30; i++) {
            dashboard.enqueue(ODD, job("jid" + i, "Jobs.sell", ODD));
        }
        String list = "/api/jobs?place=queue&queue=" + encoded(ODD);

        Reply oldest = dashboard.get(list + "&size=10");
        Reply newest = dashboard.get(list + "&size=10&order=newest&from=10");

        assertThat(oldest.at("/total").asInt()).isEqualTo(30);
        assertThat(oldest.at("/next").asInt()).isEqualTo(10);
        assertThat(all(oldest.at("/items"), "jid")).startsWith("jid0", "jid1").hasSize(10);
        assertThat(oldest.at("/items/0/position").asInt()).isZero();
        assertThat(all(newest.at("/items"), "jid")).startsWith("jid19", "jid18").hasSize(10);
        assertThat(newest.at("/items/0/position").asInt()).isEqualTo(19);
        assertThat(dashboard.get(list + "&from=20&size=10").at("/next").isNull())
                .isTrue();
        assertThat(dashboard.get(list + "&from=700&size=10").at("/from").asInt())
                .isEqualTo(20);
    }

    @Test
    void showsOneJobOfAQueueAndWhyItWaits() {
        for (int i = 0; i < 30; i++) {
            dashboard.enqueue("default", job("jid" + i, "Jobs.sell", "default"));
        }
        String key = key(dashboard.get("/api/jobs?place=queue&queue=default&from=3&size=1"), 0);
        redis.opsForList().rightPop("queue:default"); // it moves up in the meantime

        Reply job = dashboard.get("/api/job?place=queue&queue=default&key=" + encoded(key));

        assertThat(job.at("/job/jid").asString()).isEqualTo("jid3");
        assertThat(job.at("/position").asInt()).isEqualTo(2);
        assertThat(job.at("/arguments/0/json").asString()).isEqualTo("\"x\"");
        assertThat(job.at("/arguments/0/name").asString()).isEqualTo("book");
        assertThat(job.at("/arguments/0/type").asString()).isEqualTo("String");
        assertThat(job.at("/raw").asString()).isEqualTo(job("jid3", "Jobs.sell", "default"));
        assertThat(all(job.at("/payload"), "name")).contains("jid", "retry").doesNotContain("args");
        assertThat(all(job.at("/waiting"), "code")).containsExactly("unserved", "behind");
        assertThat(job.at("/actions/0").asString()).isEqualTo("delete");
        assertThat(job.at("/runsAs").asString()).isEqualTo("Jobs.sell");
    }

    @Test
    void aResetIsNoNegativeRate() {
        await().until(
                        () -> { // two looks within some seconds
                            redis.opsForValue().increment("stat:processed", 1_000);
                            return dashboard
                                            .passes(Duration.ofSeconds(2))
                                            .get("/api/overview")
                                            .at("/live/processedRate")
                                            .asDouble(0)
                                    > 0;
                        });
        redis.opsForValue().set("stat:processed", "1");

        Reply after = dashboard.passes(Duration.ofSeconds(2)).get("/api/overview");

        assertThat(after.at("/live/processed").asInt()).isEqualTo(1);
        assertThat(after.at("/live/processedRate").isNull()).isTrue();
    }

    @Test
    void showsWhereAMissingJobWent() {
        retry(4e9, failed("traveller", "Jobs.sell", "E"));
        String key = key(dashboard.get("/api/jobs?place=retries"), 0);
        assertThat(dashboard
                        .post("/api/jobs/kill", Map.of("place", "retries", "keys", List.of(key)))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);

        Reply job = dashboard.get("/api/job?place=retries&jid=traveller&key=" + encoded(key));

        assertThat(job.at("/job").isNull()).isTrue();
        assertThat(all(job.at("/elsewhere"), "place")).containsExactly("dead");
        assertThat(all(dashboard.get("/api/find?jid=traveller").at("/found"), "place"))
                .containsExactly("dead");
    }

    /** It looks into the largest ten. */
    @Test
    void aSearchThatLeavesOutQueuesSaysSo() {
        for (int i = 0; i < 11; i++) {
            dashboard.enqueue("q" + i, job("jid" + i, "Jobs.sell", "q" + i));
        }
        assertThat(dashboard.get("/api/find?jid=nowhere").at("/partial").asBoolean())
                .isTrue();
    }

    @Test
    void aSpanOfTimeHasBothItsEnds() {
        for (int i = 0; i < 5; i++) {
            dashboard.enqueue("mail", job("jid" + i, "Jobs.sell", "mail").replace("556186}", "55618" + i + "}"));
        }
        String list = "/api/jobs?place=queue&queue=mail";

        assertThat(all(
                        dashboard
                                .get(list + "&since=1795237556181&until=1795237556183")
                                .at("/items"),
                        "jid"))
                .containsExactlyInAnyOrder("jid1", "jid2", "jid3");
    }

    @Test
    void deletesJobsOfAQueueAndPutsThemBackWhereTheyWere() {
        for (int i = 0; i < 6; i++) {
            dashboard.enqueue(ODD, job("jid" + i, "Jobs.sell", ODD));
        }
        List<String> before = redis.opsForList().range("queue:" + ODD, 0, -1);
        Reply list = dashboard.get("/api/jobs?place=queue&queue=" + encoded(ODD));

        Reply deleted = dashboard.post(
                "/api/jobs/delete",
                Map.of("place", "queue", "queue", ODD, "keys", List.of(key(list, 0), key(list, 2), key(list, 3))));

        assertThat(deleted.at("/done").asInt()).isEqualTo(3);
        assertThat(redis.opsForList().size("queue:" + ODD)).isEqualTo(3);
        assertThat(dashboard.get("/api/trash").at("/items")).hasSize(3);
        assertThat(dashboard.undo(deleted.at("/undo").asString())).isEqualTo(3);
        assertThat(redis.opsForList().range("queue:" + ODD, 0, -1)).isEqualTo(before);
        assertThat(dashboard.get("/api/trash").at("/items")).isEmpty();
    }

    /** Takes as many steps as it needs. Returns how many jobs are back. */
    @Test
    void givesEachJobOfAQueueAnIdThatStaysWhenItMoves() {
        dashboard.enqueue("default", "{\"jid\":\"0\"}", "{\"jid\":\"twin\"}", "{\"jid\":\"1\"}", "{\"jid\":\"twin\"}");
        List<String> before =
                all(dashboard.get("/api/jobs?place=queue&queue=default").at("/items"), "id");
        redis.opsForList().rightPop("queue:default");

        List<String> after =
                all(dashboard.get("/api/jobs?place=queue&queue=default").at("/items"), "id");

        assertThat(before).doesNotHaveDuplicates();
        assertThat(after).isEqualTo(before.subList(1, 4));
        assertThat(before.get(3)).isEqualTo(before.get(1) + "-2");
    }

    @Test
    void deletesOneOfEachThatIsSelectedThoughThereAreTwins() {
        dashboard.enqueue("default", "{\"jid\":\"A\"}", "{\"jid\":\"B\"}", "{\"jid\":\"A\"}");
        Reply list = dashboard.get("/api/jobs?place=queue&queue=default");

        Reply deleted = dashboard.post(
                "/api/jobs/delete",
                Map.of("place", "queue", "queue", "default", "keys", List.of(key(list, 0), key(list, 1))));

        assertThat(deleted.at("/done").asInt()).isEqualTo(2);
        assertThat(redis.opsForList().range("queue:default", 0, -1)).containsExactly("{\"jid\":\"A\"}");
    }

    @Test
    void reschedulesAllThatMatch() {
        for (int i = 0; i < 250; i++) {
            retry(3e9 + i, failed("j" + i, i % 2 == 0 ? "Other" : "Jobs.sell", "E"));
        }
        Map<String, Object> body = new java.util.HashMap<>(
                Map.of("place", "retries", "matching", Map.of("job", "Other"), "at", 3_000_000_100_500L));
        int done = 0;
        Reply step;
        do {
            step = dashboard.post("/api/jobs/reschedule", body);
            assertThat(step.status()).isEqualTo(200);
            done += step.at("/done").asInt();
            body.put(
                    "cursor",
                    step.at("/cursor").isNull() ? null : step.at("/cursor").asString());
        } while (!step.at("/cursor").isNull());

        assertThat(done).isEqualTo(125);
        assertThat(redis.opsForZSet().count("retry", 3_000_000_100.5, 3_000_000_100.5))
                .isEqualTo(125);
        assertThat(redis.opsForZSet().score("retry", failed("j7", "Jobs.sell", "E")))
                .isEqualTo(3e9 + 7);
        body.remove("at");
        assertThat(dashboard.post("/api/jobs/reschedule", body).status()).isEqualTo(400);
    }

    @Test
    void saysWhyJobsStay() {
        retry(3e9, "no job");
        retry(3e9 + 1, failed("a", "Jobs.sell", "E").replace("\"low\"", "\"l\\nw\""));
        Reply list = dashboard.get("/api/jobs?place=retries");

        Reply run = dashboard.post(
                "/api/jobs/run", Map.of("place", "retries", "keys", List.of(key(list, 0), key(list, 1))));

        assertThat(run.at("/kept").asInt()).isEqualTo(2);
        assertThat(all(run.at("/reasons"), "code")).containsExactlyInAnyOrder("malformed", "refused");
        Reply matching = dashboard.post("/api/jobs/run", Map.of("place", "retries", "matching", Map.of()));
        assertThat(all(matching.at("/reasons"), "code")).containsExactly("stayed");
    }

    @Test
    void filtersASet() {
        retry(3e9, failed("1", "Jobs.sell", "java.io.IOException"));
        retry(3.1e9, failed("2", "Jobs.sell", "E"));
        retry(3.2e9, failed("3", "Other", "E"));
        String list = "/api/jobs?place=retries";

        assertThat(all(dashboard.get(list).at("/items"), "jid")).containsExactly("1", "2", "3");
        assertThat(all(dashboard.get(list + "&job=Jobs.sell").at("/items"), "jid"))
                .containsExactly("1", "2");
        assertThat(all(dashboard.get(list + "&cause=E").at("/items"), "jid")).containsExactly("2", "3");
        assertThat(all(dashboard.get(list + "&error=ioexc").at("/items"), "jid"))
                .containsExactly("1");
        assertThat(all(dashboard.get(list + "&text=Other").at("/items"), "jid")).containsExactly("3");
        assertThat(all(dashboard.get(list + "&queue=low&job=Other").at("/items"), "jid"))
                .containsExactly("3");
        assertThat(dashboard
                        .get("/api/count?place=retries&cause=E")
                        .at("/count")
                        .asInt())
                .isEqualTo(2);
        Reply item = dashboard.get(list + "&text=Other");
        assertThat(item.at("/items/0/error/type").asString()).isEqualTo("E");
        assertThat(item.at("/items/0/attempts").asInt()).isEqualTo(1);
        assertThat(item.at("/items/0/at").asLong()).isEqualTo(3_200_000_000_000L);
    }

    /** Nor do all such jobs belong to those that somebody then deletes. */
    @Test
    void anErrorWithoutAMessageIsNotFoundByAWordThatItLacks() {
        retry(3e9, "{\"jid\":\"1\",\"class\":\"Jobs.sell\",\"args\":[],\"queue\":\"low\",\"error_class\":\"E\"}");
        String list = "/api/jobs?place=retries";

        assertThat(all(dashboard.get(list + "&error=e").at("/items"), "jid")).containsExactly("1");
        assertThat(all(dashboard.get(list + "&error=null").at("/items"), "jid")).isEmpty();
    }

    @Test
    void groupsFailuresAndActsOnAGroup() {
        for (int i = 0; i < 5; i++) {
            retry(3e9 + i, failed("a" + i, "Jobs.sell", "E"));
        }
        retry(3e9, failed("b", "Jobs.sell", "F"));

        Reply groups = dashboard.get("/api/failures?place=retries");

        assertThat(groups.at("/groups/0/count").asInt()).isEqualTo(5);
        assertThat(groups.at("/groups/0/cause").asString()).isEqualTo("E");
        assertThat(groups.at("/groups/1/sample/jid").asString()).isEqualTo("b");
        assertThat(groups.at("/partial").asBoolean()).isFalse();
        Reply run = dashboard.post(
                "/api/jobs/run", Map.of("place", "retries", "matching", Map.of("job", "Jobs.sell", "cause", "E")));
        assertThat(run.at("/done").asInt()).isEqualTo(5);
        assertThat(run.at("/cursor").isNull()).isTrue();
        assertThat(redis.opsForList().size("queue:low")).isEqualTo(5);
        assertThat(redis.opsForZSet().size("retry")).isEqualTo(1);
    }

    @Test
    void deletesAllThatMatchAndPutsThemBack() {
        for (int i = 0; i < 1_500; i++) {
            retry(3e9 + i % 7, failed("j" + i, i % 3 == 0 ? "Other" : "Jobs.sell", "E"));
        }
        int done = 0;
        String cursor = null;
        String undo = null;
        do {
            Map<String, Object> body =
                    new java.util.HashMap<>(Map.of("place", "retries", "matching", Map.of("job", "Jobs.sell")));
            body.put("cursor", cursor);
            body.put("undo", undo);
            Reply step = dashboard.post("/api/jobs/delete", body);
            assertThat(step.status()).isEqualTo(200);
            done += step.at("/done").asInt();
            undo = step.at("/undo").asString();
            cursor = step.at("/cursor").isNull() ? null : step.at("/cursor").asString();
        } while (cursor != null);
        assertThat(done).isEqualTo(1_000);
        assertThat(redis.opsForZSet().size("retry")).isEqualTo(500);

        assertThat(dashboard.undo(undo)).isEqualTo(1_000);
        assertThat(redis.opsForZSet().size("retry")).isEqualTo(1_500);
        assertThat(redis.opsForZSet().score("retry", failed("j8", "Jobs.sell", "E")))
                .isEqualTo(3e9 + 1);
        assertThat(redis.opsForZSet().size("jobs:trash")).isZero();
    }

    @Test
    void reschedulesRevivesAndDeletesSelectedJobs() {
        redis.opsForZSet().add("schedule", job("s", "Jobs.sell", "default"), 3e9);
        redis.opsForZSet().add("dead", failed("d", "Jobs.sell", "E"), 1.7e9);
        redis.opsForZSet().add("dead", failed("e", "Jobs.sell", "E"), 1.7e9);
        String scheduled = key(dashboard.get("/api/jobs?place=scheduled"), 0);
        Reply dead = dashboard.get("/api/jobs?place=dead");

        Reply moved = dashboard.post(
                "/api/jobs/reschedule",
                Map.of("place", "scheduled", "keys", List.of(scheduled), "at", 3_500_000_000_250L));
        Reply revived = dashboard.post("/api/jobs/run", Map.of("place", "dead", "keys", List.of(key(dead, 0))));
        Reply deleted = dashboard.post(
                "/api/jobs/delete", Map.of("place", "dead", "keys", List.of(key(dead, 1), key(dead, 0))));

        assertThat(moved.at("/done").asInt()).isEqualTo(1);
        assertThat(redis.opsForZSet().score("schedule", job("s", "Jobs.sell", "default")))
                .isEqualTo(3_500_000_000.25);
        assertThat(revived.at("/done").asInt()).isEqualTo(1);
        assertThat(redis.opsForList().size("queue:low")).isEqualTo(1);
        assertThat(deleted.at("/done").asInt()).isEqualTo(1);
        assertThat(deleted.at("/gone").asInt()).isEqualTo(1);
        assertThat(redis.opsForZSet().size("dead")).isZero();
        String id = dashboard.get("/api/trash").at("/items/0/id").asString();
        assertThat(dashboard
                        .post("/api/trash/restore", Map.of("ids", List.of(id)))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);
        assertThat(redis.opsForZSet().size("dead")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/jobs?place=nowhere",
                "/api/jobs",
                "/api/jobs?place=queue",
                "/api/jobs?place=retries&size=101",
                "/api/jobs?place=retries&size=x",
                "/api/jobs?place=retries&from=-1",
                "/api/jobs?place=retries&from=99999999999999999999",
                "/api/job?place=retries&key=1",
                "/api/job?place=retries&key=1.0_-1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "/api/job?place=retries&key=1.0_1_1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "/api/job?place=retries&key=NaN_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "/api/job?place=queue&queue=x&key=1e3_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "/api/find?jid=",
                "/api/queues?sort=evil",
                "/api/stack?process=x&thread=../x",
                "/api/overview?days=0",
            })
    void refusesParametersBeyondTheirBounds(String path) {
        Reply reply = dashboard.get(path);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.at("/error/code").asString()).isEqualTo("bad-parameter");
    }

    @Test
    void refusesTextsThatAreTooLong() {
        assertThat(dashboard
                        .get("/api/jobs?place=retries&text=" + "x".repeat(201))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/jobs/run", Map.of("place", "retries", "keys", List.of("x".repeat(300))))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/jobs/run", Map.of("place", "retries", "keys", List.of()))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/jobs/run", Map.of("place", "x".repeat(300_000)))
                        .status())
                .isEqualTo(413);
        assertThat(dashboard
                        .post("/api/jobs/run", Map.of("place", "retries", "matching", Map.of(), "cursor", "1_2_3_NaN"))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard.get("/api/unknown").status()).isEqualTo(404);
        assertThat(dashboard.get("/api/jobs/run").status()).isEqualTo(405);
    }

    /** The body has no end: a server that collects it first never answers. */
    @Test
    void stopsReadingABodyThatIsTooLarge() throws IOException {
        try (Socket socket = new Socket("localhost", dashboard.port())) {
            socket.setSoTimeout(30_000);
            String head = "POST /jobs/api/jobs/run HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                    + "Jobs-Token: " + RunningDashboard.TOKEN
                    + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(UTF_8));
            int size = 300_000;
            socket.getOutputStream()
                    .write((Integer.toHexString(size) + "\r\n" + "x".repeat(size) + "\r\n").getBytes(UTF_8));
            byte[] answer = new byte[12];
            socket.getInputStream().readNBytes(answer, 0, answer.length);

            assertThat(new String(answer, UTF_8)).isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void saysWhenRedisRefuses() {
        redis.opsForValue().set("retry", "no set");

        Reply reply = dashboard.get("/api/jobs?place=retries");

        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.at("/error/code").asString()).isEqualTo("redis-type");
        assertThat(dashboard.get("/api/overview").status()).isEqualTo(200);
    }
}
