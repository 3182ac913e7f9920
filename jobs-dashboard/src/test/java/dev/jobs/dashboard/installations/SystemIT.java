package dev.jobs.dashboard.installations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.DashboardUsers;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The dashboard says which system it shows, and whom it takes the user for. */
@ExtendWith(OutputCaptureExtension.class)
class SystemIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            KnowingShop.class,
            "jobs.worker.enabled=false",
            "jobs.dashboard.access=local",
            "jobs.dashboard.system.name=Shop <of> Ann",
            "jobs.dashboard.system.environment=production",
            "jobs.dashboard.system.colour=red");

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class KnowingShop {

        @Bean
        DashboardUsers users() {
            return request -> "127.0.0.1".equals(request.getRemoteAddr()) ? "Ann\nSmith" : null;
        }
    }

    @Test
    void namesTheSystemAndThePerson() {
        assertThat(dashboard.get("/api/session").at("/system").toString())
                .isEqualTo("{\"name\":\"Shop <of> Ann\",\"environment\":\"production\",\"colour\":\"red\"}");
        assertThat(dashboard.get("/api/session").at("/actor").asString()).isEqualTo("Ann\nSmith");
    }

    /** Beside the name, since people may be able to choose it. */
    @Test
    void theAuditHasTheAddressBesideTheName(CapturedOutput output) {
        dashboard.post("/api/queue/pause", Map.of("queue", "mail"));

        assertThat(output).containsPattern("Ann.{1,6}Smith \\(127.0.0.1\\): pause queue mail \\[1\\]");
    }
}
