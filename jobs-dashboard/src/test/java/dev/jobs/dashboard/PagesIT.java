package dev.jobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the pages, under every path that an application may choose. */
class PagesIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

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

    @Test
    void sendsAPageZipped() throws IOException {
        Reply plain = dashboard.get("/");
        Reply zipped = dashboard.send(dashboard.request("/queues").header("Accept-Encoding", "gzip, br"));

        assertThat(plain.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
        assertThat(zipped.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.raw().body())).readAllBytes())
                .isEqualTo(plain.raw().body());
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
    @CsvSource({
        "/jobs, '', ''",
        "/shop/jobs, /shop, ''",
        "/shop/app/jobs, /shop, /app",
        "/ops/background-jobs, '', ''",
    })
    void worksBelowAnyPath(String base, String contextPath, String servletPath) {
        String path = base.substring(contextPath.length() + servletPath.length());
        try (RunningDashboard elsewhere = RunningDashboard.start(
                server,
                base,
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.path=" + path,
                "server.servlet.context-path=" + contextPath,
                "spring.mvc.servlet.path=" + (servletPath.isEmpty() ? "/" : servletPath))) {
            Reply redirect = elsewhere.get("");
            assertThat(redirect.status()).isEqualTo(302);
            assertThat(elsewhere.uri("").resolve(redirect.header("Location"))).isEqualTo(elsewhere.uri("/"));
            assertThat(elsewhere.get("/").status()).isEqualTo(200);
            assertThat(elsewhere.get("/queues").status()).isEqualTo(200);
            assertThat(elsewhere.get("/api/session").status()).isEqualTo(200);
        }
    }

    @Test
    void isNotServedWhereItIsSwitchedOff() {
        try (RunningDashboard off = RunningDashboard.start(
                server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.enabled=false")) {
            assertThat(off.get("/").status()).isEqualTo(404);
        }
    }
}
