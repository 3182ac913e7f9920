package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The dashboard at the server of the actuator. */
@ExtendWith(OutputCaptureExtension.class)
class ManagementServerIT {

    private static final String[] ELSEWHERE = {
        "jobs.worker.enabled=false",
        "jobs.dashboard.access=local",
        "jobs.dashboard.server=management",
        "management.server.port=0",
        "management.server.base-path=/manage"
    };

    private static final String OLGA = "Basic b2xnYTpv";

    @AutoClose
    static final EmbeddedRedis redis = EmbeddedRedis.start();

    private final HttpClient http = HttpClient.newHttpClient();

    private static RunningDashboard start(Kind kind, String... properties) {
        return RunningDashboard.start(kind, redis, "/jobs", TestApplication.class, properties);
    }

    private static String port(RunningDashboard dashboard) {
        return dashboard.bean(Environment.class).getRequiredProperty("local.management.port");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(
                request.header("Jobs-Token", RunningDashboard.TOKEN)
                        .header("Sec-Fetch-Site", "same-origin")
                        .timeout(Duration.ofMinutes(1))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(address)));
    }

    static Stream<Kind> kinds() {
        return Kind.each();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @LongTest
    void allOfItIsThereAndNothingAtTheServerOfTheApplication(Kind kind, CapturedOutput output) throws Exception {
        try (RunningDashboard dashboard = start(kind, ELSEWHERE)) {
            String port = port(dashboard);
            String base = "http://localhost:" + port + "/manage/jobs";
            assertThat(port).isNotEqualTo(String.valueOf(dashboard.port()));
            assertThat(output)
                    .containsOnlyOnce("The dashboard is at ")
                    .contains("The dashboard is at " + base + "/?token=");

            HttpResponse<String> page = get(base + "/queues");
            assertThat(page.statusCode()).isEqualTo(200);
            Matcher script =
                    Pattern.compile("<script type=\"module\" src=\"([^\"]+)\"").matcher(page.body());
            assertThat(script.find()).isTrue();
            assertThat(get(URI.create(base + "/queues").resolve(script.group(1)).toString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(get(base + "/api/session").statusCode()).isEqualTo(200);

            HttpResponse<String> paused = send(HttpRequest.newBuilder(URI.create(base + "/api/queue/pause"))
                    .header("Origin", "http://localhost:" + port)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"queue\":\"" + kind + "\"}")));
            assertThat(paused.statusCode()).isEqualTo(200);
            assertThat(dashboard.redis().opsForSet().isMember("paused", kind.toString()))
                    .isTrue();

            HttpResponse<InputStream> live = http.send(
                    HttpRequest.newBuilder(URI.create(base + "/api/live"))
                            .header("Jobs-Token", RunningDashboard.TOKEN)
                            .header("Sec-Fetch-Site", "same-origin")
                            .build(),
                    BodyHandlers.ofInputStream());
            try (InputStream events = live.body()) {
                assertThat(live.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
                assertThat(events.read()).isNotEqualTo(-1);
            }

            assertThat(dashboard.get("/queues").status()).isEqualTo(404);
            assertThat(dashboard.get("/api/session").status()).isEqualTo(404);
        }
    }

    @Test
    void withoutAPortOfItsOwnItIsAtTheApplication() {
        try (RunningDashboard dashboard = start(
                Kind.SERVLET,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.server=management")) {
            assertThat(dashboard.get("/queues").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void withoutAnyServerOfTheActuatorALineSaysThatItIsNowhere(Kind kind, CapturedOutput output) {
        try (RunningDashboard dashboard = start(
                kind, "jobs.worker.enabled=false", "jobs.dashboard.server=management", "management.server.port=-1")) {
            assertThat(dashboard.get("/queues").status()).isEqualTo(404);
            assertThat(output).contains("The dashboard is not served: jobs.dashboard.server is 'management', and");
        }
    }

    /** A dispatcher of WebFlux also finds mappings of the context above its own. */
    @ParameterizedTest
    @MethodSource("kinds")
    void atTheApplicationItIsNotAtTheActuatorToo(Kind kind) throws Exception {
        try (RunningDashboard dashboard =
                start(kind, "jobs.worker.enabled=false", "jobs.dashboard.access=local", "management.server.port=0")) {
            assertThat(dashboard.get("/queues").status()).isEqualTo(200);
            assertThat(get("http://localhost:" + port(dashboard) + "/jobs/queues")
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    /** Without a path of its own the actuator has its endpoint {@code jobs} where the dashboard would be. */
    @ParameterizedTest
    @MethodSource("kinds")
    void anEndpointThereEndsTheStart(Kind kind) {
        assertThatThrownBy(() -> start(
                                kind,
                                "jobs.worker.enabled=false",
                                "jobs.dashboard.server=management",
                                "management.server.port=0",
                                "management.endpoints.web.base-path=/",
                                "management.endpoints.web.exposure.include=jobs")
                        .close())
                .hasStackTraceContaining("GET /jobs: Actuator web endpoint 'jobs'");
    }

    /** Pages of the application at that path are at the other server. */
    @ParameterizedTest
    @MethodSource("kinds")
    void pagesOfTheApplicationAreNotInTheWay(Kind kind) throws Exception {
        try (RunningDashboard dashboard = RunningDashboard.start(
                kind,
                redis,
                "/jobs",
                List.of(TestApplication.class, Postings.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.server=management",
                "management.server.port=0")) {
            assertThat(get("http://localhost:" + dashboard.port() + "/jobs").body())
                    .isEqualTo("postings");
            assertThat(get("http://localhost:" + port(dashboard) + "/jobs/queues")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @RestController
    static class Postings {

        @GetMapping("/jobs")
        String all() {
            return "postings";
        }
    }

    /** The application's rules are those of both servers. */
    @ParameterizedTest
    @MethodSource("kinds")
    @LongTest
    void springSecurityDecidesThereToo(Kind kind) throws Exception {
        Class<?> application =
                kind == Kind.SERVLET ? SecuredTestApplication.class : ReactiveSecuredTestApplication.class;
        try (RunningDashboard dashboard = RunningDashboard.start(
                kind,
                redis,
                "/jobs",
                application,
                "jobs.worker.enabled=false",
                "jobs.dashboard.server=management",
                "management.server.port=0")) {
            String base = "http://localhost:" + port(dashboard) + "/jobs";
            dashboard.empty();
            assertThat(get(base + "/api/overview").statusCode()).isEqualTo(401);

            HttpResponse<String> session = send(
                    HttpRequest.newBuilder(URI.create(base + "/api/session")).header("Authorization", OLGA));
            assertThat(session.body()).contains("\"operator\"");
            Matcher token = Pattern.compile("\"token\":\"([^\"]+)\"").matcher(session.body());
            assertThat(token.find()).isTrue();
            String cookie =
                    session.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];

            assertThat(send(pause(base)).statusCode()).isIn(401, 403); // a servlet's page of errors asks for a user
            assertThat(dashboard.redis().opsForSet().isMember("paused", "secured"))
                    .isFalse();
            assertThat(send(pause(base).header("X-CSRF-TOKEN", token.group(1)).header("Cookie", cookie))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static HttpRequest.Builder pause(String base) {
        return HttpRequest.newBuilder(URI.create(base + "/api/queue/pause"))
                .header("Authorization", OLGA)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"secured\"}"));
    }
}
