package dev.jobs.dashboard.metrics;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What is told of executions over time, of what needs attention, and of the attempts at one job. */
class MetricsApiIT {

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

    private final StringRedisTemplate redis = dashboard.redis();

    @BeforeEach
    void empty() {
        redis.execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    /** Executions of a job a minute ago, of which some failed. */
    private void executed(String job, int count, int failed) {
        String minute = MINUTE.format(Instant.now().minus(1, ChronoUnit.MINUTES));
        Map<String, String> counts =
                Map.of(job + "|p", Integer.toString(count), job + "|f", Integer.toString(failed), job + "|ms", "900");
        redis.opsForHash().putAll("j|" + minute, counts);
        redis.opsForHash().putAll("j|" + minute.substring(0, minute.length() - 1), counts);
    }

    private void timed(String field, String numbers) {
        String minute = MINUTE.format(Instant.now());
        redis.opsForHash().put("jobs:times:" + minute.substring(0, minute.length() - 1), field, numbers);
    }

    @Test
    void listsJobsAndQueuesWithPercentilesAndTheirCourse() {
        executed("Jobs.sell", 40, 4);
        timed("jJobs.sell", "1:36 26:40 52:4");
        timed("qmail", "1:36 51:40 52:4");
        redis.opsForSet().add("queues", "late");
        redis.opsForList().leftPush("queue:late", Payloads.job("1", "Jobs.sell", "late"));
        dashboard.bean(JobsAdmin.class).metrics().markDeploy("4.12");

        Reply metrics = dashboard.forgets().get("/api/metrics");

        assertThat(metrics.at("/jobs/0/name").asString()).isEqualTo("Jobs.sell");
        assertThat(metrics.at("/jobs/0/ran/p95").asDouble()).isBetween(29.0, 30.0);
        assertThat(metrics.at("/jobs/0/waited/p50").asDouble()).isEqualTo(10.0);
        assertThat(metrics.at("/jobs/0/spark/counts")).hasSize(30);
        assertThat(sum(metrics, "/jobs/0/spark/counts")).isEqualTo(40);
        assertThat(sum(metrics, "/jobs/0/spark/failed")).isEqualTo(4);
        assertThat(metrics.at("/queues/0/name").asString()).isEqualTo("mail");
        assertThat(metrics.at("/queues/0/count").asInt()).isEqualTo(40);
        assertThat(metrics.at("/queues/0/failed").asInt()).isEqualTo(4);
        assertThat(metrics.at("/queues/0/waited/p99").asDouble()).isEqualTo(335_000.0);
        assertThat(metrics.at("/queues/0/oldest").isNull()).isTrue();
        assertThat(sum(metrics, "/queues/0/spark/counts")).isEqualTo(40);
        assertThat(metrics.at("/queues/1/name").asString()).isEqualTo("late");
        assertThat(metrics.at("/queues/1/oldest").asLong()).isPositive();
        assertThat(metrics.at("/queues/1/ran").isNull()).isTrue();
        assertThat(metrics.at("/series/0/1").asInt()).isEqualTo(40);
        assertThat(metrics.at("/series/0/2").asInt()).isEqualTo(4);
        assertThat(metrics.at("/deploys/0/label").asString()).isEqualTo("4.12");
        assertThat(metrics.at("/timedHours").asInt()).isEqualTo(1);
        assertThat(dashboard.get("/api/metrics?hours=72").at("/timedHours").asInt())
                .isEqualTo(24);
        Reply series = dashboard.get("/api/executions?hours=24");
        assertThat(series.at("/step").asInt()).isEqualTo(600_000);
        assertThat(series.at("/series/0/1").asInt()).isEqualTo(40);
        assertThat(series.at("/deploys/0/label").asString()).isEqualTo("4.12");
    }

    private static int sum(Reply reply, String array) {
        int sum = 0;
        for (var each : reply.at(array)) {
            sum += each.asInt();
        }
        return sum;
    }

    @Test
    void showsOneJobOrOneQueue() {
        executed("Jobs.sell", 40, 4);
        timed("jJobs.sell", "1:36 26:40 52:4");
        timed("qa/b é", "4:3 51:4 52:1");

        Reply job = dashboard.get("/api/metric?hours=72&job=Jobs.sell");
        Reply queue = dashboard.get("/api/metric?hours=72&queue=" + encoded("a/b é"));

        assertThat(job.at("/step").asInt()).isEqualTo(600_000);
        assertThat(job.at("/meanMs").asDouble()).isEqualTo(25.0);
        assertThat(job.at("/ran/p50").asDouble()).isEqualTo(25.0);
        assertThat(job.at("/times/0/3").asDouble()).isBetween(29.0, 30.0);
        assertThat(job.at("/times/0/4").asDouble()).isEqualTo(10.0);
        assertThat(job.at("/waits/0/count").asInt()).isEqualTo(40);
        assertThat(queue.at("/count").asInt()).isEqualTo(4);
        assertThat(queue.at("/failed").asInt()).isEqualTo(1);
        assertThat(queue.at("/meanMs").isNull()).isTrue();
        assertThat(queue.at("/series/0/1").asInt()).isEqualTo(4);
        assertThat(queue.at("/histogram/4/count").asInt()).isEqualTo(3);
        assertThat(queue.at("/waited/p50").asDouble()).isEqualTo(335_000.0);
        assertThat(dashboard
                        .get("/api/metric?hours=1&queue=nothing")
                        .at("/ran/p50")
                        .isNull())
                .isTrue();
        assertThat(dashboard.get("/api/metric?hours=1").status()).isEqualTo(400);
    }

    @Test
    void namesWhatNeedsAttention() {
        executed("Jobs.fail", 20, 5);
        executed("Jobs.sell", 1_000, 90);
        redis.opsForZSet()
                .add(
                        "dead",
                        Payloads.failed("7", "Jobs.fail", "E"),
                        Instant.now().getEpochSecond());

        Reply overview = dashboard.forgets().get("/api/overview");
        assertThat(overview.at("/attention")).hasSize(2);
        assertThat(overview.at("/attention/0/code").asString()).isEqualTo("failing");
        assertThat(overview.at("/attention/0/subject").asString()).isEqualTo("Jobs.fail");
        assertThat(overview.at("/attention/0/values").toString()).isEqualTo("[\"5\",\"20\"]");
        assertThat(overview.at("/attention/1/code").asString()).isEqualTo("died");
        assertThat(overview.at("/attention/1/values/0").asString()).isEqualTo("1");
    }

    @Test
    void tellsOfTheAttemptsAtAJob() {
        String attempts = "[{\"at\":1795237556186,\"waited\":3,\"ran\":5000,\"process\":\"vm:1:0a\",\"error\":\"E\","
                + "\"message\":\"it broke\"},{\"at\":1795237576186,\"waited\":7,\"ran\":1,\"process\":\"vm:2:0b\"}]";
        String job = Payloads.failed("4", "Jobs.sell", "E").replaceFirst("}$", ",\"past_attempts\":" + attempts + "}");
        redis.opsForZSet().add("retry", job, 4e9);
        String key = dashboard.get("/api/jobs?place=retries").at("/items/0/key").asString();

        Reply one = dashboard.get("/api/job?place=retries&key=" + encoded(key));

        assertThat(one.at("/attempts")).hasSize(2);
        assertThat(one.at("/attempts/0/ran").asInt()).isEqualTo(5_000);
        assertThat(one.at("/attempts/1").toString())
                .isEqualTo("{\"at\":1795237576186,\"waited\":7,\"ran\":1,\"process\":\"vm:2:0b\",\"error\":\"E\","
                        + "\"message\":\"it broke\"}");
        assertThat(one.at("/recoveries").asInt()).isZero();
    }

    @Test
    void tellsHowOftenAJobOutlivedItsWorker() throws Exception {
        String job = Payloads.job("5", "Jobs.sell", "low");
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(job.getBytes(UTF_8));
        redis.opsForSet().add("queues", "low");
        redis.opsForList().leftPush("queue:low", job);
        redis.opsForHash().put("jobs:recovered", HexFormat.of().formatHex(digest), "3");
        String key = dashboard
                .get("/api/jobs?place=queue&queue=low")
                .at("/items/0/key")
                .asString();
        String address = "/api/job?place=queue&queue=low&key=" + encoded(key);

        assertThat(dashboard.get(address).at("/recoveries").asInt()).isEqualTo(3);
        redis.delete("jobs:recovered");
        redis.opsForValue().set("jobs:recovered", "x");
        assertThat(dashboard.get(address).at("/recoveries").asInt()).isZero();
    }
}
