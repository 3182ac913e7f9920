package dev.jobs.dashboard;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.RedisCallback;

/**
 * With a million jobs in a queue, a hundred thousand failed ones and batches of half a million, no page does work that
 * grows with their number.
 */
class VolumeIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            HistoryApplication.class,
            "jobs.worker.enabled=false",
            "jobs.dashboard.access=local",
            "jobs.history.enabled=true",
            "jobs.ordered-queues.ordered=fair",
            "spring.data.redis.timeout=60s");

    @AutoClose
    static final Figures figures = new Figures("answers", "request | ms | bytes | from Redis | commands");

    /** Size, type and next job of each queue, and a little. */
    private static final long COMMANDS_OF_A_PAGE = 6L * Volume.QUEUES;

    private static final long COMMANDS_OF_A_STEP = 100_000;

    /** Times are those of a process that has answered before. */
    @BeforeAll
    static void fill() {
        Volume.fill(dashboard);
        for (int i = 0; i < 2; i++) {
            pages().forEach(dashboard::get);
        }
    }

    /** What pages read. Each route of the dashboard is here, or among the {@link #acts actions}. */
    static Stream<String> pages() {
        return Stream.of(
                "/api/session",
                "/api/overview?days=180",
                "/api/queues",
                "/api/queues?from=4900&size=100",
                "/api/queues?sort=size&size=100",
                "/api/queues?sort=latency",
                "/api/queues?text=tenant-49",
                "/api/queue?name=large1",
                "/api/queue?name=ordered",
                "/api/jobs?place=queue&queue=default",
                "/api/jobs?place=queue&queue=default&from=500000",
                "/api/jobs?place=queue&queue=default&order=newest&text=nowhere",
                "/api/jobs?place=queue&queue=default&from=999975&size=100",
                "/api/jobs?place=queue&queue=ordered&from=50000&size=100",
                "/api/jobs?place=scheduled&from=50000",
                "/api/jobs?place=retries&from=99900",
                "/api/jobs?place=retries&size=100",
                "/api/jobs?place=retries&text=nowhere",
                "/api/jobs?place=retries&order=turned&from=50000&since=4000000000100&until=4000000000800",
                "/api/jobs?place=retries&error=nowhere",
                "/api/jobs?place=dead&from=99990",
                "/api/count?place=retries&cause=E1",
                "/api/count?place=queue&queue=default&text=x",
                "/api/failures",
                "/api/failures?place=dead",
                "/api/find?jid=nowhere",
                "/api/find?jid=d50000",
                "/api/job?place=running&process=worker-7d9f8b6c5d-1:1:0123456789ab&thread=t1",
                "/api/job?place=ended&jid=q1",
                "/api/progress?jid=q1",
                "/api/trash?from=8990",
                "/api/known",
                "/api/known/job?name=Jobs.sell",
                "/api/metrics?hours=72",
                "/api/metric?hours=72&job=Job1",
                "/api/metric?hours=72&queue=queue1",
                "/api/executions?hours=24",
                "/api/recurring",
                "/api/recurring/history?name=nightly-1",
                "/api/batches",
                "/api/batches?from=2990",
                "/api/batches?text=nothing",
                "/api/batch?id=" + Volume.BATCH,
                "/api/batch/field?id=" + Volume.BATCH,
                "/api/batch/failures?id=" + Volume.BATCH,
                "/api/batch/jobs?id=" + Volume.BATCH + "&state=lost",
                "/api/batch/wait?id=" + Volume.BATCH,
                "/api/history/tasks?tag=seller:3",
                "/api/history/task?id=h77",
                "/api/history/jobs?states=failed",
                "/api/history/jobs?task=h77&order=ended",
                "/api/history/jobs?text=nothing",
                "/api/history/job?jid=e99999",
                "/api/busy",
                "/api/busy?text=nowhere",
                "/api/busy?from=1475&processes=275",
                "/api/stack?process=worker-7d9f8b6c5d-1:1:0123456789ab&thread=t1",
                "/api/limits",
                "/api/limit?name=erp",
                "/api/limit/key?name=erp&key=shop+5",
                "/api/limiters",
                "/api/limiters?name=api-1",
                "/api/locks",
                "/api/locks?job=Jobs.sell&key=x");
    }

    @Test
    void everyRouteIsCalled() {
        Set<String> called = new TreeSet<>(Set.of("GET api/job/neighbour")); // with a job's key, below
        pages().forEach(page -> called.add("GET " + page.substring(1).replaceFirst("\\?.*", "")));
        acts().forEach(act -> called.add("POST api/" + act.path()));

        Set<String> routes = dashboard
                .bean(Installations.class)
                .all()
                .findFirst()
                .orElseThrow()
                .routes()
                .keySet();
        assertThat(called).isEqualTo(new TreeSet<>(routes));
    }

    /** Measured by Redis's own counters: bytes on the wire and elements of keys stand for the work. */
    @ParameterizedTest
    @MethodSource("pages")
    void readsABoundedPart(String path) {
        Reply reply = bounded(path, () -> dashboard.get(path), COMMANDS_OF_A_PAGE);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    /** What people do, in an order in which each finds what it is about. */
    static Stream<Act> acts() {
        String process = "worker-7d9f8b6c5d-299:1:0123456789ab";
        Map<String, Object> one = Map.of("place", "queue", "queue", "default");
        return Stream.of(
                new Act("queue/pause", Map.of("queue", "tenant-1")),
                new Act("queue/resume", Map.of("queue", "tenant-1")),
                new Act("queue/clear", Map.of("queue", "tenant-2", "undo", "volume-1")),
                new Act("undo", Map.of("batch", "volume-1")),
                new Act(
                        "jobs/delete",
                        Map.of("place", "retries", "matching", Map.of("cause", "E2"), "undo", "volume-2")),
                new Act(
                        "jobs/delete",
                        "/api/jobs?place=queue&queue=default&size=1&from=500",
                        with(one, "undo", "volume-3")),
                new Act("jobs/kill", "/api/jobs?place=scheduled&size=1&from=50", Map.of("place", "scheduled")),
                new Act(
                        "jobs/reschedule",
                        "/api/jobs?place=scheduled&size=1&from=51",
                        Map.of("place", "scheduled", "at", 5_000_000_000_000L)),
                new Act("jobs/run", "/api/jobs?place=scheduled&size=1&from=52", Map.of("place", "scheduled")),
                new Act(
                        "jobs/move",
                        "/api/jobs?place=queue&queue=default&size=1&from=900",
                        with(one, "to", "tenant-3")),
                new Act(
                        "jobs/move",
                        Map.of("place", "queue", "queue", "tenant-4", "to", "tenant-3", "matching", Map.of())),
                new Act(
                        "jobs/again",
                        "/api/jobs?place=scheduled&size=1&from=53",
                        Map.of("place", "scheduled", "arguments", List.of("\"y\""), "check", true)),
                new Act("enqueue", Map.of("job", "Jobs.sell", "arguments", List.of("\"x\""), "to", "tenant-5")),
                new Act("enqueue/undo", Map.of("jid", "t6", "queue", "tenant-6")),
                new Act("trash/restore", Map.of("ids", List.of("0123456789"))),
                new Act("process/quiet", Map.of("identity", process)),
                new Act("process/stop", Map.of("identity", process)),
                new Act("processes/quiet", Map.of()),
                new Act("processes/stop", Map.of()),
                new Act("running/cancel", Map.of("jid", "w1-1")),
                new Act("stack", Map.of("process", process, "thread", "t1")),
                new Act("recurring/pause", Map.of("name", "nightly-1")),
                new Act("recurring/resume", Map.of("name", "nightly-1")),
                new Act("recurring/run", Map.of("name", "nightly-1")),
                new Act("limit/set", Map.of("name", "limit-1", "concurrency", 7)),
                new Act("limit/rate", Map.of("name", "limit-1", "rate", 7, "per", 1_000)),
                new Act("limit/reset", Map.of("name", "limit-1")),
                new Act("limiter/resize", Map.of("kind", "window", "name", "api-1", "size", 7)),
                new Act("limiter/reset", Map.of("kind", "window", "name", "api-1")),
                new Act("lock/release", Map.of("digest", "0".repeat(42) + "1", "holder", "q1")),
                new Act("batch/retry", Map.of("id", Volume.BATCH)),
                new Act("batch/close", Map.of("id", "0000000000000001")),
                new Act("batch/cancel", Map.of("id", "0000000000000002")),
                new Act("batch/audit", Map.of("id", "0000000000000003")),
                new Act("trash/empty", Map.of()));
    }

    private static Map<String, Object> with(Map<String, Object> all, String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(all);
        more.put(name, value);
        return more;
    }

    /**
     * An action.
     *
     * @param about a list whose first job it is about; empty if its body says all
     */
    private record Act(String path, String about, Map<String, Object> body) {

        Act(String path, Map<String, Object> body) {
            this(path, "", body);
        }
    }

    @Test
    void actsOnABoundedPart() {
        List<String> refused = new ArrayList<>();
        acts().forEach(act -> {
            Map<String, Object> body = act.about().isEmpty()
                    ? act.body()
                    : act.path().equals("jobs/again")
                            ? with(act.body(), "key", onlyKey(act.about()))
                            : with(act.body(), "keys", List.of(onlyKey(act.about())));
            Reply reply = bounded(
                    "POST " + act.path() + " " + act.body(),
                    () -> dashboard.post("/api/" + act.path(), body),
                    COMMANDS_OF_A_STEP);

            if (reply.status() != 200) {
                refused.add(act + ": " + reply.text());
            }
        });
        assertThat(refused).isEmpty();
    }

    /** Steps of actions on very many jobs may make more calls than a page does. */
    private static Reply bounded(String what, Supplier<Reply> call, long mostCommands) {
        long bytes = sent("total_net_output_bytes");
        long commands = sent("total_commands_processed");
        long start = System.nanoTime();
        Reply reply = call.get();
        double millis = millis(start);
        bytes = sent("total_net_output_bytes") - bytes;
        commands = sent("total_commands_processed") - commands;
        figures.add(what, millis, reply.raw().body().length, bytes, commands);
        assertThat(bytes).as("bytes from Redis").isLessThan(mostCommands * 250);
        assertThat(commands).as("commands to Redis").isLessThan(mostCommands);
        return reply;
    }

    private static double millis(long since) {
        return (System.nanoTime() - since) / 1_000_000.0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead&from=50000", "retries&from=50000", "queue&queue=default&from=900000"})
    void opensAJobFarBehindInAList(String place) {
        Reply list = dashboard.get("/api/jobs?place=" + place + "&size=1");
        String key = list.at("/items/0/key").asString();
        long before = sent("total_net_output_bytes");

        Reply job = dashboard.get("/api/job?place=" + place.replaceFirst("&from=.*", "") + "&key=" + encoded(key));

        assertThat(job.at("/job")).isEqualTo(list.at("/items/0"));
        assertThat(job.at("/sought").asString()).isEqualTo("found");
        Reply neighbour = bounded(
                "/api/job/neighbour?place=" + place,
                () -> dashboard.get(
                        "/api/job/neighbour?place=" + place.replaceFirst("&from=.*", "") + "&key=" + encoded(key)),
                COMMANDS_OF_A_PAGE);
        assertThat(neighbour.status()).as(neighbour.text()).isEqualTo(200);
        assertThat(sent("total_net_output_bytes") - before).isLessThan(2_500_000L);
    }

    @Test
    void deletesAmongVeryManyOfOneScore() {
        String first = onlyKey("/api/jobs?place=dead&size=1&from=90000");
        String second = onlyKey("/api/jobs?place=dead&size=1&from=90001");
        String gone = first.substring(0, first.length() - 1) + (first.endsWith("0") ? "1" : "0");

        Reply deleted =
                dashboard.post("/api/jobs/delete", Map.of("place", "dead", "keys", List.of(first, second, gone)));

        assertThat(deleted.status()).as(deleted.text()).isEqualTo(200);
        assertThat(deleted.at("/done").asInt()).isEqualTo(2);
        assertThat(deleted.at("/gone").asInt()).isZero();
        assertThat(deleted.at("/kept").asInt()).isEqualTo(1);
        assertThat(deleted.at("/reasons/0/code").asString()).isEqualTo("not-found-in-time");
        assertThat(dashboard
                        .get("/api/job?place=dead&key=" + encoded(gone))
                        .at("/sought")
                        .asString())
                .isEqualTo("partial");
    }

    @Test
    void deletesJobsThatStandFarFromEachOther() {
        String list = "/api/jobs?place=queue&queue=default&size=1&from=";
        List<String> keys = Stream.of("10", "500010", "999000")
                .map(from -> onlyKey(list + from))
                .toList();

        Reply deleted = dashboard.post("/api/jobs/delete", Map.of("place", "queue", "queue", "default", "keys", keys));

        assertThat(deleted.at("/done").asInt()).isEqualTo(3);
        assertThat(dashboard
                        .post("/api/undo", Map.of("batch", deleted.at("/undo").asString()))
                        .at("/done")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void sendsLiveNumbersThatDoNotGrowWithWhatWaits() throws Exception {
        long before = sent("total_net_output_bytes");
        try (InputStream stream = dashboard
                .http()
                .send(dashboard.request("/api/live").build(), BodyHandlers.ofInputStream())
                .body()) {
            String event = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
                    .lines()
                    .filter(line -> line.startsWith("data:"))
                    .findFirst()
                    .orElseThrow();
            assertThat(event).hasSizeLessThan(20_000).containsPattern("\"enqueued\":1\\d{6},");
        }
        assertThat(sent("total_net_output_bytes") - before).isLessThan(20_000 * 250L);
        // until then the live numbers count as sent in other tests
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !dashboard.bean(LiveStream.class).hasViewers());
    }

    /** A slow machine ends a longer list early, but never before its first job. */
    private static String onlyKey(String path) {
        Reply list = dashboard.get(path);
        assertThat(list.at("/items").size()).as(list.text()).isEqualTo(1);
        return list.at("/items/0/key").asString();
    }

    /** A counter of Redis. */
    private static long sent(String counter) {
        Properties stats = dashboard.redis().execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info("stats"));
        return Long.parseLong(stats.getProperty(counter));
    }

    @Test
    void saysWhereItDidNotLook() {
        assertThat(dashboard
                        .get("/api/jobs?place=retries&text=nowhere")
                        .at("/partial")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard
                        .get("/api/jobs?place=retries&text=nowhere")
                        .at("/next")
                        .asLong())
                .isPositive();
        assertThat(dashboard
                        .get("/api/count?place=retries&cause=E1")
                        .at("/partial")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard.get("/api/failures").at("/partial").asBoolean()).isTrue();
        assertThat(dashboard.get("/api/failures").at("/total").asLong())
                .isEqualTo(dashboard.redis().opsForZSet().size("retry"));
    }

    @Test
    void deletesAndRestoresInTheMiddleOfAQueue() {
        String list = "/api/jobs?place=queue&queue=default&size=1&from=";
        List<String> keys = List.of(onlyKey(list + 1_000), onlyKey(list + 1_001));
        String next = onlyKey(list + 1_002);
        Reply job = dashboard.get("/api/job?place=queue&queue=default&key=" + encoded(keys.get(0)));
        assertThat(job.at("/position").asInt()).isEqualTo(1_000);

        Reply deleted = dashboard.post("/api/jobs/delete", Map.of("place", "queue", "queue", "default", "keys", keys));

        assertThat(deleted.at("/done").asInt()).isEqualTo(2);
        assertThat(dashboard
                        .post("/api/undo", Map.of("batch", deleted.at("/undo").asString()))
                        .at("/done")
                        .asInt())
                .isEqualTo(2);
        assertThat(List.of(onlyKey(list + 1_000), onlyKey(list + 1_001))).isEqualTo(keys);
        assertThat(onlyKey(list + 1_002)).isEqualTo(next);
    }

    @Test
    void actsOnAllThatMatchInSteps() {
        Reply step = dashboard.post("/api/jobs/delete", Map.of("place", "retries", "matching", Map.of("cause", "E2")));

        assertThat(step.status()).isEqualTo(200);
        assertThat(step.at("/done").asInt()).isBetween(1, 34_000);
        String undo = step.at("/undo").asString();
        while (!step.at("/cursor").isNull()) {
            step = dashboard.post(
                    "/api/jobs/delete",
                    Map.of(
                            "place",
                            "retries",
                            "matching",
                            Map.of("cause", "E2"),
                            "cursor",
                            step.at("/cursor").asString(),
                            "undo",
                            undo));
            assertThat(step.status()).isEqualTo(200);
        }
        assertThat(dashboard.redis().opsForZSet().size("retry")).isEqualTo(100_000 - 33_333);
        assertThat(dashboard.redis().opsForZSet().size("jobs:trash")).isLessThanOrEqualTo(10_000);
    }
}
