package dev.jobs.spring.autoconfigure.recurring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker stores and fires what its configuration declares. */
@Tag("sidekiq-29")
class SchedulesIT {

    @AutoClose
    static final EmbeddedRedis redis = EmbeddedRedis.start();

    static class Reports {

        final List<String> regions = new CopyOnWriteArrayList<>();

        @Job("Reports.region")
        void region(String name) {
            regions.add(name);
        }
    }

    @Test
    void aScheduleIsStoredAndFiredWithItsArguments() {
        JobsContext.on(redis)
                .withBean(Reports.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "jobs.recurring.schedules.north.job=Reports.region",
                        "jobs.recurring.schedules.north.cron=* * * * * *",
                        "jobs.recurring.schedules.north.args=north")
                .run(context -> {
                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(context.getBean(Reports.class).regions)
                                    .contains("north"));

                    RecurringJob north =
                            context.getBean(RecurringJobs.class).find("north").orElseThrow();
                    assertThat(north.origin()).isEqualTo(Origin.CONFIGURATION);
                    assertThat(north.declaredBy()).isEqualTo("shop");
                });
    }
}
