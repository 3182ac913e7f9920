package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who may do what with Spring Security. */
@ExtendWith(OutputCaptureExtension.class)
@ParameterizedClass
@MethodSource("dashboards")
class AuthorityIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    AuthorityIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.each().map(kind -> start(kind));
    }

    private static RunningDashboard start(Kind kind, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("jobs.worker.enabled=false");
        return RunningDashboard.start(
                kind,
                server,
                "/jobs",
                kind == Kind.SERVLET ? SecuredTestApplication.class : ReactiveSecuredTestApplication.class,
                all.toArray(String[]::new));
    }

    @BeforeEach
    void nothingIsPaused() {
        dashboard.redis().delete("paused");
    }

    private HttpRequest.Builder pause(String token, String session) {
        HttpRequest.Builder request = dashboard
                .request("/api/queue/pause")
                .header("Sec-Fetch-Site", "same-origin")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"" + (token.isEmpty() ? "without" : "q") + "\"}"));
        return token.isEmpty() ? request : request.header("X-CSRF-TOKEN", token).header("Cookie", session);
    }

    private Reply pauseWithToken() {
        Reply session = dashboard.get("/api/session");
        String cookie = session.header("Set-Cookie").split(";")[0];
        return dashboard.send(pause(session.at("/csrf/token").asString(), cookie));
    }

    @Test
    void anOperatorActsAndIsWrittenDown(CapturedOutput output) {
        dashboard.as("olga", "o");

        assertThat(dashboard.get("/api/session").at("/role").asString()).isEqualTo("operator");
        assertThat(pauseWithToken().at("/changed").asBoolean()).isTrue();
        assertThat(output).contains("olga: pause queue q [1]");
    }

    /** Pages end what they ask for by themselves before it keeps the session alive for ever. */
    @Test
    void aPageKnowsHowLongTheSessionOfItsUserLasts() {
        dashboard.as("olga", "o");

        assertThat(dashboard.get("/api/session").at("/idle").asInt()).isEqualTo(1_800);
    }

    @Test
    void aRoleThatIncludesTheAuthorityCounts(CapturedOutput output) {
        dashboard.as("ada", "a");

        assertThat(dashboard.get("/api/session").at("/role").asString()).isEqualTo("operator");
        assertThat(pauseWithToken().status()).isEqualTo(200);
        assertThat(output).contains("ada: pause queue q [1]");
    }

    @Test
    void aViewerLooksButDoesNotAct() {
        dashboard.as("victor", "v");

        assertThat(dashboard.get("/api/session").at("/role").asString()).isEqualTo("viewer");
        assertThat(dashboard.get("/api/overview").status()).isEqualTo(200);
        assertThat(dashboard.get("/").status()).isEqualTo(200);
        Reply refused = pauseWithToken();
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.at("/error/code").asString()).isEqualTo("read-only");
    }

    @Test
    void aUserWithoutTheAuthoritiesSeesNothing() {
        dashboard.as("nobody", "n");

        assertThat(dashboard.get("/").status()).isEqualTo(403);
        assertThat(dashboard.get("/api/overview").status()).isEqualTo(403);
        assertThat(dashboard.get("/api/live").status()).isEqualTo(403);
    }

    @Test
    void theRulesOfTheApplicationComeFirst() {
        dashboard.as("", "");

        assertThat(dashboard.get("/").status()).isEqualTo(401);
    }

    @Test
    void pathsThatTheApplicationLeavesOpenAreStillClosed() {
        HttpRequest.Builder stranger = HttpRequest.newBuilder(dashboard.uri("/api/stack?process=a&thread=b"));

        assertThat(dashboard.send(stranger).status()).isEqualTo(403);
    }

    @Test
    void theApplicationsOwnTokenIsAskedFor() {
        dashboard.as("olga", "o");

        assertThat(dashboard.send(pause("", "")).status()).isIn(401, 403);
        assertThat(dashboard.redis().opsForSet().isMember("paused", "without")).isFalse();
    }

    @Test
    void aSenderWhomNobodyKnowsIsAnAddress() {
        try (RunningDashboard open = start(dashboard.kind(), "jobs.dashboard.access=anyone")) {
            Reply session = open.get("/api/session");

            assertThat(session.at("/actor").asString()).isEqualTo("127.0.0.1");
            assertThat(session.at("/idle").isNull()).isTrue();
        }
    }

    @Test
    void readOnlyHoldsForOperatorsToo() {
        try (RunningDashboard readOnly = start(dashboard.kind(), "jobs.dashboard.read-only=true")) {
            readOnly.as("olga", "o");

            assertThat(readOnly.get("/api/session").at("/role").asString()).isEqualTo("viewer");
        }
    }
}
