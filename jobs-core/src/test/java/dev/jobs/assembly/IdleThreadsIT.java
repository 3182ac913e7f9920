package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.testing.RedisFixture;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker has those threads that wait for something, and the others when they are needed. */
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

    /** There is no thread yet that could run the job instead. */
    @Test
    void aJobWhoseThreadCouldNotBeStartedGetsOneLater() {
        AtomicBoolean failed = new AtomicBoolean();
        bed.environment = bed.environment.withProcessorThreads(work -> new Thread(work) {
            @Override
            public void start() {
                if (failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("no thread for now");
                }
                super.start();
            }
        });
        Jobs jobs = new Jobs();
        bed.start(jobs);

        bed.client(jobs).enqueue("noop");

        bed.awaitEnds(1);
        assertThat(failed).isTrue();
    }

    @Test
    void anIdleWorkerHasNoThreadWithoutADuty() {
        Set<Thread> ofEarlierTests = Thread.getAllStackTraces().keySet();

        bed.start(new Jobs());

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !ofEarlierTests.contains(thread))
                .extracting(Thread::getName)
                .filteredOn(name -> name.startsWith("jobs-") || name.endsWith("elayScheduler")) // that of the JDK
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
