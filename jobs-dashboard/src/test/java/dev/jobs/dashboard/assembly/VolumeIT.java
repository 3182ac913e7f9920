package dev.jobs.dashboard.assembly;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.Figures;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.history.HistoryApplication;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With a million jobs in a queue, a hundred thousand failed ones and batches of half a million, no page does work that
 * grows with their number. {@link RoutesIT} asks the same of less in every build.
 */
@LongTest
class VolumeIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard =
            RunningDashboard.start(server, "/jobs", HistoryApplication.class, EveryRoute.PROPERTIES);

    @AutoClose
    static final Figures figures = new Figures("answers", "request | ms | bytes | from Redis | commands");

    private final EveryRoute routes = new EveryRoute(dashboard, figures);

    /** Times are those of a process that has answered before. */
    @BeforeAll
    static void fill() {
        Volume.fill(dashboard, 1);
        for (int i = 0; i < 2; i++) {
            EveryRoute.pages().forEach(dashboard::get);
        }
    }

    /** Measured by Redis's own counters: bytes on the wire and elements of keys stand for the work. */
    @ParameterizedTest
    @MethodSource("dev.jobs.dashboard.assembly.EveryRoute#pages")
    void readsABoundedPart(String path) {
        Reply reply = routes.bounded(path, () -> dashboard.get(path), EveryRoute.COMMANDS_OF_A_PAGE);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    @Test
    void actsOnABoundedPart() {
        assertThat(routes.actOnAll(EveryRoute.COMMANDS_OF_A_STEP)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead&from=50000", "retries&from=50000", "queue&queue=default&from=900000"})
    void opensAJobFarBehindInAList(String place) {
        Reply list = dashboard.get("/api/jobs?place=" + place + "&size=1");
        String key = list.at("/items/0/key").asString();
        long before = routes.sent("total_net_output_bytes");

        Reply job = dashboard.get("/api/job?place=" + place.replaceFirst("&from=.*", "") + "&key=" + encoded(key));

        assertThat(job.at("/job")).isEqualTo(list.at("/items/0"));
        assertThat(job.at("/sought").asString()).isEqualTo("found");
        Reply neighbour = routes.bounded(
                "/api/job/neighbour?place=" + place,
                () -> dashboard.get(
                        "/api/job/neighbour?place=" + place.replaceFirst("&from=.*", "") + "&key=" + encoded(key)),
                EveryRoute.COMMANDS_OF_A_PAGE);
        assertThat(neighbour.status()).as(neighbour.text()).isEqualTo(200);
        assertThat(routes.sent("total_net_output_bytes") - before).isLessThan(2_500_000L);
    }

    @Test
    void deletesAmongVeryManyOfOneScore() {
        String first = routes.onlyKey("/api/jobs?place=dead&size=1&from=90000");
        String second = routes.onlyKey("/api/jobs?place=dead&size=1&from=90001");
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
                .map(from -> routes.onlyKey(list + from))
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
        long before = routes.sent("total_net_output_bytes");
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
        assertThat(routes.sent("total_net_output_bytes") - before).isLessThan(20_000 * 250L);
        // until then the live numbers count as sent in other tests
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !dashboard.bean(LiveStream.class).hasViewers());
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
        List<String> keys = List.of(routes.onlyKey(list + 1_000), routes.onlyKey(list + 1_001));
        String next = routes.onlyKey(list + 1_002);
        Reply job = dashboard.get("/api/job?place=queue&queue=default&key=" + encoded(keys.get(0)));
        assertThat(job.at("/position").asInt()).isEqualTo(1_000);

        Reply deleted = dashboard.post("/api/jobs/delete", Map.of("place", "queue", "queue", "default", "keys", keys));

        assertThat(deleted.at("/done").asInt()).isEqualTo(2);
        assertThat(dashboard
                        .post("/api/undo", Map.of("batch", deleted.at("/undo").asString()))
                        .at("/done")
                        .asInt())
                .isEqualTo(2);
        assertThat(List.of(routes.onlyKey(list + 1_000), routes.onlyKey(list + 1_001)))
                .isEqualTo(keys);
        assertThat(routes.onlyKey(list + 1_002)).isEqualTo(next);
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
