package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How an idle worker keeps its connections known to everything between it and Redis. */
class QuietConnectionsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    static final class Jobs {
        final CountDownLatch ran = new CountDownLatch(1);

        @Job("Quick")
        void quick() {
            ran.countDown();
        }
    }

    /** While a claim stands at its only queue, the connection for settlements is quiet. */
    @Test
    @LongTest
    void asksForASignOfLifeWhereNothingElseTravels() throws Exception {
        JobEngine engine = bed.start(jobs);
        await().atMost(Duration.ofSeconds(30)).until(() -> engine.health().alive());
        bed.push("default", payload("Quick", "j1", "[]"));
        jobs.ran.await();
        bed.awaitDrained("default");

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(work()).singleElement().asString().contains(" cmd=ping "));
    }

    private static List<String> work() {
        return redis.texts()
                .clientList()
                .lines()
                .filter(client -> client.contains(" name=jobs-work "))
                .toList();
    }
}
