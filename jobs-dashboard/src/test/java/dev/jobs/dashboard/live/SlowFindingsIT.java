package dev.jobs.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A source of warnings that waits for a database holds up nothing that Redis knows. */
@Timeout(240)
public class SlowFindingsIT {

    private static final Duration ENOUGH = Duration.ofSeconds(60);

    /** Has a warning once it is there again. */
    public static final class Database implements FindingSource {

        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch answers = new CountDownLatch(1);

        public int asked() {
            return asked.get();
        }

        public void answer() {
            answers.countDown();
        }

        @Override
        public List<Finding> find() {
            asked.incrementAndGet();
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return List.of(new Finding("database", Finding.Level.WARNING, "shop", List.of(), "The database was slow"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    public static class Findings {

        @Bean
        Database database() {
            return new Database();
        }
    }

    @AutoClose
    private final EmbeddedRedis server = EmbeddedRedis.start();

    private RunningDashboard dashboard;
    private Database database;

    @BeforeEach
    void start() {
        dashboard = RunningDashboard.start(
                server,
                "/jobs",
                List.of(TestApplication.class, Findings.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local");
        database = dashboard.bean(Database.class);
    }

    @AfterEach
    void stop() {
        database.answers.countDown();
        dashboard.close();
    }

    @Test
    @LongTest
    void theOverviewIsShownWithTheLastWarningsMeanwhile() throws Exception {
        CompletableFuture<RunningDashboard.Reply> first =
                CompletableFuture.supplyAsync(() -> dashboard.get("/api/overview"));
        await().atMost(ENOUGH).until(() -> database.asked.get() == 1);
        dashboard.redis().opsForZSet().add("dead", "x", 1);

        await().atMost(ENOUGH)
                .untilAsserted(() -> assertThat(CompletableFuture.supplyAsync(() -> dashboard.get("/api/overview"))
                                .get(60, TimeUnit.SECONDS)
                                .at("/live/dead")
                                .asInt())
                        .isEqualTo(1));
        assertThat(first.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(database.asked).as("one asks for all").hasValue(1);

        database.answers.countDown();

        await().atMost(ENOUGH).until(() -> dashboard.get("/api/overview").text().contains("The database was slow"));
    }
}
