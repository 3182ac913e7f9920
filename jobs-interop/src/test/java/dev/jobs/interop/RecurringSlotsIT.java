package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.Payload;
import dev.jobs.assembly.JobEngine;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One recurring job of each side, fired by two processes of each: Ruby's alone, both, Java's alone, a third of the time
 * each. The enqueued jobs stay in queues that no worker serves, and are counted.
 */
@NeedsSidekiqCron
@Tag("sidekiq-29")
class RecurringSlotsIT {

    /** The duration of the test, such as {@code PT3M}. */
    private static final String PROPERTY = "jobs.interop.recurring";

    private static final int PERIOD = 3;

    /** Long enough for each of Ruby's polls, which come every 0.5 to 1.5 seconds. */
    private static final String CRON = "*/" + PERIOD + " * * * * *";

    private static final List<String> NAMES = List.of("ours", "theirs");

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("recurring-slots");

    @Test
    @Timeout(600)
    void everySlotIsFiredOnce() {
        Duration third = Duration.parse(System.getProperty(PROPERTY, "PT27S")).dividedBy(3);
        RedisRecurringJobs recurring = bed.recurring();
        RubyApi api = bed.cronApi();
        RubyWorker one = cronWorker("one");
        RubyWorker two = cronWorker("two");
        InteropTestBed.await(
                "two processes of Ruby's", () -> bed.admin.processes().all().size() == 2);
        recurring.save("ours", Recurrence.cron(CRON).queue("ours"), JobCall.named("Interop::JavaOnly", "é"));
        api.call(
                "cron_create", Map.of("name", "theirs", "cron", CRON, "class", "Interop::RubyOnly", "queue", "theirs"));
        awaitFiredFor(third);
        JobEngine first = bed.engine("java");
        JobEngine second = bed.engine("java");
        awaitFiredFor(third);
        one.close(); // killed
        two.stop();
        awaitFiredFor(third);
        first.stop();
        awaitFiredFor(Duration.ofSeconds(2 * PERIOD));
        second.stop();
        for (String name : NAMES) {
            assertFiredOnce(name);
        }
    }

    private static RubyWorker cronWorker(String name) {
        return bed.rubyWorker(name, "-q", "ruby", "-r", "./" + Ruby.SCRIPTS.resolve("cron_worker.rb"));
    }

    /** Waits until both were fired as often as they have slots in this time. */
    private static void awaitFiredFor(Duration time) {
        long more = Math.max(1, time.toSeconds() / PERIOD);
        List<Integer> before = NAMES.stream().map(name -> fired(name).size()).toList();
        Awaitility.await("both to be fired " + more + " times more")
                .atMost(time.plusSeconds(60))
                .until(() -> {
                    for (int i = 0; i < NAMES.size(); i++) {
                        if (fired(NAMES.get(i)).size() < before.get(i) + more) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    private static List<Payload> fired(String name) {
        return RecurringIT.queued(bed, name);
    }

    private static void assertFiredOnce(String name) {
        // The first slot was taken when the job was saved, without an enqueue.
        List<Instant> slots = bed.redis.zrange("cron_job:default:" + name + ":enqueued", 0, -1).stream()
                .map(Instant::parse)
                .sorted()
                .toList();
        for (int i = 1; i < slots.size(); i++) {
            assertThat(slots.get(i))
                    .as("slot %d of %s", i, name)
                    .isEqualTo(slots.get(i - 1).plusSeconds(PERIOD));
        }
        List<Payload> fired = fired(name);
        assertThat(fired).as("jobs of %s", name).hasSize(slots.size() - 1);
        assertThat(fired.stream().map(Payload::jid).distinct()).hasSameSizeAs(fired);
    }
}
