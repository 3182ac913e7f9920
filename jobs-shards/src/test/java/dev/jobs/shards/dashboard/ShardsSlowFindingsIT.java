package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.live.SlowDatabase;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.shards.spring.SideBySide;
import dev.jobs.shards.spring.SideBySide.Patience;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source of warnings that waits for a database doesn't make its shard seem silent. */
@Timeout(240)
class ShardsSlowFindingsIT {

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

    /** The page of jobs is not asked for. */
    @SuppressWarnings("NullAway")
    private ShardPart home() {
        return new ShardPart(
                "home", "", "here", () -> "here", dashboard.bean(JobsAdmin.class), dashboard.bean(Sampler.class), null);
    }

    @LongTest
    @Test
    void theViewOverAllShardsHasTheNumbersOfThisOne() {
        Duration time = Duration.ofSeconds(10);
        try (SideBySide sideBySide = new SideBySide("test-", new Patience(time, time, time, 1))) {
            ShardsSampler.Live live = new ShardsSampler(
                            new AllShards(List.of(home()), sideBySide), Clock.systemUTC(), new LiveStream(1))
                    .latest();

            assertThat(live.shards()).singleElement().satisfies(row -> {
                assertThat(row.trouble()).isNull();
                assertThat(row.numbers()).isNotNull();
            });
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> database.asked() == 1);
    }
}
