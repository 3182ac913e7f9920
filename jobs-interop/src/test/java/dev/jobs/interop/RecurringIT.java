package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.Payload;
import dev.jobs.assembly.JobEngine;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobs.Run;
import dev.jobs.recurring.RedisRecurringJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each side shows, changes and fires the recurring jobs of the other. */
@NeedsSidekiqCron
@Tag("sidekiq-29")
class RecurringIT {

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("recurring");

    private static final RubyApi ruby = bed.cronApi();
    private static final RedisRecurringJobs recurring = bed.recurring();

    @BeforeEach
    void empty() {
        bed.redis.flushall();
    }

    private static void createInRuby(String name, String cron, String job, String queue) {
        Object created = ruby.call(
                "cron_create",
                Map.of("name", name, "cron", cron, "class", job, "queue", queue, "args", List.of("é", 1, 1.0)));
        assertThat(created).isEqualTo(true);
    }

    @Test
    void rubyShowsWhatJavaMade() {
        recurring.save(
                "Über Nacht",
                Recurrence.cron("30 2 * * *")
                        .zone("Europe/Berlin")
                        .queue("java")
                        .description("Sales"),
                JobCall.named("Interop::Unheard", "é", 1, 1.0, null));

        assertThat(ruby.call("cron_errors", "Über Nacht")).isEqualTo(List.of());
        Map<String, @Nullable Object> seen = ruby.object("cron_find", "Über Nacht");
        assertThat(seen)
                .containsEntry("klass", "Interop::Unheard")
                .containsEntry("cron", "30 2 * * * Europe/Berlin")
                .containsEntry("description", "Sales")
                .containsEntry("args", "[\"é\",1,1.0,null]")
                .containsEntry("status", "enabled")
                .containsEntry("source", "dynamic")
                .containsEntry("namespace", "default");
        assertThat(ruby.call("cron_names")).isEqualTo(List.of("Über Nacht"));
    }

    @Test
    void javaShowsWhatRubyMade() {
        createInRuby("theirs", "30 2 * * 1-5 Europe/Berlin", "Interop::RubyOnly", "ruby");

        RecurringJob job = recurring.find("theirs").orElseThrow();

        assertThat(job.job()).isEqualTo("Interop::RubyOnly");
        assertThat(job.queue()).isEqualTo("ruby");
        assertThat(job.arguments()).isEqualTo("[\"é\",1,1.0]");
        assertThat(job.schedule()).isEqualTo(CronSchedule.parse("30 2 * * 1-5", "Europe/Berlin"));
        assertThat(job.enabled()).isTrue();
        assertThat(job.needsRuby(false)).isFalse();
    }

    /** As Ruby reads it: some of these are refused from people, since Spring reads them otherwise. */
    private static RecurringJob stored(String cron) {
        return new RecurringJob("any", Map.of("cron", cron));
    }

