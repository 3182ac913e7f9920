package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The way in for users on this machine: the link in the log. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
@ExtendWith(OutputCaptureExtension.class)
class LinkIT {

    private static final Pattern LINK =
            Pattern.compile("The dashboard is at (http://localhost:[0-9]+/\\S+) for browsers");

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    LinkIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.all().map(kind -> start(kind, "jobs.dashboard.token=" + RunningDashboard.TOKEN));
    }

    private static RunningDashboard start(Kind kind, String... properties) {
        return RunningDashboard.start(
                kind,
                server,
                "/shop/jobs",
                TestApplication.class,
                Stream.concat(
                                Stream.of(
                                        kind.basePath() + "=/shop",
                                        "jobs.worker.enabled=false",
                                        "jobs.dashboard.access=local",
                                        "jobs.dashboard.installations.eu.redis.url=" + server.uri()),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    /** As a browser that has only what it was given. */
    private Reply get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(dashboard.uri(path));
        return dashboard.send(headers.length == 0 ? request : request.headers(headers));
    }

    private String cookie() {
        return "jobs-token-" + dashboard.port() + "=" + RunningDashboard.TOKEN;
    }

    @Test
    void theLinkIsExchangedForACookieOfTheDashboardAlone() {
        Reply reply = get("/?token=" + RunningDashboard.TOKEN);

        assertThat(reply.status()).isEqualTo(302);
        assertThat(reply.header("Location")).isEqualTo("./");
        assertThat(reply.header("Set-Cookie")).isEqualTo(cookie() + "; Path=/shop/jobs; HttpOnly; SameSite=Strict");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
        assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
    }

    @ParameterizedTest
    @CsvSource({
        "'?token=T', ./jobs",
        "/queues?token=T, ./queues",
        "/queue?name=a%20b&token=T&x=%26, ./queue?name=a%20b&x=%26",
        "/eu/?token=T, ./",
        "/eu/queues?a=b&token=T, ./queues?a=b"
    })
    void anyPageMayBeTheLink(String path, String location) {
        Reply reply = get(path.replace("T", RunningDashboard.TOKEN));

        assertThat(reply.status()).isEqualTo(302);
        assertThat(reply.header("Location")).isEqualTo(location);
        assertThat(reply.header("Set-Cookie")).contains("; Path=/shop/jobs;");
    }

    @Test
    void theCookieOpensPagesDataAndStreamAndLetsThePagesAct() throws Exception {
        String[] page = {"Cookie", "a=b; " + cookie() + ";c=d", "Sec-Fetch-Site", "same-origin"};

        assertThat(get("", page).header("Location")).isEqualTo("./jobs/");
        for (String path : List.of("/", "/queues", "/eu/queues", "/api/session", "/eu/api/overview")) {
            assertThat(get(path, page).status()).as(path).isEqualTo(200);
        }
        assertThat(dashboard
                        .http()
                        .send(
                                HttpRequest.newBuilder(dashboard.uri("/api/live"))
                                        .headers(page)
                                        .build(),
                                BodyHandlers.ofInputStream())
                        .statusCode())
                .isEqualTo(200);
        Reply paused = dashboard.send(HttpRequest.newBuilder(dashboard.uri("/api/queue/pause"))
                .headers(page)
                .headers("Origin", dashboard.origin(), "Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"q\"}")));
        assertThat(paused.status()).isEqualTo(200);
        dashboard.redis().delete("paused");
    }

    /** Another site's link: browsers leave the cookie out, until one of our own answers asks for the page. */
    @Test
    void aPageThatAnotherSiteLeadsToIsAskedForOnceMore() {
        String[] led = {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"};

        Reply first = get("/queues", led);
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.header("Refresh")).isEqualTo("0");
        assertThat(first.text()).isEqualTo("Once more");
        assertThat(get("/queues", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate")
                        .status())
                .isEqualTo(403);
        assertThat(get("/queues", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors")
                        .status())
                .isEqualTo(403);
        assertThat(get("/api/overview", led).status()).isEqualTo(403);
    }

    @Test
    void whoHasNotOpenedTheLinkIsToldOfIt() {
        assertThat(get("/").text()).contains("have opened the link which the application logs at its start");
        assertThat(get("/api/session").at("/error/code").asString()).isEqualTo("link");
    }

    @Test
    void eachStartHasALinkOfItsOwnInTheLog(CapturedOutput output) {
        String one = logged(output);
        String other = logged(output);

        assertThat(one.replaceAll("localhost:[0-9]+", ""))
                .matches("http:///shop/jobs/\\?token=[A-Za-z0-9_-]{32}")
                .isNotEqualTo(other.replaceAll("localhost:[0-9]+", ""));
    }

    /** Starts an application, opens its link, and returns it. */
    private String logged(CapturedOutput output) {
        try (RunningDashboard started = start(dashboard.kind(), "jobs.dashboard.token=")) {
            String link = LINK.matcher(output)
                    .results()
                    .map(MatchResult::group)
                    .map(line -> line.replaceFirst("\\S*The dashboard is at (\\S+) .*", "$1"))
                    .reduce((before, last) -> last)
                    .orElseThrow();

            Reply opened = started.send(HttpRequest.newBuilder(URI.create(link)));

            assertThat(opened.status()).isEqualTo(302);
            String given = opened.header("Set-Cookie").replaceFirst(";.*", "");
            assertThat(started.send(HttpRequest.newBuilder(started.uri("/api/session"))
                                    .header("Cookie", given))
                            .status())
                    .isEqualTo(200);
            return link;
        }
    }

    @Test
    void aChosenTokenIsNotLogged(CapturedOutput output) {
        start(dashboard.kind(), "jobs.dashboard.token=" + RunningDashboard.TOKEN)
                .close();

        assertThat(output).contains("/shop/jobs/?token=... ").doesNotContain(RunningDashboard.TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"too-short", "with blanks in it", "with;semicolons;in;it"})
    void aTokenThatIsNoneIsRefusedAndNotQuoted(String token, CapturedOutput output) {
        assertThatException().isThrownBy(() -> start(dashboard.kind(), "jobs.dashboard.token=" + token)
                .close());

        assertThat(output).contains("must be 16 to 200 letters").doesNotContain(token);
    }
}
