package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.sun.management.ThreadMXBean;
import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.JobClaims.Claimed;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The cost of running a job in bytes, since seconds depend on the machine. */
class JobRunnerCostTests {

    private static final int JOBS = 10_000;

    private final Logger log = (Logger) LoggerFactory.getLogger(JobLog.class);
    private final Jobs jobs = new Jobs();
    private final EngineEnvironment environment = EngineEnvironment.system();
    private final Incarnation incarnation =
            new Incarnation("me", new Timing(Duration.ofSeconds(20)), environment.nanoTime());
    private final JobRunner runner = runner(JobRegistry.of(jobs), JobHooks.none());

    static final class Jobs {
        private long sum;

        @Job("Sum")
        void sum(long number, String text) {
            sum += number + text.length();
        }
    }

    private JobRunner runner(JobRegistry registry, JobHooks hooks) {
        FailureHandling failures = new FailureHandling(
                hooks, 25, PayloadTimes.MILLISECONDS, environment.clock(), environment.random(), RunParts.notes());
        return new JobRunner(
                registry,
                hooks,
                failures,
                environment,
                EngineTestBed.partsInMemory(registry, hooks, failures, new CancelledJobs()));
    }

    @BeforeEach
    void logNoJobs() {
        log.setLevel(Level.WARN);
    }

    @AfterEach
    void logJobs() {
        log.setLevel(null);
    }

    @Test
    void aJobWithTwoArgumentsTakesLittleMemory() {
        byte[] payload = EngineTestBed.payload(
                        "Sum",
                        "0123456789abcdef01234567",
                        "[42,\"text\"]",
                        "\"retry\":true",
                        "\"queue\":\"default\"",
                        "\"created_at\":1795237556186",
                        "\"enqueued_at\":1795237556187")
                .getBytes(UTF_8);
        run(payload, JOBS); // loads classes and creates everything that is created once
        long before = allocated();
        run(payload, JOBS);
        assertThat((allocated() - before) / JOBS).as("bytes for a job").isBetween(500L, 2_500L);
        assertThat(jobs.sum).isEqualTo(2 * JOBS * 46);
    }

    private void run(byte[] payload, int jobs) {
        for (int i = 0; i < jobs; i++) {
            ClaimedJob job = new ClaimedJob(new Claimed("0:1:1", "default", payload, 0), incarnation, 0, () -> false);
            runner.run(job);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
