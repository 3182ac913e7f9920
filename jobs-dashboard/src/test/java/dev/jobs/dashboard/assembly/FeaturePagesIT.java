package dev.jobs.dashboard.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of a feature that no list of the dashboard has, in the application's own installation and in another one. */
class FeaturePagesIT {

    @AutoClose
    private static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis abroad = EmbeddedRedis.start();

    @AutoClose
    private static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            Things.Application.class,
            "jobs.worker.enabled=false",
            "jobs.dashboard.access=local",
            "jobs.dashboard.installations.eu.redis.url=" + abroad.uri());

    @ParameterizedTest
    @ValueSource(strings = {"/api/session", "/eu/api/session"})
    void theScriptsAreToldOfThem(String session) {
        assertThat(dashboard.get(session).at("/found").toString())
                .contains("{\"feature\":\"things\",\"pages\":[\"things\",\"thing\"]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/things", "/thing", "/eu/things", "/eu/thing"})
    void theyHaveAddresses(String page) {
        assertThat(dashboard.get(page).status()).isEqualTo(200);
        assertThat(dashboard.get(page + "s").status()).isEqualTo(page.endsWith("thing") ? 200 : 404);
    }

    @Test
    void theirRoutesAnswerForTheRedisOfTheInstallation() {
        dashboard.redis().opsForSet().add("things", "a", "b");

        assertThat(dashboard.get("/api/things").at("/counted").intValue()).isEqualTo(2);
        assertThat(dashboard.get("/eu/api/things").at("/counted").intValue()).isZero();
    }
}
