package dev.jobs.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.deaths.OnDeath;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.retries.Retry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The requests of docs/observability.md succeed in their order, and their answers have the members that it shows. */
class EndpointDocIT {

    private static final Pattern EXAMPLE = Pattern.compile(
            "^```http\\n(GET|POST) (/actuator/jobs\\S*)\\n(?:\\n(.*?)\\n)?```\\n\\n```json\\n(.*?)^```$",
            Pattern.MULTILINE | Pattern.DOTALL);

    /** Their members are data. */
    private static final Set<String> MAPS = Set.of("events", "callbacks", "weights");

    private final HttpClient http = HttpClient.newHttpClient();

    private record Example(String method, String path, String body, String answer) {}

    @Test
    void examplesHaveTheMembersOfTheAnswers() throws Exception {
        List<Example> examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/observability.md")))
                .results()
                .map(found -> new Example(
                        found.group(1), found.group(2), found.group(3) == null ? "" : found.group(3), found.group(4)))
                .toList();
        assertThat(examples).hasSizeGreaterThan(15);

        try (EmbeddedRedis redis = EmbeddedRedis.start();
                ConfigurableApplicationContext context = start(redis)) {
            String batch = prepare(context);
            String root = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
            SoftAssertions softly = new SoftAssertions();
            for (Example each : examples) {
                HttpResponse<String> response = send(each, root + each.path().replaceFirst("/ID$", "/" + batch));
                softly.assertThat(response.statusCode()).as("%s", each).isEqualTo(200);
                softly.assertThat(members(JsonMapper.shared().readTree(each.answer())))
                        .as("%s", each)
                        .isEqualTo(members(JsonMapper.shared().readTree(response.body())));
            }
            context.getBean(Shop.class).opened.countDown();
            softly.assertAll();
        }
    }

    private static ConfigurableApplicationContext start(EmbeddedRedis redis) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.data.redis.port=" + redis.port(),
                        "jobs.queues=default,mail",
                        "jobs.recurring.schedules.newsletter.job=Shop.fail",
                        "jobs.recurring.schedules.newsletter.cron=0 8 * * *",
                        "management.endpoints.web.exposure.include=jobs",
                        "management.endpoint.jobs.access=unrestricted")
                .run();
    }

    /** Makes one of everything that the page shows, and returns the id of the batch. */
    private static String prepare(ConfigurableApplicationContext context) {
        JobClient jobs = context.getBean(JobClient.class);
        JobsAdmin admin = context.getBean(JobsAdmin.class);
        Batches batches = context.getBean(Batches.class);
        jobs.enqueue(Shop::sync);
        jobs.enqueue(Shop::sync);
        jobs.queue("reports").enqueue(Shop::fail);
        jobs.in(Duration.ofDays(1)).unique("invoice:7").enqueue(Shop::fail);
        String batch = batches.create(
                "newsletters", created -> created.add(JobCall.of(Shop::fail).retry(0)));
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(admin.processes().all()).hasSize(1);
            assertThat(context.getBean(RecurringJobs.class).declaredChanges()).hasSize(1);
            assertThat(admin.limits().all())
                    .anySatisfy(limit -> assertThat(limit.waiting()).isEqualTo(1));
            assertThat(batches.find(batch).map(BatchStatus::dead)).hasValue(1L);
        });
        return batch;
    }

    private HttpResponse<String> send(Example example, String address) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(address))
                        .header("Content-Type", "application/json")
                        .method(example.method(), BodyPublishers.ofString(example.body()))
                        .build(),
                BodyHandlers.ofString());
    }

    /** The paths of all members, those of the first element for an array. */
    private static Set<String> members(JsonNode node) {
        Set<String> paths = new TreeSet<>();
        collect(node, "", paths);
        return paths;
    }

    private static void collect(JsonNode node, String path, Set<String> paths) {
        if (node.isArray() && !node.isEmpty()) {
            collect(node.get(0), path + "/0", paths);
        } else if (node.isObject() && !MAPS.contains(path.substring(path.lastIndexOf('/') + 1))) {
            node.properties().forEach(each -> collect(each.getValue(), path + "/" + each.getKey(), paths));
        } else {
            paths.add(path);
        }
    }

    static class Shop {

        final CountDownLatch opened = new CountDownLatch(1);

        @Job
        @Limit(name = "erp", concurrency = 1)
        void sync() throws InterruptedException {
            opened.await();
        }

        @Job(queue = "mail")
        @Retry(maxRetries = 8, delay = "1h", multiplier = 2, maxDelay = "2h", excludes = IllegalArgumentException.class)
        void fail() {
            throw new IllegalStateException("always");
        }

        @OnDeath("fail")
        void failed() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}
}