    @Test
    void rubyFiresWhatJavaMadeAndJavaWhatRubyMade() {
        recurring.save("ours", Recurrence.cron("@yearly").queue("java"), JobCall.named("Interop::Note", "é"));
        createInRuby("theirs", "@yearly", "Interop::RubyOnly", "ruby");
        JobEngine engine = bed.engine("java");
        try (RubyWorker worker = bed.rubyWorker("worker", "-q", "ruby")) {
            ruby.call("cron_enqueue", "ours");
            String ours =
                    Objects.requireNonNull(recurring.history("ours").get(0).jid());
            assertThat(bed.awaitPerformed(ours).what()).isEqualTo(List.of("é"));
            assertThat(Objects.requireNonNull(
                            recurring.find("ours").orElseThrow().lastEnqueued()))
                    .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(2));

            String theirs = recurring.runNow("theirs");
            assertThat(worker.awaitPerformed(theirs)).isEqualTo(List.of("é", 1L, 1.0));
            assertThat(ruby.object("cron_find", "theirs").get("last_enqueue_time"))
                    .isEqualTo(bed.redis.hget("cron_job:default:theirs", "last_enqueue_time"));
            assertThat(ruby.call("cron_history", "theirs"))
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                    .singleElement()
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsEntry("jid", theirs);
            worker.stop();
        } finally {
            engine.stop();
        }
        assertThat(recurring.history("ours"))
                .hasSize(1)
                .extracting(Run::enqueued)
                .doesNotContainNull();
    }

    @Test
    void eachSidePausesChangesAndDeletesWhatTheOtherMade() {
        recurring.save("ours", Recurrence.cron("@yearly"), JobCall.named("Interop::Note", 1));
        bed.redis.hset("cron_job:default:ours", "jobs_declared_by", "shop");
        createInRuby("theirs", "@yearly", "Interop::RubyOnly", "ruby");

        ruby.call("cron_enable", "ours", false);
        assertThat(recurring.find("ours").orElseThrow().enabled()).isFalse();
        assertThat(recurring.find("ours").orElseThrow().declaredBy()).isEqualTo("shop");
        recurring.pause("theirs");
        assertThat(ruby.object("cron_find", "theirs")).containsEntry("status", "disabled");
        ruby.call("cron_enable", "theirs", true);
        assertThat(recurring.find("theirs").orElseThrow().enabled()).isTrue();

        recurring.save("theirs", Recurrence.cron("@monthly"), JobCall.named("Interop::RubyOnly", 7));
        assertThat(ruby.object("cron_find", "theirs"))
                .containsEntry("cron", "@monthly")
                .containsEntry("args", "[7]");

        assertThat(ruby.call("cron_destroy", "ours")).isEqualTo(true);
        assertThat(recurring.find("ours")).isEmpty();
        assertThat(recurring.delete("theirs")).isTrue();
        assertThat(ruby.call("cron_names")).isEqualTo(List.of());
        assertThat(bed.redis.keys("cron_job*")).isEmpty();
    }

    /** Its page would fail at the schedule. */
    @Test
    void rubyDoesNotSeeAFixedRate() {
        recurring.save("rate", Recurrence.every(Duration.ofSeconds(90)), JobCall.named("Interop::Note", 1));

        assertThat(ruby.call("cron_names")).isEqualTo(List.of());
        recurring.save("rate", Recurrence.cron("@yearly"), JobCall.named("Interop::Note", 1));
        assertThat(ruby.call("cron_names")).isEqualTo(List.of("rate"));
    }

    @Test
    void rubyKeepsWhatAJobSaysOfMissedSlots() {
        recurring.save("ours", Recurrence.cron("@yearly").missed(Missed.ALL), JobCall.named("Interop::Note", 1));
        Map<String, String> before = bed.redis.hgetall("cron_job:default:ours");
        assertThat(before).containsEntry("jobs_missed", "all 100").containsKey("jobs_passed");

        ruby.call("cron_enable", "ours", false);
        ruby.call("cron_enable", "ours", true);

        assertThat(bed.redis.hgetall("cron_job:default:ours"))
                .containsEntry("jobs_missed", "all 100")
                .containsEntry("jobs_passed", before.get("jobs_passed"));
    }

    @Test
    void aScheduleFileOfRubysDeletesNothingOfOurs() {
        recurring.save("ours", Recurrence.cron("@yearly"), JobCall.named("Interop::Note", 1));
        bed.redis.hset("cron_job:default:ours", "jobs_declared_by", "shop");

        ruby.call("cron_load_schedule", Map.of("theirs", Map.of("cron", "@daily", "class", "Interop::RubyOnly")));
        ruby.call("cron_load_schedule", Map.of("other", Map.of("cron", "@daily", "class", "Interop::RubyOnly")));

        assertThat(recurring.list()).extracting(RecurringJob::name).containsExactly("other", "ours");
    }

    /** Except around clock changes, which Ruby handles differently. */
    @Test
    void bothSidesUnderstandATextAlike() {
        Random random = new Random(29);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            texts.add(text(random));
        }
        List<Long> times = List.of(1_780_000_000L, 1_790_000_123L, 1_800_000_059L, 1_811_111_100L);

        List<?> previous = (List<?>) Objects.requireNonNull(ruby.call("cron_previous", texts, times));

        for (int i = 0; i < texts.size(); i++) {
            CronSchedule schedule = Objects.requireNonNull(stored(texts.get(i)).schedule());
            List<Long> ours = times.stream()
                    .map(time -> schedule.atOrBefore(Instant.ofEpochSecond(time).minusNanos(1))
                            .getEpochSecond())
                    .toList();
            assertThat(ours).as(texts.get(i)).isEqualTo(previous.get(i));
        }
    }

    private static String text(Random random) {
        String[] minutes = {"*", "0", "*/7", "5,35", "10-20/3", "50-10", "3/20"};
        String[] hours = {"*", "0", "2,14", "*/5", "22-3", "24"};
        String[] days = {"*", "1", "L", "-3", "13", "*/9", "28-31"};
        String[] months = {"*", "*", "2", "jan-mar", "nov-feb", "*/5"};
        String[] weekdays = {"*", "*", "1", "7", "fri-mon", "mon#2", "3#L", "MON-FRI", "*/2"};
        String[] zones = {"", " UTC", " Asia/Tokyo", " +05:30", " America/Bogota"};
        String[] seconds = {"", "", "0 ", "*/20 ", "7,45 "};
        return one(random, seconds) + one(random, minutes) + " " + one(random, hours) + " " + one(random, days) + " "
                + one(random, months) + " " + one(random, weekdays) + one(random, zones);
    }

    private static String one(Random random, String[] from) {
        return from[random.nextInt(from.length)];
    }

    static List<Payload> queued(InteropTestBed bed, String queue) {
        return bed.redis.lrange("queue:" + queue, 0, -1).stream()
                .map(InteropTestBed::payload)
                .toList();
    }
}
