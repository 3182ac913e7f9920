package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.spring.autoconfigure.StandInJob;
import dev.jobs.spring.autoconfigure.gauges.JobNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobMetersTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final JobMeters meters = new JobMeters(registry, new JobNames(jobs()));

    @Test
    void executionsAreTimedByJobQueueOutcomeAndException() {
        meters.finished(new StandInJob("Mails.send", "mail"), Ending.DONE, Duration.ofMillis(20), null);
        meters.finished(new StandInJob("Mails.send", "mail"), Ending.DONE, Duration.ofMillis(30), null);
        meters.finished(new StandInJob("Mails.send", "mail"), Ending.RETRIED, Duration.ofMillis(5), new IOException());

        assertThat(registry.get("jobs.execution")
                        .tags("job", "Mails.send", "queue", "mail", "outcome", "done", "exception", "none")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(50);
        assertThat(registry.get("jobs.execution")
                        .tags("job", "Mails.send", "queue", "mail", "outcome", "retried", "exception", "IOException")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void anAliasCountsForItsJobAndUnknownJobsForOneName() {
        meters.finished(new StandInJob("OldName", "mail"), Ending.DONE, Duration.ZERO, null);
        for (int i = 0; i < 1_000; i++) {
            meters.finished(new StandInJob("Foreign" + i, "mail"), Ending.RETRIED, Duration.ZERO, null);
            meters.enqueued("Foreign" + i, "mail", 1, false);
        }

        assertThat(registry.find("jobs.execution").timers())
                .extracting(timer -> timer.getId().getTag("job"))
                .containsExactlyInAnyOrder("Mails.send", "unknown");
        assertThat(registry.get("jobs.enqueued")
                        .tags("job", "unknown")
                        .counter()
                        .count())
                .isEqualTo(1_000);
    }

    @Test
    void namesOfQueuesCannotFillTheRegistry() {
        for (int i = 0; i < 1_000; i++) {
            meters.enqueued("Mails.send", "tenant-" + i, 1, false);
        }

        assertThat(registry.find("jobs.enqueued").counters()).hasSize(201);
        assertThat(registry.get("jobs.enqueued")
                        .tags("queue", "other")
                        .counter()
                        .count())
                .isEqualTo(800);
    }

    @Test
    void enqueuedJobsAreCountedScheduledOnesToo() {
        meters.enqueued("Mails.send", "mail", 3, false);
        meters.enqueued("Mails.send", "mail", 4, true);

        assertThat(registry.get("jobs.enqueued")
                        .tags("job", "Mails.send", "queue", "mail")
                        .counter()
                        .count())
                .isEqualTo(7);
    }

    @Test
    void eventsOfTheEngineAreCountedAndTimed() {
        meters.recovered(5, 2);
        meters.promoted("Mails.send", "mail", Duration.ofMillis(7));
        meters.exchanged(3, 4, Duration.ofMillis(2));
        meters.settlementRefused(6);
        meters.notStored("Mails.send", "mail", 8);

        assertThat(registry.get("jobs.recovered")
                        .tag("outcome", "requeued")
                        .counter()
                        .count())
                .isEqualTo(5);
        assertThat(registry.get("jobs.recovered")
                        .tag("outcome", "poisoned")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("jobs.settlement.refused").counter().count()).isEqualTo(6);
        assertThat(registry.get("jobs.not.stored").counter().count()).isEqualTo(8);
        assertThat(registry.get("jobs.lateness").timer().max(TimeUnit.MILLISECONDS))
                .isEqualTo(7);
        assertThat(registry.get("jobs.claim").timer().count()).isEqualTo(1);
    }

    private static JobRegistry jobs() {
        try {
            Method method = Mails.class.getDeclaredMethod("send");
            return new JobRegistry(List.of(JobDefinition.of(
                    method.getAnnotation(Job.class), Mails.class, method, List.of(), arguments -> null)));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    static class Mails {

        @Job(aliases = "OldName")
        void send() {}
    }
}
