package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An application with {@code jobs.enabled=false}. */
class TurnedOffIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @Test
    void enqueuesWhatItNeverRuns() {
        JobsContext.on(redis)
                .withPropertyValues("jobs.enabled=false", "spring.data.redis.timeout=60s")
                .run(context -> {
                    context.getBean(JobClient.class).enqueue("Mail");

                    JobsAdmin admin = context.getBean(JobsAdmin.class);
                    assertThat(admin.queues().all()).singleElement().satisfies(queue -> assertThat(queue.size())
                            .isEqualTo(1));
                    assertThat(admin.processes().all()).isEmpty();
                });
    }
}
