package dev.jobs.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source of warnings that waits for a database holds up nothing that Redis knows. */
@Timeout(240)
class SlowFindingsIT {

    private static final Duration ENOUGH = Duration.ofSeconds(60);

    @AutoClose
    private final EmbeddedRedis server = EmbeddedRedis.start();

    private RunningDashboard dashboard;
    private SlowDatabase database;

    @BeforeEach
    void start() {
        dashboard = RunningDashboard.start(
                server,
                "/jobs",
                List.of(TestApplication.class, SlowDatabase.Findings.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local");
        database = dashboard.bean(SlowDatabase.class);
    }

    @AfterEach
    void stop() {
        database.answer();
        dashboard.close();
    }

    @Test
    @LongTest
    void theOverviewIsShownWithTheLastWarningsMeanwhile() throws Exception {
        CompletableFuture<RunningDashboard.Reply> first =
                CompletableFuture.supplyAsync(() -> dashboard.get("/api/overview"));
        await().atMost(ENOUGH).until(() -> database.asked() == 1);
        dashboard.redis().opsForZSet().add("dead", "x", 1);

        await().atMost(ENOUGH)
                .untilAsserted(() -> assertThat(CompletableFuture.supplyAsync(() -> dashboard.get("/api/overview"))
                                .get(60, TimeUnit.SECONDS)
                                .at("/live/dead")
                                .asInt())
                        .isEqualTo(1));
        assertThat(first.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(database.asked()).as("one asks for all").isEqualTo(1);

        database.answer();

        await().atMost(ENOUGH).until(() -> dashboard.get("/api/overview").text().contains("The database was slow"));
    }
}
