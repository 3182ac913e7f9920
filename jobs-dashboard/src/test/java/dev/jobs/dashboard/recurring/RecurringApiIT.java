package dev.jobs.dashboard.recurring;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The requests and actions of the page of recurring jobs. */
@ParameterizedClass
@MethodSource("dashboards")
class RecurringApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    RecurringApiIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return RunningDashboard.ofEachKind(server);
    }

    @BeforeEach
    void empty() {
        dashboard.empty();
    }

    @Test
    void showsAndSteersRecurringJobs() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save(
                "nightly/é", Recurrence.cron("0 3 * * * Europe/Berlin"), JobCall.named("Jobs.charge", "Kim", "secret"));

        JsonNode item = dashboard.get("/api/recurring").at("/items/0");

        assertThat(item.at("/name").asString()).isEqualTo("nightly/é");
        assertThat(item.at("/schedule").asString()).contains("0 3 * * *");
        assertThat(item.at("/next")).hasSize(5);
        assertThat(item.at("/known").asBoolean()).isTrue();
        assertThat(item.at("/paused").asBoolean()).isFalse();
        assertThat(item.at("/args").asString()).isEqualTo("[\"Kim\",\"•••\"]");
        Map<String, String> name = Map.of("name", "nightly/é");
        assertThat(dashboard.post("/api/recurring/pause", name).at("/changed").asBoolean())
                .isTrue();
        assertThat(dashboard.get("/api/recurring").at("/items/0/paused").asBoolean())
                .isTrue();
        assertThat(dashboard.post("/api/recurring/resume", name).at("/changed").asBoolean())
                .isTrue();
        String jid = dashboard.post("/api/recurring/run", name).at("/jid").asString();
        assertThat(dashboard
                        .get("/api/jobs?place=queue&queue=default")
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo(jid);
        assertThat(dashboard
                        .get("/api/recurring/history?name=" + encoded("nightly/é"))
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo(jid);
        assertThat(dashboard
                        .post("/api/recurring/run", Map.of("name", "unknown"))
                        .status())
                .isEqualTo(404);
    }
}
