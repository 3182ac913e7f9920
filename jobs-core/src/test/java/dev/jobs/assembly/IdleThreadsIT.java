package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.testing.RedisFixture;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An idle worker has the threads that wait for something, and no others. */
class IdleThreadsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    static final class Jobs {

        @Job("noop")
        void noop() {}
    }

    @Test
    void anIdleWorkerHasNoThreadWithoutADuty() {
        Set<Thread> ofEarlierTests = Thread.getAllStackTraces().keySet();

        bed.start(new Jobs());

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !ofEarlierTests.contains(thread))
                .extracting(Thread::getName)
                .filteredOn(name -> name.startsWith("jobs-") || name.startsWith("CompletableFuture"))
                .containsExactlyInAnyOrder(
                        "jobs-beat",
                        "jobs-default-fetcher",
                        "jobs-doorbell",
                        "jobs-heartbeat",
                        "jobs-batches",
                        "jobs-poller",
                        "jobs-recurring"));
    }
}
