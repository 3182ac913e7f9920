package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.PayloadTimes;
import dev.jobs.assembly.RedisJobClient;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With times in seconds, every version of Sidekiq shows the times of our jobs correctly. */
@NeedsSidekiq
class TimesIT {

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("times");

    private static final RubyApi api = bed.api();
    private static final RedisJobClient client = bed.client(PayloadTimes.FLOAT_SECONDS);

    @BeforeAll
    static void start() {
        bed.patientEngine(PayloadTimes.FLOAT_SECONDS, "java");
    }

    private static double now() {
        return System.currentTimeMillis() / 1_000.0;
    }

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-30")
    void aWaitingJobHasItsTimesAndItsQueueALatency() {
        String jid = client.queue("idle").enqueue("Interop::Note", 1);
        assertThat(api.objects("queue", "idle")).singleElement().satisfies(job -> {
            assertThat(job).containsEntry("jid", jid);
            assertThat((Double) job.get("created_at")).isBetween(now() - 60, now());
            assertThat((Double) job.get("enqueued_at")).isBetween(now() - 60, now());
            assertThat((Double) job.get("latency")).isBetween(0.0, 60.0);
        });
        assertThat(api.object("queues").get("idle"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .extractingByKey("latency", InstanceOfAssertFactories.DOUBLE)
                .isBetween(0.0, 60.0);
    }

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-30")
    void aJobThatFailedTwiceHasTheTimesOfItsFailures() {
        String jid = Objects.requireNonNull(client.queue("java").enqueue("Interop::Fail", 1));
        bed.awaitIn("retry", jid);
        api.call("reschedule", "retry", jid, now());
        InteropTestBed.await("Java to perform " + jid + " again", () -> bed.jobs.performed(jid) == 2);
        bed.awaitIn("retry", jid);
        Map<String, Object> shown = api.object("find", "retry", jid);
        assertThat((Double) shown.get("failed_at")).isBetween(now() - 60, now());
        assertThat((Double) shown.get("retried_at")).isBetween((Double) shown.get("failed_at"), now());
        assertThat((Double) shown.get("enqueued_at")).isBetween(now() - 60, now());
    }
}
