package dev.jobs.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.proof.LongTest;
import dev.jobs.sample.Order.Card;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The shop as a visitor sees it: started with nothing installed, and used over HTTP. */
class ShopIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path directory;

    @AutoClose
    static ShopProcess shop;

    @BeforeAll
    static void open() throws Exception {
        shop = ShopProcess.start(
                directory.resolve("shop.log"),
                QuickShop.class,
                "--jobs.poll-interval=100ms",
                "--shop.demo-orders=1",
                "--shop.review-after=1s",
                "--shop.gateway-retry-after=1s",
                "--shop.takes.charge=20ms",
                "--shop.takes.pricing=5ms",
                "--shop.takes.report-day=1ms",
                "--shop.takes.enroll=1ms",
                "--shop.takes.export-part=1ms",
                "--shop.export-directory=" + directory.resolve("exports"));
    }

    /** Its jobs are handed back to their queues while Redis is still up, and then Redis ends. */
    @AfterAll
    static void aTerminatedShopLeavesNoRedis() throws Exception {
        if (shop == null) {
            return; // its start failed
        }
        ProcessHandle redis = shop.embeddedRedis();

        assertThat(shop.terminate()).isEqualTo(128 + 15);

        await("the end of Redis").atMost(PATIENCE).until(() -> !redis.isAlive());
        assertThat(shop.log()).contains("Stopped").doesNotContain("Redis can't be reached");
    }

    @Test
    void anOrderIsChargedAndItsMailsAreSent() {
        long order = shop.order("ada@example.com", Card.VISA);

        awaitAsserted(() -> assertThat(shop.timeline(order))
                .startsWith("order placed")
                .containsExactlyInAnyOrder(
                        "order placed",
                        "confirmation mailed",
                        "card charged after 1 attempt",
                        "receipt mailed",
                        "review reminder mailed"));
    }

    @Test
    void aChargeThatTheGatewayDoesNotAnswerIsTriedAgain() {
        long order = shop.order("grace@example.com", Card.UNSTEADY);

        awaitAsserted(() -> assertThat(shop.timeline(order))
                .containsSubsequence(
                        "attempt 1 to charge the card failed, another follows", "card charged after 2 attempts")
                .contains("receipt mailed"));
    }

    @Test
    void aDeclinedCardIsNotedAndTheCustomerIsAskedForAnother() {
        long order = shop.order("alan@example.com", Card.DECLINED);

        awaitAsserted(() -> assertThat(shop.timeline(order))
                .containsExactlyInAnyOrder(
                        "order placed",
                        "confirmation mailed",
                        "card could not be charged: The card for order " + order + " was declined",
                        "request for another card mailed"));
    }

    @Test
    void ordersThatTheShopPlacesItselfAreListed() {
        awaitAsserted(() -> assertThat(shop.getJson("/orders"))
                .anySatisfy(order -> assertThat(order.get("totalCents").asInt()).isEqualTo(7050)));
    }

    @Test
    void anImportReportsWhatItCouldNotRead() {
        String id = shop.post("/imports", "text/csv", "sku,name,cents\nTEA-1,Tea, green,890\nTEA-2,Tea\n")
                .get("id")
                .asString();

        awaitAsserted(() -> {
            JsonNode progress = shop.getJson("/imports/" + id);
            assertThat(progress.get("state").asString()).isEqualTo("FINISHED");
            assertThat(progress.get("succeeded").asInt()).isEqualTo(1);
            assertThat(progress.get("failed").asInt()).isEqualTo(1);
        });
        JsonNode refused = shop.getJson("/imports/" + id + "/jobs?state=failed");
        assertThat(refused.at("/jobs")).hasSize(1);
        assertThat(refused.at("/jobs/0/index").asInt()).as("number of the line").isEqualTo(3);
        assertThat(refused.at("/jobs/0/messages/0").asString()).isEqualTo("not of the form sku,name,cents");
    }

    /** As when the network fails half way: the first lines are imported, and no line is imported twice. */
    @Test
    void anUploadThatBrokeOffIsContinuedByTheSameUpload() throws Exception {
        List<String> lines = IntStream.rangeClosed(1, 60)
                .mapToObj(number -> "MUG-" + number + ",Mug no. " + number + ",890\n")
                .toList();
        String all = String.join("", lines);
        shop.breakOff("/imports?file=mugs.csv", "text/csv", String.join("", lines.subList(0, 20)), all.length());
        awaitAsserted(() -> assertThat(shop.getJson("/prices").has("MUG-20")).isTrue());
        assertThat(shop.getJson("/prices").has("MUG-60")).isFalse();

        String id =
                shop.post("/imports?file=mugs.csv", "text/csv", all).get("id").asString();

        awaitAsserted(() -> {
            JsonNode progress = shop.getJson("/imports/" + id);
            assertThat(progress.get("state").asString()).isEqualTo("SUCCEEDED");
            assertThat(progress.get("total").asInt()).isEqualTo(60);
        });
        assertThat(shop.log()).containsOnlyOnce("done ProductImports.importRow jid=" + id + "00000001 ");
        assertThat(shop.postInError("/imports?file=mugs.csv", "text/csv", all)).isEqualTo(409);
    }

    @Test
    void anEnrollmentShowsWhichProductsWereRefusedAndWhy() {
        String id = shop.post("/enrollments", "application/json", """
                        {"campaign": "Summer sale", "products": 60}""").get("id").asString();

        awaitAsserted(() -> {
            JsonNode progress = shop.getJson("/enrollments/" + id);
            assertThat(progress.get("state").asString()).isEqualTo("SUCCEEDED");
            assertThat(progress.get("total").asInt()).isEqualTo(60);
            assertThat(progress.get("succeeded").asInt()).isEqualTo(49);
            assertThat(progress.get("failed").asInt()).isEqualTo(11);
        });
        JsonNode refused = shop.getJson("/enrollments/" + id + "/jobs?state=failed");
        assertThat(refused.at("/jobs")).hasSize(11);
        assertThat(refused.at("/jobs/0/index").asInt()).isEqualTo(3);
        assertThat(refused.at("/jobs/0/messages/0").asString()).isEqualTo("Yellow tray is sold out");
        JsonNode triedAgain =
                shop.getJson("/enrollments/" + id + "/jobs?after=48").at("/jobs/0");
        assertThat(triedAgain.at("/state").asString()).isEqualTo("SUCCEEDED");
        assertThat(triedAgain.at("/messages/0").asString()).contains("The warehouse did not answer about product 50");
        awaitAsserted(() -> assertThat(shop.log())
                .contains("Campaign 'Summer sale' is published with 49 products; 11 were refused"));
    }

    @LongTest
    @Test
    void pastEnrollmentsAreFoundByCampaignStateAndWordsOfAMessage() {
        String id = shop.post("/enrollments", "application/json", """
                        {"campaign": "Winter sale", "products": 60}""").get("id").asString();

        String found = "/enrollments/products?campaign=Winter%20sale";
        awaitAsserted(() -> {
            JsonNode past = shop.getJson("/enrollments?campaign=Winter%20sale");
            assertThat(past).hasSize(1);
            assertThat(past.at("/0/id").asString()).isEqualTo(id);
            assertThat(past.at("/0/state").asString()).isEqualTo("SUCCEEDED");
            assertThat(past.at("/0/enrolled").asInt()).isEqualTo(49);
            assertThat(shop.getJson(found + "&state=failed")).hasSize(11);
        });
        JsonNode refused = shop.getJson(found + "&state=failed&text=NOT%20qualif");
        assertThat(refused).extracting(job -> job.get("number").asInt()).containsExactly(13, 42);
        assertThat(refused.at("/0/messages/0").asString()).contains("the seller is not qualified");
        assertThat(shop.getJson(found + "&state=succeeded&text=sold")).isEmpty();
        assertThat(shop.getJson(found)).hasSize(60);
        assertThat(shop.get(found, "X-Customer", "ada").body()).isEqualTo("[]");
        shop.openDashboard();
        assertThat(shop.getJson("/jobs/api/history/jobs?states=failed&text=qualified&tag=campaign:Winter%20sale")
                        .at("/items"))
                .hasSize(2);
    }

    @Test
    void anExportIsJoinedFromItsParts() {
        String id =
                shop.post("/exports?records=2500", "text/plain", "").get("id").asString();

        awaitAsserted(() -> assertThat(shop.getJson("/exports/" + id)
                        .at("/callbacks/SUCCEEDED")
                        .asString())
                .isEqualTo("SUCCEEDED"));
        assertThat(shop.getJson("/exports/" + id).get("total").asInt()).isEqualTo(3);
        assertThat(shop.get("/exports/" + id + "/file").lines().map(line -> line.split(",")[0]))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 2_500)
                        .mapToObj(String::valueOf)
                        .toList());
        assertThat(directory.resolve("exports").resolve(id).toFile().list()).containsExactly("sales.csv");
    }

    @Test
    void aBatchIsShownToItsOwnerOnly() {
        String id = shop.post("/exports?records=1", "text/plain", "").get("id").asString();

        assertThat(shop.get("/exports/" + id, "X-Customer", "guest").statusCode())
                .isEqualTo(200);
        for (String path : List.of("", "/jobs", "/events", "/file")) {
            assertThat(shop.get("/exports/" + id + path, "X-Customer", "eve").statusCode())
                    .isEqualTo(404);
        }
    }

    @LongTest
    @Test
    void aCancelledEnrollmentSkipsTheProductsThatWait() {
        String id = shop.post("/enrollments", "application/json", """
                        {"campaign": "Mistake", "products": 10000}""").get("id").asString();

        shop.delete("/enrollments/" + id);

        awaitAsserted(() -> {
            JsonNode progress = shop.getJson("/enrollments/" + id);
            assertThat(progress.get("state").asString()).isEqualTo("CANCELLED");
            assertThat(progress.get("skipped").asInt()).isPositive();
            assertThat(progress.get("skipped").asInt()
                            + progress.get("succeeded").asInt()
                            + progress.get("failed").asInt())
                    .isEqualTo(10_000);
        });
        shop.post("/enrollments", "application/json", """
                        {"campaign": "Second thoughts", "products": 10}""");
        awaitAsserted(() -> assertThat(shop.log()).contains("Campaign 'Second thoughts' is published"));
        assertThat(shop.log()).doesNotContain("Campaign 'Mistake'");
    }

    @Test
    void aClientFollowsABatchUntilItHasFinished() {
        String id = shop.post("/enrollments", "application/json", """
                        {"campaign": "Spring sale", "products": 10}""").get("id").asString();

        String events = shop.get("/enrollments/" + id + "/events");

        assertThat(events).containsOnlyOnce("event:finished"); // progress comes before it, unless that was too late
        assertThat(events.substring(events.indexOf("event:finished"))).contains("\"succeeded\":8", "\"failed\":2");
    }

    @Test
    void aPollingClientHearsThatNothingHasChanged() {
        String id = shop.post("/exports?records=1", "text/plain", "").get("id").asString();
        awaitAsserted(() -> assertThat(shop.getJson("/exports/" + id)
                        .at("/callbacks/SUCCEEDED")
                        .asString())
                .isEqualTo("SUCCEEDED"));
        String etag = shop.get("/exports/" + id, "Accept", "application/json")
                .headers()
                .firstValue("ETag")
                .orElseThrow();

        assertThat(shop.get("/exports/" + id, "If-None-Match", etag).statusCode())
                .isEqualTo(304);
        assertThat(shop.get("/exports/" + id, "If-None-Match", "\"another\"").statusCode())
                .isEqualTo(200);
    }

    @Test
    void pricesAreRoundedUpInOneJob() {
        shop.post("/imports", "text/csv", "JAR-1,Jar,801\nJAR-2,Jar,890\nJAR-3,Jar,891\n");
        awaitAsserted(() -> assertThat(shop.getJson("/prices").propertyNames()).contains("JAR-1", "JAR-2", "JAR-3"));

        String jid = shop.post("/prices/rounding", "text/plain", "").get("jid").asString();

        awaitAsserted(() -> assertThat(shop.log()).contains("done Pricing.roundUp jid=" + jid));
        JsonNode prices = shop.getJson("/prices");
        assertThat(prices.get("JAR-1").asInt()).isEqualTo(890);
        assertThat(prices.get("JAR-2").asInt()).isEqualTo(890);
        assertThat(prices.get("JAR-3").asInt()).isEqualTo(990);
    }

    @LongTest
    @Test
    void pricesAreRoundedUpByOneJobAtATime() {
        String rows =
                IntStream.range(0, 200).mapToObj(i -> "LID-" + i + ",Lid,801\n").collect(Collectors.joining());
        shop.post("/imports", "text/csv", rows);
        awaitAsserted(() -> assertThat(shop.getJson("/prices").size()).isGreaterThanOrEqualTo(200));

        String first =
                shop.post("/prices/rounding", "text/plain", "").get("jid").asString();
        String second =
                shop.post("/prices/rounding", "text/plain", "").get("jid").asString();

        assertThat(second).isEqualTo(first);
        awaitAsserted(() -> assertThat(shop.log()).contains("done Pricing.roundUp jid=" + first));
    }

    @Test
    void aReportIsBuilt() {
        JsonNode ordered = shop.post("/reports?days=30", "text/plain", "");
        long id = ordered.get("id").asLong();

        awaitAsserted(() -> {
            JsonNode report = shop.getJson("/reports/" + id);
            assertThat(report.get("finished").asBoolean()).isTrue();
            assertThat(report.get("totalCents").asLong()).isPositive();
        });
        shop.openDashboard();
        String progress = "/jobs/api/progress?jid=" + ordered.get("job").asString();
        awaitAsserted(() ->
                assertThat(shop.getJson(progress).at("/steps/done").asInt()).isEqualTo(30));
        assertThat(shop.getJson(progress).at("/lines/0/text").asString()).contains("Report " + id + " is complete");
    }

    /** As after a crash between the work and its acknowledgement. The payload is what a Ruby process would push. */
    @Test
    void aChargeThatRunsTwiceChargesAndMailsOnce() throws IOException {
        long order = shop.order("joan@example.com", Card.VISA);
        awaitAsserted(() -> assertThat(shop.timeline(order)).contains("review reminder mailed"));

        try (RedisClient redis = RedisClient.create(shop.embeddedRedisUri())) {
            redis.connect().sync().lpush("queue:critical", """
                            {"class": "charge-card", "args": [%d], "jid": "b4a577edbccf1d805744efa9", "queue": "critical"}""".formatted(order));
        }

        awaitAsserted(() -> assertThat(shop.log())
                .contains("order " + order + " has been charged before, so it is not charged again")
                .contains("done charge-card jid=b4a577edbccf1d805744efa9"));
        assertThat(shop.log()).containsOnlyOnce("Mail to joan@example.com: Your receipt for order " + order);
        assertThat(shop.timeline(order)).containsOnlyOnce("card charged after 1 attempt");
    }

    @Test
    void everyJobIsMeasured() {
        shop.order("ada@example.com", Card.VISA);

        awaitAsserted(() -> assertThat(shop.get("/actuator/prometheus"))
                .contains(
                        "\njobs_execution_seconds_count{exception=\"none\",job=\"charge-card\",outcome=\"done\",queue=\"critical\"} ",
                        "\njobs_enqueued_total{job=\"charge-card\",queue=\"critical\"} ",
                        "\njobs_queue_size{queue=\"critical\"} ",
                        "\njobs_queue_latency_seconds{queue=\"critical\"} ",
                        "\njobs_claim_seconds_count ",
                        "\njobs_busy ",
                        "\njobs_concurrency 11.0\n",
                        "\njobs_scheduled_size ",
                        "\njobs_retry_size ",
                        "\njobs_dead_size ",
                        "\njobs_conservation_error 0.0\n"));
        assertThat(shop.getJson("/actuator/health").get("status").asString()).isEqualTo("UP");
        assertThat(shop.getJson("/actuator/jobs").get("worker").get("state").asString())
                .isEqualTo("RUNNING");
    }

    @Test
    void theDashboardShowsItsJobs() {
        long order = shop.order("ada@example.com", Card.DECLINED);

        shop.openDashboard();
        assertThat(shop.get("/jobs/")).contains("<html");
        awaitAsserted(() -> assertThat(shop.getJson("/jobs/api/busy")
                        .at("/processes/items/0/tag")
                        .asString())
                .isEqualTo("shop"));
        awaitAsserted(() -> assertThat(shop.getJson("/jobs/api/jobs?place=dead").at("/items"))
                .anySatisfy(job -> assertThat(job.at("/args").asString()).contains("[" + order)));
    }

    @Test
    void logLinesOfAJobCarryTheIdOfTheRequestThatEnqueuedIt() {
        long order = shop.order("ada@example.com", Card.VISA);

        awaitAsserted(() -> assertThat(shop.log())
                .containsPattern("\\[\\p{XDigit}{8}] .*: Charged 2580 cents for order " + order + "\n"));
    }

    @Test
    void theFirstPageSaysWhatThereIsToTry() {
        assertThat(shop.get("/")).contains("curl http://localhost:").doesNotContain("{url}");
        assertThat(shop.get("/batches.html")).contains("<html lang=\"en\"");
        assertThat(shop.get("/batches.js")).contains("enrollments:");
    }

    private static void awaitAsserted(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).untilAsserted(assertion);
    }
}
