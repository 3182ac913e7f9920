package dev.jobs.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.SettableClock;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The stream of live numbers. */
@WebTest
@ParameterizedClass
@MethodSource("kinds")
class LiveIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final Kind kind;

    LiveIT(Kind kind) {
        this.kind = kind;
    }

    static Stream<Kind> kinds() {
        return Kind.all();
    }

    private RunningDashboard start(String... properties) {
        List<String> all = new ArrayList<>(List.of("jobs.worker.enabled=false", "jobs.dashboard.access=local"));
        all.addAll(List.of(properties));
        return RunningDashboard.start(kind, server, "/jobs", TestApplication.class, all.toArray(String[]::new));
    }

    private static HttpResponse<InputStream> open(RunningDashboard dashboard) throws Exception {
        return dashboard.http().send(dashboard.request("/api/live").build(), BodyHandlers.ofInputStream());
    }

    private static BufferedReader lines(HttpResponse<InputStream> response) {
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static String next(BufferedReader lines, String start) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new IOException("the stream has ended");
    }

    @Test
    @Timeout(180)
    void pushesWhatChanges() throws Exception {
        try (RunningDashboard dashboard = start()) {
            HttpResponse<InputStream> response = open(dashboard);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream;charset=UTF-8");
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
            try (BufferedReader lines = lines(response)) {
                assertThat(next(lines, "event:")).isEqualTo("event: live");
                dashboard.redis().opsForZSet().add("dead", "x", 1);
                String data = next(lines, "data:");
                while (!data.contains("\"dead\":1")) {
                    data = next(lines, "data:");
                }
            }
            dashboard.redis().delete("dead");
        }
    }

    @Test
    @Timeout(180)
    void endsWithTheApplicationInsteadOfHoldingItUp() throws Exception {
        RunningDashboard dashboard =
                start("server.shutdown=graceful", "spring.lifecycle.timeout-per-shutdown-phase=10m");
        HttpResponse<InputStream> response = open(dashboard);
        BufferedReader lines = lines(response);
        next(lines, "data:");

        dashboard.close(); // waits for running requests, for longer than this test may take

        String line = lines.readLine();
        while (line != null) {
            line = lines.readLine();
        }
    }

    @Test
    @Timeout(180)
    void takesOnlySoManyViewers() throws Exception {
        try (RunningDashboard dashboard = start("jobs.dashboard.max-viewers=1")) {
            HttpResponse<InputStream> one = open(dashboard);
            next(lines(one), "data:");
            assertThat(dashboard.get("/api/live").status()).isEqualTo(503);
            one.body().close();
        }
    }

    /** A server notices that somebody has left when it sends the next numbers. */
    @Test
    @LongTest
    @Timeout(180)
    void takesOnlySoManyViewersAndForgetsThoseThatLeave() throws Exception {
        try (RunningDashboard dashboard = start("jobs.dashboard.max-viewers=2")) {
            HttpResponse<InputStream> one = open(dashboard);
            HttpResponse<InputStream> two = open(dashboard);
            next(lines(two), "data:");
            assertThat(dashboard.get("/api/live").status()).isEqualTo(503);

            one.body().close();

            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                HttpResponse<InputStream> three = open(dashboard);
                three.body().close();
                assertThat(three.statusCode()).isEqualTo(200);
            });
            two.body().close();
        }
    }

    @Test
    @Timeout(180)
    void opensNoStreamForAHeadRequest() {
        try (RunningDashboard dashboard = start("jobs.dashboard.max-viewers=1")) {
            RunningDashboard.Reply head =
                    dashboard.send(dashboard.request("/api/live").method("HEAD", BodyPublishers.noBody()));

            assertThat(head.status()).isEqualTo(405);
            assertThat(head.header("Allow")).isEqualTo("GET");
            assertThat(dashboard.bean(LiveStream.class).hasViewers()).isFalse();
        }
    }

    @Test
    void forgetsPointsThatAreOlderThanTheChartIsLong() {
        try (RunningDashboard dashboard = start()) {
            LiveStream nobody = new LiveStream(1);
            AtomicLong now = new AtomicLong(1_000_000_000);
            Sampler sampler = new Sampler(dashboard.bean(JobsAdmin.class), SettableClock.of(now::get), nobody);
            for (int i = 0; i < 4; i++) {
                now.addAndGet(2_000);
                sampler.latest();
            }
            assertThat(sampler.recent()).hasSize(3);

            now.addAndGet(297_000);
            assertThat(sampler.recent()).hasSize(2);
            now.addAndGet(86_400_000);
            assertThat(sampler.recent()).isEmpty();
        }
    }

    @LongTest
    @Test
    @Timeout(180)
    void saysThatRedisIsAway() throws Exception {
        EmbeddedRedis own = EmbeddedRedis.start();
        try (RunningDashboard dashboard = RunningDashboard.start(
                kind,
                own,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "spring.data.redis.timeout=500ms")) {
            BufferedReader lines = lines(open(dashboard));
            next(lines, "event: live");
            own.close();

            assertThat(next(lines, "event: down")).isNotEmpty();
            assertThat(next(lines, "data: ")).contains("\"code\":\"redis\"");
            assertThat(dashboard.get("/api/overview").at("/error/code").asString())
                    .isEqualTo("redis");
        }
    }
}
