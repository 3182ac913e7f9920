package dev.jobs.dashboard;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * With a million jobs in a queue, a hundred thousand failed ones and batches of half a million, no page does work that
 * grows with their number.
 */
class VolumeIT {

    private static final String FILL = """
            local job = '{"class":"Jobs.sell","args":["x"],"queue":"default","created_at":1795237556186,"enqueued_at":1795237556186,'
            redis.call('SADD', 'queues', 'default')
            for i = 1, 1000000 do redis.call('LPUSH', 'queue:default', job .. '"jid":"q' .. i .. '"}') end
            for i = 1, 100000 do
              redis.call('ZADD', 'retry', 4000000000 + i % 1000, job .. '"failed_at":1795237556186,"retry_count":1,"error_class":"E'
                .. i % 3 .. '","error_message":"m","jid":"r' .. i .. '"}')
              redis.call('ZADD', 'dead', 1795237556, job .. '"jid":"d' .. i .. '"}')
            end
            local large = '{"class":"Large","args":["' .. string.rep('x', 200000) .. '"],"enqueued_at":1795237556186}'
            for i = 1, 60 do
              redis.call('SADD', 'queues', 'large' .. i)
              redis.call('LPUSH', 'queue:large' .. i, large)
            end
            for i = 1, 3000 do
              local id = string.format('%016x', i)
              redis.call('ZADD', 'jobs:batches', i, id)
              redis.call('HSET', 'jobs:batch:' .. id, 'total', 500000, 'fresh', 250000, 'ok', 239999, 'failed', 10001, 'open', 0,
                'created', 1795237556186)
              redis.call('HSET', 'jobs:batch:' .. id .. ':d', 'name', 'Export', 'callback:2', large)
            end
            local last = 'jobs:batch:0000000000000bb8'
            redis.call('SET', last .. ':s', string.rep('q', 250000) .. string.rep('s', 239999) .. string.rep('f', 10001))
            for i = 489999, 499999 do redis.call('HSET', last .. ':j', 'm' .. i, '"Product ' .. i .. ' is not sold here"') end
            redis.call('SADD', 'processes', 'vm:1:a')
            redis.call('HSET', 'vm:1:a', 'info', '{"version":"jobs-1"}')
            redis.call('HSET', 'vm:1:a:work', 't1', '{"queue":"q","run_at":1,"payload":' .. large .. '}')
            """;

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
            "spring.data.redis.timeout=60s");

    private static final String HISTORY = """
            insert into jobs_task (id, name, state, total, waiting, retrying, succeeded, failed, dead, skipped, lost, created_at, version, pause)
              select 'h' || x, 'Export', 'FINISHED', 0, 0, 0, 0, 0, 0, 0, 0, dateadd(second, x, timestamp '2026-01-01 00:00:00'), '', 0
              from system_range(1, 5000);
            insert into jobs_task_tag select 'h' || x, 'seller:' || mod(x, 10) from system_range(1, 5000);
            insert into jobs_event (job_id, task_id, idx, job, queue, status, params, messages, attempts, created_at, ended_at)
              select 'e' || x, 'h' || mod(x, 5000), x, 'Jobs.sell', 'default', case when mod(x, 2) = 0 then 'FAILED' else 'SUCCEEDED' end,
                '[1]', '["Product ' || x || ' is not sold here"]', 1, timestamp '2026-01-01 00:00:00',
                dateadd(second, x, timestamp '2026-01-01 00:00:00')
              from system_range(1, 100000);
            """;

    @BeforeAll
    static void fill() {
        dashboard.bean(Database.class).execute(HISTORY);
        dashboard.redis().execute(RedisScript.of(FILL), List.of());
    }

    static Stream<String> pages() {
        return Stream.of(
                "/api/overview?days=180",
                "/api/queues",
                "/api/jobs?place=queue&queue=default",
                "/api/jobs?place=queue&queue=default&from=500000",
                "/api/jobs?place=queue&queue=default&order=newest&text=nowhere",
                "/api/jobs?place=retries&from=99990",
                "/api/jobs?place=retries&text=nowhere",
                "/api/jobs?place=retries&error=nowhere",
                "/api/count?place=retries&cause=E1",
                "/api/count?place=queue&queue=default&text=x",
                "/api/failures",
                "/api/failures?place=dead",
                "/api/queues?sort=latency",
                "/api/queue?name=large1",
                "/api/jobs?place=dead&from=99990",
                "/api/find?jid=nowhere",
                "/api/find?jid=d50000",
                "/api/trash?from=9990",
                "/api/metrics?hours=72",
                "/api/metric?hours=72&job=Jobs.sell",
                "/api/recurring",
                "/api/batches",
                "/api/batches?from=2990",
                "/api/batches?text=nothing",
                "/api/batch?id=0000000000000bb8",
                "/api/batch/field?id=0000000000000bb8",
                "/api/batch/failures?id=0000000000000bb8",
                "/api/batch/jobs?id=0000000000000bb8&state=lost",
                "/api/batch/wait?id=0000000000000bb8",
                "/api/history/tasks?tag=seller:3",
                "/api/history/task?id=h77",
                "/api/history/jobs?states=failed",
                "/api/history/jobs?task=h77&order=ended",
                "/api/history/jobs?text=nothing",
                "/api/history/job?jid=e99999",
                "/api/busy");
    }

    /** Measured by Redis's own counters: bytes on the wire and elements of keys stand for the work. */
    @ParameterizedTest
    @MethodSource("pages")
    void readsABoundedPart(String path) {
        long before = sent();

        Reply reply = dashboard.get(path);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(sent() - before).isLessThan(20_000 * 250L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead&from=50000", "retries&from=50000", "queue&queue=default&from=900000"})
    void opensAJobFarBehindInAList(String place) {
        Reply list = dashboard.get("/api/jobs?place=" + place + "&size=1");
        String key = list.at("/items/0/key").asString();
        long before = sent();

        Reply job = dashboard.get("/api/job?place=" + place.replaceFirst("&from=.*", "") + "&key=" + encoded(key));

        assertThat(job.at("/job")).isEqualTo(list.at("/items/0"));
        assertThat(job.at("/sought").asString()).isEqualTo("found");
        assertThat(sent() - before).isLessThan(1_500_000L);
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
        long before = sent();
        try (InputStream stream = dashboard
                .http()
                .send(dashboard.request("/api/live").build(), BodyHandlers.ofInputStream())
                .body()) {
            String event = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
                    .lines()
                    .filter(line -> line.startsWith("data:"))
                    .findFirst()
                    .orElseThrow();
            assertThat(event).hasSizeLessThan(20_000).contains("\"enqueued\":10000");
        }
        assertThat(sent() - before).isLessThan(20_000 * 250L);
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

    private static long sent() {
        Properties stats = dashboard.redis().execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info("stats"));
        return Long.parseLong(stats.getProperty("total_net_output_bytes"));
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
