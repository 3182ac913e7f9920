package dev.jobs.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.Masked;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import dev.jobs.unique.Unique;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JobsEndpointIT {

    private final HttpClient http = HttpClient.newHttpClient();

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    private EmbeddedRedis redis;
    private ConfigurableApplicationContext context;

    @BeforeEach
    void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterEach
    void stop() {
        context.close();
        redis.close();
    }

    @Test
    void showsTheNumbersAndTheWorker() throws Exception {
        start();
        await().untilAsserted(() ->
                assertThat(context.getBean(JobEngine.class).health().alive()).isTrue());
        context.getBean(JobClient.class).queue("later").enqueue(Shop::sell, "secret");

        HttpResponse<String> response = get("");

        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode body = json(response);
        assertThat(body.at("/stats/enqueued").asInt()).isEqualTo(1);
        assertThat(body.at("/stats/books/claimed").asInt()).isZero();
        assertThat(body.at("/worker/state").asString()).isEqualTo("RUNNING");
        assertThat(body.at("/worker/concurrency").asInt()).isEqualTo(10);
        assertThat(response.body()).doesNotContain("secret");
    }

    @Test
    void showsQueues() throws Exception {
        start();
        context.getBean(JobClient.class).queue("later").enqueue(Shop::sell, "book");

        assertThat(json(get("/queues")).at("/queues/0/name").asString()).isEqualTo("later");
        assertThat(json(get("/queues/later")).at("/size").asInt()).isEqualTo(1);
        assertProblem(get("/queues/unknown"), 404, "No job was ever in a queue 'unknown'");
        assertProblem(
                get("/unknown"),
                404,
                "the sections are queues, processes, recurring, batches, limits, locks, last-words and retries");
        assertProblem(get("/recurring/nightly"), 404, "The section 'recurring' is a list");
        assertProblem(
                get("/unknown/later"),
                404,
                "the sections are queues, processes, recurring, batches, limits, locks, last-words and retries");
    }

    @Test
    void showsHowJobsAreRetried() throws Exception {
        start();

        JsonNode rules = json(get("/retries")).at("/retries");
        assertThat(rules.findValuesAsString("job")).isSorted().contains("Shop.sell");
        assertProblem(get("/retries/Shop.sell"), 404, "The section 'retries' is a list");
    }

    @Test
    void showsProcesses() throws Exception {
        start();
        JobEngine engine = context.getBean(JobEngine.class);
        await().untilAsserted(() ->
                assertThat(json(get("/processes")).at("/processes")).hasSize(1));
        String identity = engine.health().identity();

        assertThat(json(get("/processes")).at("/processes/0/identity").asString())
                .isEqualTo(identity);
        assertThat(json(get("/processes/" + identity)).at("/concurrency").asInt())
                .isEqualTo(10);
        assertThat(json(get("/processes/self")).at("/identity").asString()).isEqualTo(identity);
        assertProblem(get("/processes/unknown:1:2"), 404, "No process 'unknown:1:2'");
    }

    @Test
    @Tag("sidekiq-29")
    void showsRecurringJobsWithoutTheirArguments() throws Exception {
        start();
        RecurringJobs recurring = context.getBean(RecurringJobs.class);
        recurring.save("sale", Recurrence.cron("0 2 * * *").zone("Europe/Berlin"), JobCall.of(Shop::sell, "secret"));
        recurring.save("paused", Recurrence.cron("@daily"), JobCall.of(Shop::sell, "secret"));
        recurring.pause("paused");

        HttpResponse<String> response = get("/recurring");

        JsonNode body = json(response);
        assertThat(body.at("/recurring")).hasSize(2);
        assertThat(body.at("/recurring/0/name").asString()).isEqualTo("paused");
        assertThat(body.at("/recurring/0/enabled").asBoolean()).isFalse();
        assertThat(body.at("/recurring/0/next").isNull()).isTrue();
        assertThat(body.at("/recurring/1/cron").asString()).isEqualTo("0 2 * * * Europe/Berlin");
        assertThat(body.at("/recurring/1/origin").asString()).isEqualTo("API");
        assertThat(body.at("/recurring/1/declaredBy").isNull()).isTrue();
        assertThat(body.at("/recurring/1/next").asString()).endsWith(":00:00Z");
        assertThat(response.body()).doesNotContain("secret");
    }

    @Test
    void showsBatchesWithoutTheirJobs() throws Exception {
        start("--jobs.worker.enabled=false");
        Batches batches = context.getBean(Batches.class);
        for (int i = 0; i < 51; i++) {
            batches.create("sale " + i, batch -> batch.add(JobCall.of(Shop::sell, "secret")));
        }
        String ended = batches.create("ended", batch -> {});

        JsonNode first = json(get("/batches"));
        assertThat(first.at("/total").asInt()).isEqualTo(52);
        assertThat(first.at("/batches")).hasSize(50);
        JsonNode second = json(get("/batches?from=" + first.at("/next").asLong()));
        assertThat(second.at("/batches")).hasSize(2);
        assertThat(second.at("/next").asLong()).isEqualTo(-1);
        assertThat(json(get("/batches?unfinished=true")).at("/total").asInt()).isEqualTo(52);

        HttpResponse<String> one = get("/batches/" + second.at("/batches/1/id").asString());
        assertThat(json(one).at("/name").asString()).isEqualTo("sale 0");
        assertThat(json(one).at("/state").asString()).isEqualTo("RUNNING");
        assertThat(json(one).at("/waiting").asInt()).isEqualTo(1);
        assertThat(one.body()).doesNotContain("secret");
        assertThat(json(get("/batches/" + ended)).at("/total").asInt()).isZero();
        assertProblem(get("/batches/0123456789abcdef"), 404, "There is no batch '0123456789abcdef'");
        assertProblem(get("/batches/unknown"), 404, "There is no batch 'unknown'");
    }

    @Test
    void cancelsBatchesAndRetriesTheirDeadJobs() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");
        Batches batches = context.getBean(Batches.class);
        String later = batches.create(
                "later", batch -> batch.add(JobCall.of(Shop::sell, "book").queue("later")));
        String dead =
                batches.create("dead", batch -> batch.add(JobCall.of(Shop::fail).retry(0)));
        await().untilAsserted(() ->
                assertThat(batches.find(dead).map(BatchStatus::dead)).hasValue(1L));

        assertThat(json(post("/batches/" + later, "cancel")).at("/changed").asBoolean())
                .isTrue();
        assertThat(json(post("/batches/" + dead, "retry")).at("/retried").asInt())
                .isEqualTo(1);

        assertThat(batches.find(later).orElseThrow().cancelledAt()).isNotNull();
        assertProblem(post("/batches/0123456789abcdef", "cancel"), 404, "There is no batch");
        assertProblem(post("/batches/" + later, "drop"), 400, "The action 'drop' is unknown");
    }

    @Test
    void showsAndChangesLimits() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");
        JobClient jobs = context.getBean(JobClient.class);
        CountDownLatch opened = context.getBean(Shop.class).opened;
        jobs.enqueue(Shop::sync, "secret");
        jobs.enqueue(Shop::sync, "secret");
        await().untilAsserted(() ->
                assertThat(json(get("/limits/erp")).at("/waiting").asInt()).isEqualTo(1));

        HttpResponse<String> all = get("/limits");
        assertThat(json(all).at("/limits/0/name").asString()).isEqualTo("erp");
        assertThat(json(all).at("/limits/0/concurrency").asInt()).isEqualTo(1);
        assertThat(json(all).at("/limits/0/held").asInt()).isEqualTo(1);
        assertThat(json(all).at("/limits/0/changed").asBoolean()).isFalse();
        assertThat(json(all).at("/limits/0/longestWait").isMissingNode()).isFalse();
        assertThat(all.body()).doesNotContain("secret");

        assertThat(json(send("/limits/erp", "{\"action\":\"set\",\"concurrency\":2}"))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        await().untilAsserted(() ->
                assertThat(json(get("/limits/erp")).at("/held").asInt()).isEqualTo(2));
        assertThat(json(get("/limits/erp")).at("/changed").asBoolean()).isTrue();
        assertThat(json(post("/limits/erp", "reset")).at("/changed").asBoolean())
                .isTrue();
        assertThat(json(get("/limits/erp")).at("/concurrency").asInt()).isEqualTo(1);
        opened.countDown();

        assertProblem(get("/limits/unknown"), 404, "No worker has declared a limit 'unknown'");
        assertProblem(post("/limits/erp", "set"), 400, "needs 'concurrency'");
        assertProblem(
                send("/limits/erp", "{\"action\":\"set\",\"concurrency\":0}"),
                400,
                "'concurrency' must be 1 to 1000000");
        assertThat(json(send("/limits/erp", "{\"action\":\"set\",\"rate\":100,\"per\":\"20s\",\"burst\":5}"))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(json(get("/limits/erp")).at("/rate/jobs").asInt()).isEqualTo(100);
        assertThat(json(get("/limits/erp")).at("/rate/burst").asInt()).isEqualTo(5);
        assertThat(json(get("/limits/erp")).at("/concurrency").asInt()).isEqualTo(1);
        for (String wrong : List.of(
                "\"rate\":1",
                "\"per\":\"1s\"",
                "\"burst\":1,\"concurrency\":1",
                "\"rate\":0,\"per\":\"1s\"",
                "\"rate\":1,\"per\":\"soon\"")) {
            assertThat(send("/limits/erp", "{\"action\":\"set\"," + wrong + "}").statusCode())
                    .as(wrong)
                    .isEqualTo(400);
        }
        assertProblem(post("/limits/erp", "drop"), 400, "limits take set and reset");
    }

    @Test
    void setsBothNumbersOfALimitOrNeither() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");
        String both = "{\"action\":\"set\",\"concurrency\":8,\"rate\":100,\"per\":\"20s\"}";

        assertProblem(send("/limits/queue:mail", both), 400, "can't have a rate");
        assertThat(get("/limits/queue:mail").statusCode()).isEqualTo(404);
        assertProblem(send("/limits/api", both.replace("8", "0")), 400, "'concurrency' must be 1 to 1000000");
        assertThat(get("/limits/api").statusCode()).isEqualTo(404);

        assertThat(json(send("/limits/api", both)).at("/changed").asBoolean()).isTrue();
        assertThat(json(send("/limits/api", both)).at("/changed").asBoolean()).isFalse();
        assertThat(json(get("/limits/api")).at("/concurrency").asInt()).isEqualTo(8);
        assertThat(json(get("/limits/api")).at("/rate/jobs").asInt()).isEqualTo(100);
        assertThat(json(send("/limits/queue:mail", "{\"action\":\"set\",\"concurrency\":8}"))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void showsNoDigestWhereAKeyMayBeMadeOfMaskedArguments() throws Exception {
        start("--jobs.worker.enabled=false", "--spring.main.sources=" + MaskedCards.class.getName());
        String jid = context.getBean(JobClient.class).enqueue("Cards.check", "4111");

        JsonNode locks = json(get("/locks"));

        assertThat(locks.at("/locks/0/holder").asString()).isEqualTo(jid);
        assertThat(locks.at("/locks/0/digest").asString()).isEqualTo("•••");
    }

    /** More jobs of the shop. */
    static class MaskedCards {

        @Job("Cards.check")
        @Unique public void check(@Masked String card) {}
    }

    @Test
    void showsLocks() throws Exception {
        start("--jobs.worker.enabled=false");
        assertThat(json(get("/locks")).at("/locks")).isEmpty();
        String jid = context.getBean(JobClient.class).unique("sale:5").enqueue(Shop::sell, "secret");

        HttpResponse<String> locks = get("/locks");

        assertThat(json(locks).at("/locks/0/holder").asString()).isEqualTo(jid);
        assertThat(json(locks).at("/partial").asBoolean()).isFalse();
        assertThat(locks.body()).doesNotContain("secret");
    }

    @Test
    void changesNothingUnlessItIsAllowedTo() throws Exception {
        start();

        assertThat(post("/queues/default", "pause").statusCode()).isEqualTo(405);
        assertThat(post("/processes/self", "quiet").statusCode()).isEqualTo(405);
        assertThat(post("/batches/0123456789abcdef", "cancel").statusCode()).isEqualTo(405);
        assertThat(post("/limits/erp", "reset").statusCode()).isEqualTo(405);
        assertThat(context.getBean(JobsAdmin.class).queues().paused()).isEmpty();
        assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(State.RUNNING);
    }

    @Test
    void pausesAndResumesQueues() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");
        JobsAdmin admin = context.getBean(JobsAdmin.class);
        admin.queues().pause("mail");

        assertThat(post("/queues/mail", "resume").statusCode()).isEqualTo(200);
        assertThat(admin.queues().paused()).isEmpty();

        context.getBean(JobClient.class).queue("later").enqueue(Shop::sell, "book");
        assertThat(json(post("/queues/later", "pause")).at("/changed").asBoolean())
                .isTrue();
        assertThat(json(post("/queues/later", "pause")).at("/changed").asBoolean())
                .isFalse();
        assertThat(admin.queues().paused()).containsExactly("later");

        await().untilAsserted(() -> assertThat(admin.processes().all()).isNotEmpty());
        assertThat(post("/queues/default", "pause").statusCode())
                .as("a queue that is only worked off")
                .isEqualTo(200);
        assertProblem(post("/queues/unknown", "pause"), 404, "No job was ever in a queue 'unknown'");
        assertProblem(post("/queues/later", "drop"), 400, "The action 'drop' is unknown");
        assertProblem(
                post("/unknown/later", "pause"),
                404,
                "the sections are queues, processes, recurring, batches, limits, locks, last-words and retries");
    }

    /** Its worker has sent no heartbeat while it starts, nor after it was stopped. */
    @Test
    void knowsTheQueuesOfItsOwnWorkerWithoutItsHeartbeat() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");
        context.getBean(JobEngine.class).stop();
        assertThat(context.getBean(JobsAdmin.class).processes().all()).isEmpty();

        assertThat(json(post("/queues/default", "pause")).at("/changed").asBoolean())
                .isTrue();
        assertThat(json(get("/queues/default")).at("/paused").asBoolean()).isTrue();
        assertThat(json(get("/queues/default")).at("/size").asInt()).isZero();
        assertThat(json(post("/queues/default", "resume")).at("/changed").asBoolean())
                .isTrue();
        assertThat(json(get("/queues/default")).at("/paused").asBoolean(true)).isFalse();
        assertProblem(
                post("/queues/unknown", "pause"),
                404,
                "No job was ever in a queue 'unknown', and no process with a heartbeat within the last minute serves it");
    }

    @Test
    void quietsThisProcess() throws Exception {
        start("--management.endpoint.jobs.access=unrestricted");

        assertThat(json(post("/processes/self", "quiet")).path("changed").asBoolean())
                .isTrue();

        assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(State.QUIET);
        assertThat(json(post("/processes/self", "quiet")).path("changed").asBoolean())
                .isFalse();
    }

    @Test
    void quietsAnyProcess() throws Exception {
        start("--jobs.worker.enabled=false", "--management.endpoint.jobs.access=unrestricted");
        StringRedisTemplate commands = context.getBean(StringRedisTemplate.class);
        // the hash first: gauges are read after the start, which forgets what is listed without one
        commands.opsForHash().putAll("ruby.example:1:abc", Map.of("info", "{}", "beat", "1.0", "busy", "0"));
        commands.opsForSet().add("processes", "ruby.example:1:abc");

        assertThat(post("/processes/ruby.example:1:abc", "quiet").statusCode()).isEqualTo(200);

        assertThat(commands.opsForList().range("ruby.example:1:abc-signals", 0, -1))
                .containsExactly("TSTP");
        assertProblem(post("/processes/unknown:1:2", "quiet"), 404, "No process 'unknown:1:2'");
        assertProblem(post("/processes/self", "quiet"), 404, "No process 'self'");
    }

    @Test
    void saysSoWhenRedisIsAway() throws Exception {
        start("--jobs.worker.enabled=false");
        ports.close(redis);

        assertProblem(get(""), 503, "Redis");
    }

    @Test
    void isNotThereUnlessItIsExposed() throws Exception {
        start("--management.endpoints.web.exposure.include=health");

        assertThat(get("").statusCode()).isEqualTo(404);
        assertThat(context.getBeanProvider(JobsEndpoint.class).getIfAvailable()).isNull();
    }

    private void start(String... arguments) {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.timeout=1s",
                        "management.endpoints.web.exposure.include=jobs")
                .run(arguments);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String action) throws IOException, InterruptedException {
        return send(path, "{\"action\":\"" + action + "\"}");
    }

    private HttpResponse<String> send(String path, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(uri(path))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + "/actuator/jobs" + path);
    }

    private static JsonNode json(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static void assertProblem(HttpResponse<String> response, int status, String text) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(JsonMapper.shared().readTree(response.body()).path("error").asString())
                .contains(text);
    }

    static class Shop {

        final CountDownLatch opened = new CountDownLatch(1);

        @Job
        void sell(String what) {}

        @Job
        @Limit(name = "erp", concurrency = 1)
        void sync(String what) throws InterruptedException {
            opened.await();
        }

        @Job
        void fail() {
            throw new IllegalStateException();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}
}
