package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.assembly.JobEngine;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each side moves due jobs that the other scheduled to their queues and runs them. Only one worker runs at a time. */
@NeedsSidekiq
class ScheduledIT {

    private static final int MANY = 250;

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("scheduled");

    private static final RubyApi api = bed.api();

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-7.2")
    @Tag("sidekiq-8")
    void rubyPromotesAndRunsWhatJavaScheduled() {
        String one = bed.client.queue("ruby").in(Duration.ofSeconds(1)).enqueue("Interop::Note", "é😀");
        List<String> many = bed.client
                .queue("ruby")
                .in(Duration.ofSeconds(1))
                .enqueueAll(
                        "Interop::Note",
                        IntStream.range(0, MANY).mapToObj(List::of).toList());
        assertThat(bed.in("schedule", one)).hasSize(1);
        assertThat(bed.redis.zcard("schedule")).isEqualTo(MANY + 1);
        assertThat(bed.redis.sismember("queues", "ruby")).isFalse();
        try (RubyWorker ruby = bed.rubyWorker("worker", "-q", "ruby", "-c", "2")) {
            assertThat(ruby.awaitPerformed(one)).isEqualTo(List.of("é😀"));
            many.forEach(ruby::awaitPerformed);
            assertThat(ruby.performed()).hasSize(MANY + 1);
            ruby.stop();
        }
        assertThat(bed.redis.zcard("schedule")).isZero();
        assertThat(bed.redis.sismember("queues", "ruby")).isTrue();
    }

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-7.2")
    @Tag("sidekiq-8")
    void javaPromotesAndRunsWhatRubyScheduled() {
        String one = api.enqueueIn(1, "java", "Interop::Note", "é😀");
        double due = System.currentTimeMillis() / 1_000.0 + 1;
        List<?> many = (List<?>) api.call(
                "push_bulk",
                "java",
                "Interop::Note",
                IntStream.range(0, MANY).mapToObj(List::of).toList(),
                due);
        assertThat(bed.redis.zcard("schedule")).isEqualTo(MANY + 1);
        JobEngine engine = bed.engine("java");
        try {
            assertThat(bed.awaitPerformed(one).what()).isEqualTo(List.of("é😀"));
            many.forEach(jid -> bed.awaitPerformed((String) Objects.requireNonNull(jid)));
        } finally {
            engine.stop();
        }
        assertThat(bed.jobs.performed).hasSize(MANY + 1);
        assertThat(bed.redis.zcard("schedule")).isZero();
    }

    @Test
    @Tag("sidekiq-8")
    void eachSideShowsWhenTheOthersJobsAreDue() {
        long before = System.currentTimeMillis();
        String ours = bed.client.queue("later").in(Duration.ofHours(1)).enqueue("Interop::Note", 1);
        String theirs = api.enqueueIn(3_600, "later", "Interop::Note", 1);
        double dueInRuby = (Double)
                Objects.requireNonNull(api.object("find", "schedule", ours).get("score"));
        assertThat(dueInRuby - before / 1_000.0).isBetween(3_600.0, 3_660.0);
        assertThat(bed.admin
                        .sets()
                        .jobs(JobSet.SCHEDULED, job -> true, 0, 10, InteropTestBed.AMPLE)
                        .items())
                .extracting(ListedJob::job)
                .filteredOn(job -> theirs.equals(job.jid()))
                .singleElement()
                .satisfies(job -> assertThat(Objects.requireNonNull(job.at()).toEpochMilli() - before)
                        .isBetween(3_600_000L, 3_660_000L));
        bed.redis.del("schedule");
    }
}
