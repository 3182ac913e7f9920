package dev.jobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who may do what with Spring Security. */
@ExtendWith(OutputCaptureExtension.class)
class AuthorityIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard =
            RunningDashboard.start(server, "/jobs", SecuredTestApplication.class, "jobs.worker.enabled=false");

    private static HttpRequest.Builder pause(String token, String session) {
        HttpRequest.Builder request = dashboard
                .request("/api/queue/pause")
                .header("Sec-Fetch-Site", "same-origin")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"" + (token.isEmpty() ? "without" : "q") + "\"}"));
        return token.isEmpty() ? request : request.header("X-CSRF-TOKEN", token).header("Cookie", session);
    }

    private static Reply pauseWithToken() {
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
    void readOnlyHoldsForOperatorsToo() {
        try (RunningDashboard readOnly = RunningDashboard.start(
                server,
                "/jobs",
                SecuredTestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.read-only=true")) {
            readOnly.as("olga", "o");

            assertThat(readOnly.get("/api/session").at("/role").asString()).isEqualTo("viewer");
        }
    }
}
