package dev.jobs.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class CommittedWorkTests {

    @Test
    void workThatWaitsWhileTheClientClosesTellsItsEnd() {
        CommittedWork work = new CommittedWork(Duration.ofSeconds(1), Duration.ofMillis(50));
        List<String> told = new CopyOnWriteArrayList<>();
        work.later("shard", () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        work.later("shard", () -> told.add("not stored"));

        work.close();

        assertThat(told).containsExactly("not stored");
    }
}
