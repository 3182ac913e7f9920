package dev.jobs.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.proof.LongTest;
import dev.jobs.sample.Order.Card;
import dev.jobs.sample.ReflectiveCall.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.agent.RuntimeHintsAgent;

/** The shop as its build prepares it for a native image, and on a JVM for a fast start. */
class AheadOfTimeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Those that make reflective calls for us. */
    private static final String TRACED = "=+dev.jobs,+org.springframework,+tools.jackson,+org.hibernate.validator";

    @TempDir
    Path directory;

    @Test
    @LongTest
    @Tag("system")
    void everyReflectiveCallIsInTheMetadataOfANativeImage() throws Exception {
        PreparedShop prepared = PreparedShop.in(directory);
        Path trace = directory.resolve("trace");

        try (ShopProcess shop = ShopProcess.start(
                directory.resolve("shop.log"),
                ShopProcess.java(
                        prepared.classPath(),
                        "-Dspring.aot.enabled=true",
                        "-javaagent:" + agent() + TRACED,
                        "-D" + TracedShop.FILE + "=" + trace),
                TracedShop.class,
                "--shop.demo-orders=1",
                "--shop.review-after=1s",
                "--shop.takes.charge=20ms",
                "--shop.takes.report-day=1ms",
                "--shop.takes.enroll=1ms",
                "--shop.takes.export-part=1ms",
                "--shop.export-directory=" + directory.resolve("exports"))) {
            assertThat(shop.log()).contains("Starting AOT-processed ShopApplication");
            useEverything(shop);
            shop.terminate();
        }

        List<ReflectiveCall> calls =
                Files.readAllLines(trace).stream().map(ReflectiveCall::parse).toList();
        assertThat(calls).extracting(ReflectiveCall::kind).contains(Kind.METHOD, Kind.TYPE, Kind.LAMBDA, Kind.RESOURCE);
        NativeMetadata metadata = prepared.metadata();
        assertThat(calls.stream().filter(call -> !metadata.covers(call))).isEmpty();
    }

    /** Each way to enqueue, each kind of job, the pages and the endpoint. */
    private static void useEverything(ShopProcess shop) {
        long paid = shop.order("ada@example.com", Card.VISA);
        long declined = shop.order("alan@example.com", Card.DECLINED);
        String imported = id(shop, "/imports", "text/csv", "TEA-1,Green tea,890\nTEA-2\n");
        String enrolled = id(shop, "/enrollments", "application/json", """
                {"campaign": "Sale", "products": 10}""");
        String exported = id(shop, "/exports?records=1500", "text/plain", "");
        String report = id(shop, "/reports?days=5", "text/plain", "");
        shop.post("/prices/rounding", "text/plain", "");

        awaitAsserted(() -> assertThat(shop.timeline(paid)).contains("receipt mailed", "review reminder mailed"));
        awaitAsserted(() -> assertThat(shop.timeline(declined)).contains("request for another card mailed"));
        awaitAsserted(
                () -> assertThat(shop.get("/exports/" + exported + "/file")).isNotEmpty());
        awaitAsserted(() -> assertThat(
                        shop.getJson("/reports/" + report).get("finished").asBoolean())
                .isTrue());
        awaitAsserted(() -> assertThat(shop.log()).contains("Campaign 'Sale' is published", "done Pricing.roundUp"));
        assertThat(shop.get("/imports/" + imported + "/events")).contains("event:finished");
        shop.get("/enrollments/" + enrolled + "/jobs?state=failed");
        awaitAsserted(() ->
                assertThat(shop.getJson("/enrollments/products?state=failed")).isNotEmpty());
        assertThat(shop.getJson("/enrollments?campaign=Sale")).isNotEmpty();

        for (String path : List.of("", "/queues", "/queues/critical", "/processes", "/recurring", "/batches")) {
            shop.get("/actuator/jobs" + path);
        }
        shop.openDashboard();
        assertThat(shop.get("/jobs/")).contains("<html");
        assertThat(shop.get("/jobs/assets/app.js")).isNotEmpty();
        assertThat(shop.getJson("/jobs/api/jobs?place=dead").at("/items")).isNotEmpty();
        for (String path : List.of(
                "session",
                "overview",
                "busy",
                "queues",
                "queue?name=critical",
                "failures?place=dead",
                "find?jid=" + imported + "00000001",
                "metrics",
                "metric?job=charge-card",
                "trash",
                "recurring",
                "history/tasks?tag=campaign:Sale",
                "history/task?id=" + enrolled,
                "history/jobs?text=sold",
                "history/job?jid=" + enrolled + "00000001",
                "batches",
                "batch?id=" + enrolled,
                "batch/failures?id=" + enrolled,
                "batch/jobs?id=" + enrolled,
                "batch/wait?id=" + enrolled)) {
            shop.get("/jobs/api/" + path);
        }
    }

    private static String id(ShopProcess shop, String path, String type, String body) {
        return shop.post(path, type, body).get("id").asString();
    }

    @SuppressWarnings("removal") // there is no other agent but that of GraalVM
    private static Path agent() throws Exception {
        return Path.of(RuntimeHintsAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static void awaitAsserted(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).untilAsserted(assertion);
    }
}
