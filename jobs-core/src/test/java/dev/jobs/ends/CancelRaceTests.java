package dev.jobs.ends;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.InterruptibleRun;
import dev.jobs.engine.JobLog;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.Outcome;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Cancellations that arrive while a job begins, works or finishes. */
class CancelRaceTests {

    private static final int JOBS = 20_000;

    private enum Seen {
        DONE,
        SKIPPED,
        INTERRUPTED
    }

    private final Logger log = (Logger) LoggerFactory.getLogger(JobLog.class);
    private final EngineEnvironment environment = EngineEnvironment.system();
    private final Incarnation incarnation =
            new Incarnation("me", new Timing(Duration.ofSeconds(20)), environment.nanoTime());
    private final CancelledJobs cancelled = new CancelledJobs();
    private final JobRunner runner = runner(JobRegistry.of(new Jobs()), JobHooks.none());

    static final class Jobs {
        @Job(value = "Work", interruptible = true)
        void work(int steps) throws InterruptedException {
            for (int i = 0; i < steps; i++) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedException("as asked");
                }
                Thread.onSpinWait();
            }
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
                EngineTestBed.partsInMemory(registry, hooks, failures, cancelled));
    }

    @BeforeEach
    void logNoJobs() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void logJobs() {
        log.setLevel(null);
    }

    @Test
    void inWhateverOrderAJobEndsOnceAndItsInterruptEndsWithIt() throws Exception {
        Map<Seen, Integer> seen = new EnumMap<>(Seen.class);
        AtomicReference<ClaimedJob> current = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(1);
        Thread canceller = new Thread(() -> {
            ClaimedJob last = null;
            while (over.getCount() > 0) {
                ClaimedJob job = current.get();
                if (job == null || job == last) {
                    Thread.onSpinWait();
                    continue;
                }
                last = job;
                for (int i = job.hashCode() % 2_000; i > 0; i--) {
                    Thread.onSpinWait();
                }
                cancelled.replace(List.of("j1"));
                InterruptibleRun.interruptCancelled(job);
            }
        });
        canceller.start();
        for (int i = 0; i < JOBS; i++) {
            cancelled.replace(List.of());
            byte[] payload = ("{\"class\":\"Work\",\"args\":[" + i % 3_000 + "],\"jid\":\"j1\"}").getBytes(UTF_8);
            ClaimedJob job = new ClaimedJob(new Claimed("0:1:1", "default", payload, 0), incarnation, 0, () -> false);
            assertThat(job.begin(0)).isTrue();
            current.set(job);
            Outcome outcome = runner.run(job);
            assertThat(Thread.currentThread().isInterrupted())
                    .as("after job " + i)
                    .isFalse();
            assertThat(job.finish()).isTrue();
            InterruptibleRun.interruptCancelled(job);
            assertThat(Thread.interrupted()).as("after the end of job " + i).isFalse();
            seen.merge(seen(outcome), 1, Integer::sum);
        }
        over.countDown();
        canceller.join();
        assertThat(seen).containsOnlyKeys(Seen.values());
    }

    private static Seen seen(Outcome outcome) {
        if (outcome instanceof EarlyOutcome.Ended end) {
            assertThat(end.ending()).isEqualTo(Ending.CANCELLED);
            if (end.thrown() == null) {
                return Seen.SKIPPED;
            }
            assertThat(end.thrown()).isInstanceOf(InterruptedException.class);
            return Seen.INTERRUPTED;
        }
        assertThat(outcome).isInstanceOf(Outcome.Done.class);
        return Seen.DONE;
    }
}
