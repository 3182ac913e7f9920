package dev.jobs.dashboard.server;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.WebTest;
import dev.jobs.dashboard.history.HistoryApplication;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.core.RedisCallback;

/** Whatever Redis holds, every answer is JSON of a bounded size, and hostile data doesn't break the data around it. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class HostileIT {

    private static final String SCRIPT = "<script>alert('\\\"')</script>";
    private static final String BATCH = "bbbbbbbbbbbbbbbb";
    private static final String ODD = "a/b é\"<script>?#%2F";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    HostileIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.forAnswers()
                .map(kind -> RunningDashboard.start(
                        kind,
                        server,
                        "/jobs",
                        HistoryApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local",
                        "jobs.history.enabled=true"));
    }

    private static final DateTimeFormatter TEN_MINUTES =
            DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    static final List<String> JOBS = List.of(
            "{\"class\":\"" + SCRIPT + "\",\"args\":[\"" + SCRIPT + "\"],\"jid\":\"" + SCRIPT + "\",\"queue\":\""
                    + SCRIPT
                    + "\",\"error_class\":\"" + SCRIPT + "\",\"error_message\":\"" + SCRIPT + "\",\"tags\":[\"" + SCRIPT
                    + "\"],\"error_backtrace\":\"" + SCRIPT + "\"}",
            "{\"class\":\"Big\",\"args\":[\"" + "x".repeat(1_000_000) + "\"],\"jid\":\"big\",\"queue\":\"default\"}",
            "{\"class\":7,\"args\":{},\"jid\":[1],\"queue\":null,\"retry_count\":\"x\",\"failed_at\":\"soon\",\"tags\":3}",
            "{\"class\":\"Half\",\"args\":[\"\\ud800\"],\"jid\":\"\\udc00\",\"error_class\":\"\\ud800\"}",
            "{\"class\":\"Far\",\"args\":[1e99999,-0.0,123456789012345678901234567890],\"created_at\":1e308,\"failed_at\":9e18}",
            "{\"class\":\"Far\",\"args\":[],\"retry_count\":9223372036854775807,\"created_at\":9223372036854775807}",
            "{\"class\":\"Tried\",\"args\":[],\"retry_count\":1,\"past_attempts\":[7,null,{\"at\":9223372036854775807},"
                    + "{\"at\":1,\"waited\":-9,\"ran\":9223372036854775807,\"process\":\"" + SCRIPT + "\",\"error\":\""
                    + SCRIPT + "\",\"message\":\"\\ud800\\u202e" + SCRIPT + "\"}]}",
            "{\"class\":\"Twice\",\"class\":\"Once\",\"args\":[],\"args\":[2]}",
            "{\"class\":\"Deep\",\"args\":" + "[".repeat(99) + "]".repeat(99) + "}",
            "{\"class\":\"Cut\",\"args\":[\"",
            "[]",
            "",
            "\u0000\u0001");

    @BeforeParameterizedClassInvocation
    static void fill(RunningDashboard dashboard) {
        dashboard.redis().execute((RedisCallback<Object>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
        double score = 1;
        for (String job : JOBS) {
            for (String set : List.of("schedule", "retry", "dead")) {
                dashboard.redis().opsForZSet().add(set, job, score);
            }
            score *= -30;
            dashboard.redis().opsForSet().add("queues", ODD);
            dashboard.redis().opsForList().leftPush("queue:" + ODD, job);
        }
        dashboard.redis().opsForZSet().add("retry", JOBS.get(0) + " ", Double.POSITIVE_INFINITY);
        dashboard.redis().opsForZSet().add("retry", JOBS.get(0) + "  ", Double.NEGATIVE_INFINITY);
        dashboard.redis().execute((RedisCallback<Object>) connection -> {
            connection.zSetCommands().zAdd("dead".getBytes(UTF_8), 5, new byte[] {(byte) 0xff, (byte) 0xc0, '"'});
            return null;
        });
        dashboard.redis().opsForSet().add("queues", "broken");
        dashboard.redis().opsForValue().set("queue:broken", SCRIPT);
        dashboard.redis().opsForSet().add("processes", SCRIPT, "gone", "list");
        dashboard
                .redis()
                .opsForHash()
                .putAll(SCRIPT, Map.of("info", "{\"hostname\":[],\"queues\":7}", "busy", "-1", "rss", "x"));
        dashboard
                .redis()
                .opsForHash()
                .put(SCRIPT + ":work", SCRIPT, "{\"queue\":7,\"payload\":\"[]\",\"run_at\":\"x\"}");
        dashboard.redis().opsForHash().put(SCRIPT + ":work", "2", "no json");
        dashboard.redis().opsForList().leftPush("list", "x");
        dashboard.redis().opsForValue().set("jobs:ledger", "x");
        dashboard.redis().opsForSet().add("cron_jobs:default", "cron_job:default:" + SCRIPT, SCRIPT);
        dashboard
                .redis()
                .opsForHash()
                .putAll(
                        "cron_job:default:" + SCRIPT,
                        Map.of(
                                "name", SCRIPT, "klass", SCRIPT, "cron", SCRIPT, "args", SCRIPT, "message", SCRIPT,
                                "status", SCRIPT));
        hostileBatches(dashboard);
        hostileHistory(dashboard);
        hostileTimes(dashboard);
        dashboard.redis().opsForZSet().add("jobs:trash", SCRIPT, 4e9);
        dashboard.redis().opsForZSet().add("jobs:trash", "1 2 QUEUE 999999999 -5 x", 4e9);
    }

    private static void hostileTimes(RunningDashboard dashboard) {
        long tens = System.currentTimeMillis() / 600_000;
        for (long each = tens - 2; each <= tens + 2; each++) {
            String time = TEN_MINUTES.format(Instant.ofEpochMilli(each * 600_000));
            String key = "jobs:times:" + time.substring(0, time.length() - 1);
            dashboard
                    .redis()
                    .opsForHash()
                    .putAll(
                            key,
                            Map.of(
                                    "j" + SCRIPT,
                                    "0:999999999999999 26:999999999999999 52:999999999999999 77:1 99:9",
                                    "q" + SCRIPT,
                                    "x",
                                    "q",
                                    "1:1",
                                    "j" + "x".repeat(100_000),
                                    "0:1 27:-5",
                                    "q" + "x".repeat(100_000),
                                    SCRIPT));
        }
    }

    private static void hostileBatches(RunningDashboard dashboard) {
        for (String id : List.of(SCRIPT, BATCH, "0123456789abcdef", "aaaaaaaaaaaaaaaa")) {
            dashboard.redis().opsForZSet().add("jobs:batches", id, 1e300);
            dashboard.redis().opsForZSet().add("jobs:batches:open", id, -1);
        }
        String key = "jobs:batch:" + BATCH;
        dashboard
                .redis()
                .opsForHash()
                .putAll(
                        key,
                        Map.of(
                                "total", "-9223372036854775808",
                                "fresh", "x",
                                "again", "9",
                                "failed", "1",
                                "open", "1",
                                "created", "9223372036854775807",
                                "finished", "-1",
                                "cancelled", "",
                                "c2", "q",
                                "children_open", "1"));
        dashboard
                .redis()
                .opsForHash()
                .putAll(
                        key + ":d",
                        Map.of(
                                "name",
                                SCRIPT + "x".repeat(100_000),
                                "description",
                                SCRIPT.repeat(10_000),
                                "tags",
                                SCRIPT,
                                "owner",
                                SCRIPT,
                                "parent",
                                BATCH,
                                "previous",
                                SCRIPT,
                                "next",
                                BATCH,
                                "keep",
                                "soon",
                                "callback:2",
                                JOBS.get(0),
                                "callback:3",
                                "no job"));
        dashboard.redis().opsForValue().set(key + ":s", "f?\u0000dqrx<" + "f".repeat(100));
        dashboard.redis().opsForValue().set(key + ":g", "v");
        dashboard
                .redis()
                .opsForHash()
                .putAll(
                        key + ":j",
                        Map.of("m0", "no json", "m3", "7,{}", "p0", "x y", "p3", "-1 1e9", "r0", SCRIPT.repeat(9_000)));
        dashboard.redis().opsForSet().add(key + ":k", BATCH, SCRIPT);
        dashboard.redis().opsForValue().set("jobs:batch:aaaaaaaaaaaaaaaa", "no hash");
    }

    /** As another program may write it. */
    private static void hostileHistory(RunningDashboard dashboard) {
        String script = "'" + SCRIPT.replace("'", "''") + "'";
        StringBuilder rows = new StringBuilder("insert into jobs_task values ('" + BATCH + "', repeat(" + script
                + ", 5), repeat(" + script + ", 30), " + script
                + ", 'nobody', 'GONE', -9223372036854775808, 7, 0, 0, 0,"
                + " 0, 0, -1, timestamp '9999-12-31 23:59:59', timestamp '0001-01-01 00:00:00', '', null, null, null,"
                + " null, 0);"
                + "insert into jobs_task_tag values ('" + BATCH + "', " + script + ");");
        for (int i = 0; i < 30; i++) {
            rows.append(
                    "insert into jobs_event (job_id, task_id, idx, job, queue, status, params, messages, result,"
                            + " error_class, attempts, created_at, started_at, ended_at) values (" + script + " || " + i
                            + ", '"
                            + (i % 2 == 0 ? BATCH : "nobody") + "', -" + i + ", " + script + ", " + script
                            + ", 'FAILED', repeat("
                            + script + ", 2000), " + script + ", repeat('x', 90000), " + script + ", -1,"
                            + " timestamp '9999-12-31 23:59:59', timestamp '0001-01-01 00:00:00', timestamp '9999-12-31 23:59:59');");
        }
        dashboard.bean(Database.class).execute(rows.toString());
    }

    static Stream<String> pages() {
        String batch = "id=" + BATCH;
        String queue = "queue&queue=" + encoded(ODD);
        return Stream.of(
                "/api/overview",
                "/api/queues",
                "/api/queue?name=" + encoded(ODD),
                "/api/queue?name=broken",
                "/api/jobs?place=scheduled",
                "/api/jobs?place=retries",
                "/api/jobs?place=dead",
                "/api/jobs?place=" + queue,
                "/api/jobs?place=" + queue + "&order=newest",
                "/api/jobs?place=dead&text=" + encoded("<script>"),
                "/api/jobs?place=dead&error=" + encoded("ALERT('\""),
                "/api/jobs?place=dead&cause=",
                "/api/jobs?place=dead&text=" + encoded("*[?\\"),
                "/api/count?place=retries&text=x",
                "/api/jobs?place=retries&tag=" + encoded(SCRIPT) + "&since=0&until=253402300799999&order=turned",
                "/api/jobs?place=" + queue + "&since=0",
                "/api/known",
                "/api/failures",
                "/api/failures?place=dead",
                "/api/find?jid=" + encoded("<script>alert('\"')</script>"),
                "/api/busy",
                "/api/batches",
                "/api/batches?state=unfinished&text=" + encoded("<script>") + "&tag=" + encoded(SCRIPT),
                "/api/batch?" + batch,
                "/api/batch/field?" + batch,
                "/api/batch/failures?" + batch,
                "/api/batch/jobs?" + batch,
                "/api/batch/wait?" + batch,
                "/api/find?jid=" + BATCH + "00000000",
                "/api/find?jid=" + BATCH + "ffffff02",
                "/api/history/tasks",
                "/api/history/tasks?state=gone&tag=" + encoded(SCRIPT) + "&owner=" + encoded(SCRIPT),
                "/api/history/task?" + batch,
                "/api/history/jobs",
                "/api/history/jobs?order=ended&task=" + BATCH + "&after=" + encoded("9:" + SCRIPT),
                "/api/history/jobs?text=" + encoded("<script>%_'\"") + "&job=" + encoded(SCRIPT),
                "/api/history/job?jid=" + encoded(SCRIPT + 7),
                "/api/trash",
                "/api/recurring",
                "/api/recurring/history?name=" + encoded(SCRIPT),
                "/api/metrics?hours=72",
                "/api/metric?hours=8&job=" + encoded(SCRIPT),
                "/api/metric?hours=72&queue=" + encoded(SCRIPT),
                "/api/executions?hours=72",
                "/api/progress?jid=" + encoded(SCRIPT),
                "/api/retry?name=" + encoded(SCRIPT) + "&rule=" + encoded("{\"delay\":\"" + SCRIPT + "\"}"),
                "/api/last-word?name=" + encoded(SCRIPT),
                "/api/job?place=ended&jid=" + encoded(SCRIPT),
                "/api/limiters",
                "/api/limiters?name=" + encoded(SCRIPT),
                "/api/stack?process=" + encoded(SCRIPT) + "&thread=2");
    }

    @ParameterizedTest
    @MethodSource("pages")
    void answersEveryPage(String path) {
        Reply reply = dashboard.get(path);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.raw().body().length).isLessThan(100_000);
    }

    @ParameterizedTest
    @MethodSource("places")
    void showsEveryJob(String place) {
        Reply list = dashboard.get("/api/jobs?size=100&place=" + place);
        assertThat(list.at("/items").size()).isGreaterThanOrEqualTo(JOBS.size());

        list.at("/items").forEach(item -> {
            String job = "/api/job?place=" + place + "&key="
                    + encoded(item.path("key").asString());
            Reply one = dashboard.get(job);
            assertThat(one.status()).as(one.text()).isEqualTo(200);
            assertThat(one.at("/job/key").asString()).isNotEmpty();
            assertThat(one.raw().body().length).isLessThan(200_000);
        });
    }

    static Stream<String> places() {
        return Stream.of("scheduled", "retries", "dead", "queue&queue=" + encoded(ODD));
    }

    @Test
    void cutsLargeArgumentsUnlessAllIsAskedFor() {
        Reply list = find("retries", "Big");
        assertThat(list.at("/items/0/bytes").asInt()).isGreaterThan(1_000_000);
        assertThat(list.at("/items/0/args").asString()).hasSizeLessThan(300);
        assertThat(list.at("/items/0/argsCut").asBoolean()).isTrue();

        String job =
                "/api/job?place=retries&key=" + encoded(list.at("/items/0/key").asString());
        assertThat(dashboard.get(job).at("/rawCut").asBoolean()).isTrue();
        assertThat(dashboard.get(job + "&full=true").at("/raw").asString()).hasSizeGreaterThan(1_000_000);
        assertThat(dashboard.get(job + "&full=true").at("/arguments/0/cut").asBoolean())
                .isFalse();
    }

    @Test
    void sendsABoundedPartOfAJobThoughAllIsAskedFor() {
        String argument = "\"" + "y".repeat(700_000) + "\"";
        String some = "{\"class\":\"Some\",\"args\":[" + argument + "," + argument + "," + argument + "]}";
        String huge = "{\"class\":\"Huge\",\"args\":[" + argument.repeat(8).replace("\"\"", "") + "]}";
        dashboard.redis().opsForZSet().add("schedule", some, 9e9);
        dashboard.redis().opsForZSet().add("schedule", huge, 9e9 + 1);
        try {
            Reply one = all("Some");
            assertThat(one.raw().body()).hasSizeLessThan(3_000_000);
            assertThat(one.at("/rawCut").asBoolean()).isTrue();
            assertThat(one.at("/arguments/0/cut").asBoolean()).isFalse();
            assertThat(one.at("/arguments/2/cut").asBoolean()).isTrue();
            Reply other = all("Huge");
            assertThat(other.raw().body()).hasSizeLessThan(3_000_000);
            assertThat(other.at("/arguments")).isEmpty();
            assertThat(other.at("/argumentsCut").asBoolean()).isTrue();
            assertThat(other.at("/raw").asString()).startsWith("{\"class\":\"Huge\"");
        } finally {
            dashboard.redis().opsForZSet().remove("schedule", some, huge);
        }
    }

    /** A search ends early on a busy machine. */
    private Reply find(String place, String name) {
        return await().until(
                        () -> dashboard.get("/api/jobs?place=" + place + "&job=" + name),
                        list -> !list.at("/items").isEmpty());
    }

    private Reply all(String name) {
        Reply list = find("scheduled", name);
        return dashboard.get("/api/job?full=true&place=scheduled&key="
                + encoded(list.at("/items/0/key").asString()));
    }

    @Test
    void refusesMalformedQueries() {
        assertThat(dashboard.get("/api/find?jid=%ff%fe").status()).isEqualTo(400);
        assertThat(dashboard.get("/api/find?jid=%00").status()).isIn(200, 400);
    }
}
