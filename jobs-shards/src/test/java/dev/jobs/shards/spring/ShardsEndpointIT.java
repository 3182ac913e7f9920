package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.deaths.OnDeath;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.limits.Limit;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint of an application with two shards. */
class ShardsEndpointIT {

    private final HttpClient http = HttpClient.newHttpClient();

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    private EmbeddedRedis redis;
    private EmbeddedRedis second;
    private ConfigurableApplicationContext context;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        second = EmbeddedRedis.start();
    }

    @AfterEach
    void stop() {
        context.close();
        redis.close();
        second.close();
    }

    @Test
    void theOverviewHasTheSumsAndTheNumbersOfEachShard() throws Exception {
        run("--jobs.worker.enabled=false");
        enqueueThree();

        JsonNode body = json(get(""), 200);

        assertThat(body.at("/stats/enqueued").asInt()).isEqualTo(3);
        assertThat(body.at("/stats/books/claimed").asInt()).isZero();
        assertThat(body.at("/shards/0/name").asString()).isEqualTo("home");
        assertThat(body.at("/shards/0/figures/stats/enqueued").asInt()).isEqualTo(1);
        assertThat(body.at("/shards/1/name").asString()).isEqualTo("east");
        assertThat(body.at("/shards/1/address").asString()).isEqualTo("localhost:" + second.port() + ", database 0");
        assertThat(body.at("/shards/1/figures/stats/enqueued").asInt()).isEqualTo(2);
        assertThat(json(get("?shard=east"), 200).at("/stats/enqueued").asInt()).isEqualTo(2);
        assertThat(json(get("?shard=north"), 404).at("/error").asString())
                .isEqualTo("There is no shard 'north': the shards are [home, east]");
    }

    @LongTest
    @Test
    void oneShardThatIsAwayLeavesTheOthers() throws Exception {
        run("--jobs.worker.enabled=false");
        enqueueThree();
        ports.close(second);

        JsonNode body = json(get(""), 200);
        assertThat(body.at("/stats/enqueued").asInt()).isEqualTo(1);
        assertThat(body.at("/shards/1/error").asString()).contains("localhost:" + second.port());
        JsonNode queues = json(get("/queues"), 200);
        assertThat(queues.at("/shards/home/queues/0/name").asString()).isEqualTo("default");
        assertThat(queues.at("/shards/east/error").asString()).contains("Redis");
        json(get("/queues/orders"), 503);
        json(get("/queues/default"), 200);

        ports.close(redis);

        assertThat(json(get(""), 503).at("/shards/0/error").asString()).contains("Redis");
        json(get("/queues"), 503);
    }

    @Test
    void whatTheCodeOfAllShardsSaysIsSaidOnceAndWithoutThem() throws Exception {
        run("--jobs.worker.enabled=false");
        ports.close(second);

        assertThat(json(get("/retries"), 200).at("/retries/0/job").asString()).isEqualTo("Shop.order");
        assertThat(json(get("/retries?shard=east"), 200).at("/retries/0/job").asString())
                .isEqualTo("Shop.order");
        assertThat(json(get("/last-words"), 200).at("/last-words/0/job").asString())
                .isEqualTo("Shop.order");
        assertThat(json(get("/retries?shard=north"), 404).at("/error").asString())
                .isEqualTo("There is no shard 'north': the shards are [home, east]");
    }

    @Test
    void anOperationIsDoneInTheShardsThatHaveWhatItIsAbout() throws Exception {
        run("--jobs.worker.enabled=false");
        enqueueThree();
        JobClient jobs = context.getBean(JobClient.class);
        for (int i = 0; i < 20; i++) {
            jobs.queue("events").enqueue(Shop::sell, "e" + i);
        }
        JobShards shards = context.getBean(JobShards.class);
        shards.get("east")
                .batches()
                .create("far", batch -> batch.add(JobCall.of(Shop::sell, "x").queue("orders")));
        String batch = shards.get("east")
                .admin()
                .batches()
                .list(true, each -> true, 0, 1, dev.jobs.admin.ScanBudget.standard())
                .items()
                .get(0)
                .id();

        assertThat(json(post("/queues/orders", "pause"), 200).at("/changed").asBoolean())
                .isTrue();
        assertThat(shards.get("east").admin().queues().paused()).containsExactly("orders");
        assertThat(json(post("/queues/events", "pause"), 200)
                        .at("/shards/east/changed")
                        .asBoolean())
                .isTrue();
        assertThat(shards.get("home").admin().queues().paused()).containsExactly("events");
        assertThat(json(get("/queues/events"), 200).at("/shards/home/paused").asBoolean())
                .isTrue();
        assertThat(json(get("/batches/" + batch), 200).at("/name").asString()).isEqualTo("far");
        json(post("/batches/" + batch, "cancel"), 200);
        assertThat(shards.get("east").batches().find(batch).orElseThrow().cancelledAt())
                .isNotNull();
        json(post("/batches/none", "cancel"), 404);
    }

    @LongTest
    @Test
    void aQueueIsMovedToTheShardThatNamesIt() throws Exception {
        run("--jobs.moving-queues.orders.from=home");
        JobShards shards = context.getBean(JobShards.class);
        await().atMost(Duration.ofSeconds(60)) // its heartbeat shows a process after it was registered
                .until(() -> shards.all().stream()
                        .allMatch(shard -> shard.admin().processes().workforce().workers("orders") == 1));
        shards.all().forEach(shard -> shard.admin().queues().pause("orders"));
        for (int i = 0; i < 250; i++) {
            shards.get("home").client().queue("orders").enqueue(Shop::sell, "old" + i);
        }

        assertThat(json(post("/queues/orders", "transfer"), 200).at("/empty").asBoolean())
                .isTrue();
        assertThat(json(post("/queues/orders", "transfer-status"), 200)
                        .at("/report/open")
                        .asBoolean())
                .isTrue();
        assertThat(json(post("/queues/orders", "transfer-finish"), 200)
                        .at("/report/open")
                        .asBoolean())
                .isFalse();

        assertThat(shards.get("east")
                        .admin()
                        .queues()
                        .find("orders")
                        .orElseThrow()
                        .size())
                .isEqualTo(250);
        assertThat(json(post("/queues/default", "transfer"), 400).at("/error").asString())
                .contains("set jobs.moving-queues[default].from to the shard where it was");
    }

    /** Every engine declares all limits of the code. */
    @Test
    void aLimitIsSetInAllShardsThatHaveIt() throws Exception {
        run();
        JobShards shards = context.getBean(JobShards.class);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> shards.all().stream().allMatch(shard -> shard.admin().limits().all().stream()
                        .anyMatch(each -> each.name().equals("erp"))));

        JsonNode set = json(send("/limits/erp", "{\"action\":\"set\",\"concurrency\":7}"), 200);

        assertThat(set.at("/shards/home/changed").asBoolean()).isTrue();
        assertThat(set.at("/shards/east/changed").asBoolean()).isTrue();
        assertThat(json(get("/limits/erp"), 200).at("/shards/east/name").asString())
                .isEqualTo("erp");
        for (JobShards.Shard shard : shards.all()) {
            assertThat(shard.admin().limits().all())
                    .filteredOn(each -> each.name().equals("erp"))
                    .singleElement()
                    .satisfies(each -> assertThat(each.concurrency()).isEqualTo(7));
        }
        json(get("/limits/none"), 404);
    }

    @Test
    void aQueueThatMovesIsPausedInBothShards() throws Exception {
        run("--jobs.moving-queues.orders.from=home", "--jobs.worker.enabled=false");
        JobShards shards = context.getBean(JobShards.class);
        shards.all().forEach(shard -> shard.client().queue("orders").enqueue(Shop::sell, "pen"));

        JsonNode paused = json(post("/queues/orders", "pause"), 200);

        assertThat(paused.at("/shards/home/changed").asBoolean()).isTrue();
        assertThat(paused.at("/shards/east/changed").asBoolean()).isTrue();
        assertThat(shards.all())
                .allSatisfy(shard -> assertThat(shard.admin().queues().paused()).containsExactly("orders"));
        assertThat(json(get("/queues/orders"), 200).at("/shards/home/size").asInt())
                .isEqualTo(1);
        assertThat(json(send("/queues/orders", "{\"action\":\"transfer\",\"shard\":\"east\"}"), 400)
                        .at("/error")
                        .asString())
                .contains("takes no 'shard'");
    }

    @Test
    void selfIsTheWorkerInAllShards() throws Exception {
        run();
        var engines = context.getBean(OwnEngines.class).byInstallation().values();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> engines.stream().allMatch(each -> each.health().alive()));

        json(post("/processes/self", "quiet"), 200);

        assertThat(engines).hasSize(2).allMatch(each -> each.health().state() == State.QUIET);
    }

    private void enqueueThree() {
        JobClient jobs = context.getBean(JobClient.class);
        jobs.enqueue(Shop::sell, "book");
        jobs.queue("orders").enqueue(Shop::sell, "pen");
        jobs.queue("orders").enqueue(Shop::sell, "ink");
    }

    private void run(String... arguments) {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.timeout=1s",
                        "jobs.shutdown-timeout=0s",
                        "jobs.queues=default,orders",
                        "jobs.shards.home.queues=default",
                        "jobs.shards.east.url=redis://localhost:" + second.port(),
                        "jobs.shards.east.queues=orders",
                        "jobs.spread-queues.events.by=jid",
                        "management.endpoint.jobs.access=unrestricted",
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

    private static JsonNode json(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body());
    }

    static class Shop {

        @Job
        void sell(String what) {}

        @Job(queue = "orders")
        @Limit(name = "erp", concurrency = 2)
        void order() {}

        @OnDeath("order")
        void notOrdered() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    @Import(Shop.class)
    static class Application {

        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.csrf(CsrfConfigurer::disable).build();
        }
    }
}
