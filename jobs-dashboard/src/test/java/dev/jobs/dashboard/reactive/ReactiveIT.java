package dev.jobs.dashboard.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.ReactiveDashboardAccess;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.Route;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What is different in a reactive application: its threads, and its own rule of access. */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard =
            RunningDashboard.start(Kind.REACTIVE, server, "/jobs", Guarded.class, "jobs.worker.enabled=false");

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Guarded {

        @Bean
        ReactiveDashboardAccess byHeader() {
            return exchange -> Mono.justOrEmpty(
                            exchange.getRequest().getHeaders().getFirst("X-Role"))
                    .map(DashboardRole::valueOf);
        }

        @Bean
        Feature threads() {
            return new Feature() {

                @Override
                public String name() {
                    return "threads";
                }

                @Override
                public Map<String, Route> routes() {
                    return Map.of(
                            "GET api/thread", Route.look(this::thread), "POST api/thread", Route.act(this::thread));
                }

                private Object thread(ApiRequest request) {
                    return Map.of(
                            "name", Thread.currentThread().getName(), "mayWait", !Schedulers.isInNonBlockingThread());
                }
            };
        }
    }

    private static Reply get(String path, String role) {
        return dashboard.send(dashboard.request(path).header("X-Role", role));
    }

    @Test
    void onlyThreadsOfItsOwnWaitForRedis() {
        Reply reading = get("/api/thread", "VIEWER");

        assertThat(reading.at("/name").asString()).startsWith("jobs-dashboard-call-");
        assertThat(reading.at("/mayWait").asBoolean()).isTrue();
        Reply writing = dashboard.send(dashboard
                .request("/api/thread")
                .header("X-Role", "OPERATOR")
                .header("Sec-Fetch-Site", "same-origin")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}")));
        assertThat(writing.at("/name").asString()).startsWith("jobs-dashboard-call-");
    }

    @Test
    void theApplicationMayDecideWhoSeesIt() {
        assertThat(get("/api/session", "OPERATOR").at("/role").asString()).isEqualTo("operator");
        assertThat(get("/api/session", "VIEWER").at("/role").asString()).isEqualTo("viewer");
        assertThat(get("/", "VIEWER").status()).isEqualTo(200);
        assertThat(get("/", "NONE").status()).isEqualTo(403);
        assertThat(dashboard.get("/api/session").at("/error/code").asString()).isEqualTo("refused");
    }

    /** Answers of the server's own thread and of others take turns. Once in a thousand rounds it stopped reading. */
    @LongTest
    @Test
    void aConnectionIsReadOn() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(get("/api/session", "VIEWER").status()).isEqualTo(200);
            assertThat(get("/", "VIEWER").status()).isEqualTo(200);
            assertThat(get("/", "NONE").status()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/api/session", "/api/live"})
    void aRuleThatFailsLetsNobodyIn(String path, CapturedOutput output) {
        Reply reply = get(path, "EMPEROR");

        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.header("Content-Security-Policy")).startsWith("default-src 'none'");
        assertThat(reply.text()).doesNotContain("EMPEROR");
        assertThat(output).contains("The dashboard failed to answer GET", "EMPEROR");
    }
}
