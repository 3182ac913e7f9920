package dev.jobs.dashboard.retries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Who decides about a job that nothing of its own says it of. */
class RetriesApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @Configuration(proxyBeanMethods = false)
    static class Patient {

        @Bean
        RetryPolicy patient() {
            return (payload, count, failure) -> Decision.retryIn(Duration.ofHours(1));
        }
    }

    @Test
    void aPolicyForAllJobsDecidesInPlaceOfTheDefault() {
        try (RunningDashboard dashboard = RunningDashboard.start(
                server,
                "/jobs",
                List.of(TestApplication.class, Patient.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local")) {
            Reply known = dashboard.get("/api/retry?failures=1&name=Jobs.sell");
            assertThat(known.at("/decides").asString()).isEqualTo("policy_for_all");
            assertThat(known.at("/waits")).isEmpty();

            Reply another = dashboard.get("/api/retry?failures=1&name=Other.job");
            assertThat(another.at("/decides").asString()).isEqualTo("others");
            assertThat(another.at("/waits/0/least").asLong()).isEqualTo(16_000);
        }
    }
}
