package dev.jobs.dashboard.processes;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.JobClient;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.JsonNode;

/** The data that a worker shows about itself and its running jobs. */
@ExtendWith(OutputCaptureExtension.class)
class WorkerIT {

    private static final String CARD = "4111-1111-1111-1111";

    private EmbeddedRedis redis;
    private RunningDashboard dashboard;

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class MaskingShop {

        @Bean
        ArgumentMask secretsOfRuby() {
            return (job, position, argument) ->
                    job.equals("RubyJob") && position == 0 ? ArgumentMasking.HIDDEN : argument;
        }

        @Bean
        ArgumentMask secretsOfOurs() {
            return (job, position, argument) ->
                    String.valueOf(argument).startsWith("fail-secret") ? ArgumentMasking.HIDDEN : argument;
        }

        @Bean
        ArgumentMask envelopes() {
            return (job, position, argument) ->
                    job.equals("Sidekiq::ActiveJob::Wrapper") ? ArgumentMasking.HIDDEN : argument;
        }
    }

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        dashboard = RunningDashboard.start(
                redis, "/jobs", MaskingShop.class, "jobs.dashboard.access=local", "jobs.queues=default,calm");
    }

    @AfterEach
    void stop() {
        dashboard.bean(TestApplication.Jobs.class).held.countDown();
        dashboard.close();
        redis.close();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    @Test
    @LongTest
    void showsTheLiveStackOfExactlyOneJob(CapturedOutput output) {
        String jid = dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::hold);
        TestApplication.Jobs jobs = dashboard.bean(TestApplication.Jobs.class);
        soon().until(() -> jobs.entered.getCount() == 0);
        soon().untilAsserted(() ->
                assertThat(dashboard.get("/api/busy").at("/work/items")).hasSize(1));
        JsonNode work = dashboard.get("/api/busy").at("/work/items/0");
        assertThat(work.at("/job/jid").asString()).isEqualTo(jid);
        assertThat(work.at("/stack").asBoolean()).isTrue();
        Map<String, String> thread = Map.of(
                "process",
                work.at("/process").asString(),
                "thread",
                work.at("/thread").asString());

        assertThat(dashboard.post("/api/stack", thread).at("/state").asString()).isEqualTo("waiting");
        String answer =
                "/api/stack?process=" + encoded(thread.get("process")) + "&thread=" + encoded(thread.get("thread"));
        soon().untilAsserted(() ->
                assertThat(dashboard.get(answer).at("/state").asString()).isEqualTo("ready"));

        Reply stack = dashboard.get(answer);
        assertThat(stack.at("/jid").asString()).isEqualTo(jid);
        assertThat(stack.at("/stack").toString()).contains("TestApplication$Jobs.hold", "CountDownLatch.await");
        assertThat(stack.at("/thread").asString()).startsWith("jobs-");

        jobs.held.countDown();
        soon().until(() -> dashboard.bean(JobsAdmin.class).books().inFlight() == 0);
        soon().untilAsserted(() -> assertThat(
                        dashboard.post("/api/stack", thread).at("/state").asString())
                .isEqualTo("gone"));
        assertThat(output)
                .contains("127.0.0.1: stack of thread " + thread.get("thread") + " of process " + thread.get("process")
                        + " [1]");
        assertThat(dashboard
                        .post("/api/stack", Map.of("process", "nobody:1:0", "thread", "1"))
                        .at("/state")
                        .asString())
                .isEqualTo("unavailable");
    }

    @Test
    void cancelsARunningJob(CapturedOutput output) {
        String jid = dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::hold);
        TestApplication.Jobs jobs = dashboard.bean(TestApplication.Jobs.class);
        soon().until(() -> jobs.entered.getCount() == 0);

        assertThat(dashboard
                        .post("/api/running/cancel", Map.of("jid", jid))
                        .at("/changed")
                        .asBoolean())
                .isTrue();

        soon().until(() -> dashboard.bean(JobsAdmin.class).books().inFlight() == 0);
        assertThat(jobs.held.getCount()).as("it was interrupted").isPositive();
        assertThat(dashboard.bean(JobsAdmin.class).stats().retries()).isZero();
        assertThat(output).contains("127.0.0.1: cancel job " + jid + " [1]", "cancelled Jobs.hold");
        assertThat(dashboard.post("/api/running/cancel", Map.of("jid", " ")).status())
                .isEqualTo(400);
    }

    @Test
    @LongTest
    void showsProcessesAndQuietsThem() {
        soon().untilAsserted(() ->
                assertThat(dashboard.get("/api/busy").at("/processes/items")).hasSize(1));
        JsonNode process = dashboard.get("/api/busy").at("/processes/items/0");
        assertThat(process.at("/java").asBoolean()).isTrue();
        assertThat(process.at("/tag").asString()).isEqualTo("shop");
        assertThat(process.at("/memory").asLong()).isPositive();
        assertThat(process.at("/capsules/0/queues").propertyNames()).containsExactly("default", "calm");

        Map<String, String> identity =
                Map.of("identity", process.at("/identity").asString());
        assertThat(dashboard.post("/api/process/quiet", identity).at("/changed").asBoolean())
                .isTrue();

        soon().until(() -> dashboard.bean(JobEngine.class).health().state() == State.QUIET);
        soon().untilAsserted(() -> assertThat(dashboard
                        .get("/api/busy")
                        .at("/processes/items/0/quiet")
                        .asBoolean())
                .isTrue());
        assertThat(dashboard
                        .post("/api/process/quiet", Map.of("identity", "nobody"))
                        .at("/changed")
                        .asBoolean())
                .isFalse();
    }

    @LongTest
    @Test
    void showsWhatCameOfExecutions() {
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::sell, "book");
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::sell, "fail");

        soon().untilAsserted(() -> assertThat(dashboard
                        .get("/api/metrics?hours=1")
                        .at("/jobs/0/count")
                        .asInt())
                .isEqualTo(2));

        Reply metrics = dashboard.get("/api/metrics?hours=1");
        assertThat(metrics.at("/jobs/0/name").asString()).isEqualTo("Jobs.sell");
        assertThat(metrics.at("/jobs/0/failed").asInt()).isEqualTo(1);
        assertThat(metrics.at("/step").asInt()).isEqualTo(60_000);
        assertThat(metrics.at("/steps").asInt()).isEqualTo(60);
        Reply one = dashboard.get("/api/metric?job=Jobs.sell&hours=72");
        assertThat(one.at("/histogram")).hasSize(26);
        int count = 0;
        for (JsonNode point : one.at("/series")) { // two if the jobs ended on either side of a full ten minutes
            count += point.at("/1").asInt();
        }
        assertThat(count).isEqualTo(2);
        assertThat(dashboard.get("/api/metric?job=nobody&hours=1").at("/count").asInt())
                .isZero();
        assertThat(dashboard.get("/api/metrics?hours=73").status()).isEqualTo(400);
    }

    /** A worker tells how long jobs took every ten seconds. */
    @Test
    @LongTest
    void showsHowLongExecutionsTook() {
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::sell, "book");
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::sell, "fail");

        soon().untilAsserted(() -> {
            Reply later = dashboard.get("/api/metrics?hours=1");
            assertThat(later.at("/queues/0/name").asString()).isEqualTo("default");
            assertThat(later.at("/queues/0/count").asInt()).isEqualTo(2);
            assertThat(later.at("/queues/0/failed").asInt()).isEqualTo(1);
            assertThat(later.at("/jobs/0/ran/p99").isNumber()).isTrue();
            assertThat(later.at("/jobs/0/waited/p99").isNumber()).isTrue();
        });
    }

    @LongTest
    @Test
    void knowsWhyJobsWait() {
        soon().untilAsserted(() ->
                assertThat(dashboard.get("/api/busy").at("/processes/items")).hasSize(1));
        dashboard.post("/api/queue/pause", Map.of("queue", "calm"));
        dashboard.redis().opsForSet().add("queues", "calm");
        dashboard.redis().opsForList().leftPush("queue:calm", Payloads.job("1", "Unknown", "calm"));
        dashboard.redis().opsForList().leftPush("queue:calm", Payloads.job("2", "Jobs.sell", "calm"));

        Reply list = dashboard.get("/api/jobs?place=queue&queue=calm");
        String job = "/api/job?place=queue&queue=calm&key=";
        Reply unknown = dashboard.get(job + encoded(list.at("/items/0/key").asString()));
        Reply known = dashboard.get(job + encoded(list.at("/items/1/key").asString()));

        assertThat(unknown.at("/waiting").toString()).contains("\"paused\"", "\"unknown-job\"", "\"next\"");
        assertThat(unknown.at("/known").asBoolean()).isFalse();
        assertThat(known.at("/known").asBoolean()).isTrue();
        assertThat(known.at("/waiting").toString())
                .contains("\"paused\"", "\"behind\"")
                .doesNotContain("unknown");
    }

    @Test
    void hidesWhatIsMaskedInPagesAnswersAndLogs(CapturedOutput output) {
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::charge, "Kim", CARD);
        dashboard
                .redis()
                .opsForZSet()
                .add(
                        "dead",
                        "{\"class\":\"RubyJob\",\"args\":[\"ruby-secret\",2],\"jid\":\"r\","
                                + "\"error_class\":\"E\",\"error_message\":\"no ruby-secret\"}",
                        1);
        dashboard.redis().opsForZSet().add("dead", "{\"class\":\"RubyJob\",\"args\":[\"ruby-secret", 2);
        soon().untilAsserted(() -> assertThat(
                        dashboard.get("/api/jobs?place=retries").at("/items"))
                .hasSize(1));

        Reply retries = dashboard.get("/api/jobs?place=retries");
        assertThat(retries.text()).contains("Kim", "•••").doesNotContain("4111-");
        assertThat(retries.at("/items/0/masked").asBoolean()).isTrue();
        Reply one = dashboard.get("/api/job?full=true&place=retries&key="
                + encoded(retries.at("/items/0/key").asString()));
        assertThat(one.at("/arguments/1/masked").asBoolean()).isTrue();
        assertThat(one.at("/attempts/0/message").asString()).isEqualTo("The card ••• of Kim is void");
        assertThat(one.text()).contains("Kim").doesNotContain("4111-");
        assertThat(dashboard.get("/api/failures").text()).doesNotContain("4111-");
        assertThat(dashboard.get("/api/jobs?place=retries&text=4111").at("/items"))
                .isEmpty();
        assertThat(dashboard.get("/api/jobs?place=retries&error=4111").at("/items"))
                .isEmpty();
        assertThat(dashboard.get("/api/jobs?place=retries&text=Kim").at("/items"))
                .hasSize(1);
        Reply dead = dashboard.get("/api/jobs?place=dead");
        assertThat(dead.at("/items")).hasSize(2);
        assertThat(dead.text()).doesNotContain("ruby-secret");
        dead.at("/items").forEach(item -> assertThat(dashboard
                        .get("/api/job?full=true&place=dead&key="
                                + encoded(item.path("key").asString()))
                        .text())
                .doesNotContain("ruby-secret"));
        assertThat(dashboard.get("/").text()).doesNotContain("4111-");
        soon().untilAsserted(() -> assertThat(output.getAll()).contains("The card ••• of Kim is void"));
        assertThat(output.getAll()).doesNotContain("4111-");
    }

    @Test
    void hidesWhatABeanMasksInLogLinesToo(CapturedOutput output) {
        dashboard.bean(JobClient.class).enqueue(TestApplication.Jobs::sell, "fail-secret-7");

        soon().untilAsserted(() -> assertThat(
                        dashboard.get("/api/jobs?place=retries").at("/items"))
                .hasSize(1));

        soon().untilAsserted(() -> assertThat(output.getAll()).contains("No ••• left"));
        assertThat(output.getAll()).doesNotContain("fail-secret-7");
        assertThat(dashboard.get("/api/jobs?place=retries").text()).doesNotContain("fail-secret-7");
    }

    @Test
    void namesNoJobByAnArgumentThatIsMasked() {
        String job = "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"args\":[\"inner-secret\"],\"jid\":\"w\","
                + "\"queue\":\"elsewhere\",\"failed_at\":1,\"error_class\":\"E\"}";
        dashboard.redis().opsForZSet().add("dead", job, 1);
        dashboard
                .redis()
                .opsForZSet()
                .add("dead", "{\"class\":\"RubyJob\",\"args\":\"ruby-secret\",\"error_message\":\"a ruby-secret\"}", 2);
        dashboard.redis().opsForSet().add("queues", "elsewhere");
        dashboard.redis().opsForList().leftPush("queue:elsewhere", job);

        for (String path : List.of(
                "/api/jobs?place=dead",
                "/api/jobs?place=queue&queue=elsewhere",
                "/api/failures?place=dead",
                "/api/find?jid=w",
                "/api/overview",
                "/api/job?full=true&place=dead&key="
                        + encoded(dashboard
                                .get("/api/jobs?place=dead")
                                .at("/items/1/key")
                                .asString()))) {
            assertThat(dashboard.get(path).text())
                    .as(path)
                    .doesNotContain("inner-secret")
                    .doesNotContain("ruby-secret");
        }
        assertThat(dashboard.get("/api/jobs?place=dead&job=inner-secret").at("/items"))
                .isEmpty();
        assertThat(dashboard
                        .get("/api/jobs?place=dead&job=Sidekiq%3A%3AActiveJob%3A%3AWrapper")
                        .at("/items"))
                .hasSize(1);
    }
}
