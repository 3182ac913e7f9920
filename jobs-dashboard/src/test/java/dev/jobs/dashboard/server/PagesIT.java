package dev.jobs.dashboard.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the pages, under every path that an application may choose. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
public class PagesIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    PagesIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.all()
                .map(kind -> RunningDashboard.start(
                        kind,
                        server,
                        "/jobs",
                        TestApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/queues", "/queue?name=x", "/job?place=dead", "/metrics", "/api/session", "/nothing"})
    void sendsTheSameHeadersWithEverything(String path) {
        Reply reply = dashboard.get(path);

        assertThat(reply.header("Content-Security-Policy"))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                .contains("frame-ancestors 'none'")
                .contains("base-uri 'none'")
                .doesNotContain("unsafe");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/assets/app.js", "/assets/app.css"})
    void sendsScriptsAndStylesWithoutThePolicyOfPages(String path) {
        Reply reply = dashboard.get(path);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.raw().headers().map())
                .doesNotContainKeys("content-security-policy", "x-frame-options", "cross-origin-opener-policy");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(reply.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/assets/icon.svg", "/messages/en.json"})
    void sendsFilesThatABrowserCouldShowWithThePolicyOfPages(String path) {
        assertThat(dashboard.get(path).header("Content-Security-Policy")).startsWith("default-src 'none'");
    }

    @Test
    void sendsAPageZipped() throws IOException {
        Reply plain = dashboard.get("/");
        Reply zipped = dashboard.send(dashboard.request("/queues").header("Accept-Encoding", "gzip, br"));

        assertThat(plain.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
        assertThat(zipped.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.raw().body())).readAllBytes())
                .isEqualTo(plain.raw().body());
    }

    @Test
    void sendsDataZipped() throws IOException {
        Reply zipped = zipped("/api/overview?days=180");

        assertThat(zipped.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(zipped.header("Vary")).isEqualTo("Accept-Encoding");
        assertThat(zipped.header("Content-Type")).isEqualTo("application/json");
        String data = new String(
                new GZIPInputStream(new ByteArrayInputStream(zipped.raw().body())).readAllBytes(), UTF_8);
        assertThat(data)
                .contains("\"history\":[")
                .hasSizeGreaterThan(2 * zipped.raw().body().length);
        assertThat(dashboard.get("/api/overview?days=180").header("Content-Encoding"))
                .isEmpty();
        assertThat(zipped("/api/trash").header("Content-Encoding"))
                .as("of little data")
                .isEmpty();
    }

    private Reply zipped(String path) {
        return dashboard.send(dashboard.request(path).header("Accept-Encoding", "gzip"));
    }

    @Test
    void filesAreCachedForEverUnderTheirVersion() {
        String page = dashboard.get("/").text();
        Matcher script =
                Pattern.compile("src=\"(v-[0-9a-f]+/)(assets/app.js)\"").matcher(page);
        assertThat(script.find()).isTrue();
        String version = script.group(1);
        assertThat(page).doesNotContain("\"assets/");

        Reply asset = dashboard.get("/" + version + "assets/app.js");

        assertThat(asset.status()).isEqualTo(200);
        assertThat(asset.header("Cache-Control")).isEqualTo("private, max-age=31536000, immutable");
        assertThat(dashboard.get("/" + version + "messages/de.json").header("Cache-Control"))
                .contains("immutable");
        for (String other : List.of("/assets/app.js", "/v-0123456789abcdef/assets/app.js")) {
            Reply present = dashboard.get(other);
            assertThat(present.text()).isEqualTo(asset.text());
            assertThat(present.header("Cache-Control")).isEqualTo("no-cache");
        }
        assertThat(dashboard.get("/" + version + "nothing.js").status()).isEqualTo(404);
        assertThat(dashboard.get("/" + version + version + "assets/app.js").status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/index.html",
                "/queues/",
                "/../jobs-secret",
                "/%2e%2e/x",
                "/assets/..%2findex.html",
                "/package-info.class",
                "/api",
                "/api/",
            })
    void servesNothingElse(String path) {
        assertThat(dashboard.get(path).status()).isIn(400, 404);
    }

    @ParameterizedTest
    @CsvSource({"/jobs, ''", "/shop/jobs, /shop", "/ops/background-jobs, ''"})
    void worksBelowAnyPath(String base, String contextPath) {
        worksAt(
                dashboard.kind(),
                server,
                base,
                "jobs.dashboard.path=" + base.substring(contextPath.length()),
                dashboard.kind().basePath() + "=" + contextPath);
    }

    public static void worksAt(Kind kind, EmbeddedRedis redis, String base, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of("jobs.worker.enabled=false", "jobs.dashboard.access=local"));
        try (RunningDashboard elsewhere =
                RunningDashboard.start(kind, redis, base, TestApplication.class, all.toArray(String[]::new))) {
            Reply redirect = elsewhere.get("");
            assertThat(redirect.status()).isEqualTo(302);
            assertThat(elsewhere.uri("").resolve(redirect.header("Location"))).isEqualTo(elsewhere.uri("/"));
            assertThat(elsewhere.get("/").status()).isEqualTo(200);
            assertThat(elsewhere.get("/queues").status()).isEqualTo(200);
            assertThat(elsewhere.get("/api/session").status()).isEqualTo(200);
        }
    }

    @Test
    void aFileThatTheBrowserHasIsNotSentAgain() {
        Reply first = dashboard.get("/assets/app.js");
        Reply again = dashboard.send(dashboard.request("/assets/app.js").header("If-None-Match", first.header("ETag")));

        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
        assertThat(again.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(again.header("Vary")).isEqualTo("Accept-Encoding");
    }

    @Test
    void aHeadRequestGetsTheHeadersAlone() {
        Reply page = dashboard.get("/");
        Reply head = dashboard.send(dashboard.request("/").method("HEAD", BodyPublishers.noBody()));

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length"))
                .isEqualTo(String.valueOf(page.raw().body().length));
    }

    @Test
    void isNotServedWhereItIsSwitchedOff() {
        try (RunningDashboard off = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.enabled=false")) {
            assertThat(off.get("/").status()).isEqualTo(404);
        }
    }
}
