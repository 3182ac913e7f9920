package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.JobAddress;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.Order;
import dev.jobs.codec.Backtrace;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each side's administration shows and changes scheduled, failed and dead jobs of the other, one at a time, without
 * running them.
 */
@NeedsSidekiq
class SetsIT {

    private static final double LATER = 4_102_444_800.5; // in 2100

    @AutoClose
    private static final JobsInSets jobs = new JobsInSets("sets");

    private static final InteropTestBed bed = jobs.bed;
    private static final RubyApi api = jobs.api;

    @BeforeEach
    void empty() {
        jobs.clear();
    }

    @Test
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.5")
    @Tag("sidekiq-20.1")
    void rubyShowsWhatFailedInJava() {
        String jid = Objects.requireNonNull(bed.elsewhere
                .queue("java")
                .tags("one", "two")
                .with("backtrace", 3)
                .enqueue("Interop::Fail", JobsInSets.DELICATE));
        Payload stored = InteropTestBed.payload(bed.awaitIn("retry", jid));
        Map<String, Object> shown = api.object("find", "retry", jid);
        assertThat(shown)
                .containsEntry("name", "Interop::Fail")
                .containsEntry("queue", "java")
                .containsEntry("tags", List.of("one", "two"))
                .containsEntry("error_class", "java.lang.IllegalStateException")
                .containsEntry("error_message", stored.text("error_message"));
        assertThat(stored.text("error_message")).startsWith("Java can't do this: é😀");
        assertThat(Values.same(shown.get("args"), List.of(JobsInSets.DELICATE))).isTrue();
        assertThat(shown.get("backtrace"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .hasSize(3)
                .first(InstanceOfAssertFactories.STRING)
                .contains("JavaJobs.fail");
        assertThat((Double) shown.get("score") - System.currentTimeMillis() / 1_000.0)
                .isBetween(3_500.0, 3_700.0);
    }

    @Test
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.5")
    void javaShowsWhatFailedInRuby() {
        Map<String, Object> payload = new HashMap<>();
        payload.put("class", "Interop::Fail");
        payload.put("queue", "ruby");
        payload.put("args", JobsInSets.DELICATE);
        payload.put("backtrace", 3);
        payload.put("tags", List.of("one", "two"));
        String jid = (String) Objects.requireNonNull(api.call("push", payload));
        bed.awaitIn("retry", jid);
        JobRecord shown = jobs.record(JobSet.RETRY, jid);
        assertThat(shown.name()).isEqualTo("Interop::Fail");
        assertThat(shown.queue()).isEqualTo("ruby");
        assertThat(shown.tags()).containsExactly("one", "two");
        assertThat(shown.errorClass()).isEqualTo("RuntimeError");
        assertThat(shown.errorMessage()).isEqualTo("Ruby can't do this: é😀");
        assertThat(shown.retryCount()).isZero();
        assertThat(Values.same(Objects.requireNonNull(shown.payload()).args(), JobsInSets.DELICATE))
                .isTrue();
        Instant now = Instant.now();
        assertThat(shown.createdAt()).isBetween(now.minusSeconds(60), now);
        assertThat(shown.enqueuedAt()).isBetween(now.minusSeconds(60), now);
        assertThat(shown.failedAt()).isBetween(now.minusSeconds(60), now);
        assertThat(Backtrace.decode(shown.payload().text("error_backtrace")))
                .hasSize(3)
                .first(InstanceOfAssertFactories.STRING)
                .contains("jobs.rb");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-6")
    @Tag("sidekiq-20.1")
    void rubyFindsOurJobs(JobSet set) {
        String jid = jobs.ours(set);
        double score = bed.redis.zscore(
                JobsInSets.key(set), bed.in(JobsInSets.key(set), jid).get(0));
        assertThat(api.jids("scan", JobsInSets.key(set), jid)).containsExactly(jid);
        assertThat(api.jids("scan", JobsInSets.key(set), "é😀")).containsExactly(jid);
        assertThat(api.jids("fetch", JobsInSets.key(set), score, jid)).containsExactly(jid);
        assertThat(api.object("find", JobsInSets.key(set), jid)).containsEntry("jid", jid);
        assertThat(api.jids("set", JobsInSets.key(set))).containsExactly(jid);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void javaFindsRubysJobs(JobSet set) {
        String jid = jobs.theirs(set);
        assertThat(bed.admin
                        .sets()
                        .jobs(set, job -> job.contains("é😀"), 0, 10, InteropTestBed.AMPLE)
                        .items())
                .singleElement()
                .satisfies(found -> assertThat(found.job().jid()).isEqualTo(jid));
        assertThat(bed.admin.sets().findById(set, jid, InteropTestBed.AMPLE).items())
                .hasSize(1);
        JobRecord record = jobs.record(set, jid);
        JobAddress address = new JobAddress(record.score(), 0, record.digest());
        assertThat(bed.admin
                        .sets()
                        .findAt(set, List.of(address), InteropTestBed.AMPLE)
                        .items())
                .hasSize(1);
    }

    // Rescheduling

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-3")
    @Tag("sidekiq-20.1")
    void ourJobThatRubyReschedulesStaysOne(JobSet set) {
        String jid = jobs.ours(set);
        List<String> before = bed.in(JobsInSets.key(set), jid);
        api.call("reschedule", JobsInSets.key(set), jid, LATER);
        assertThat(bed.in(JobsInSets.key(set), jid)).isEqualTo(before).hasSize(1);
        assertThat(bed.redis.zscore(JobsInSets.key(set), before.get(0))).isCloseTo(LATER, Offset.offset(0.001));
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-31")
    void rubysJobThatJavaReschedulesStaysOne(JobSet set) {
        String jid = jobs.theirs(set);
        List<String> before = bed.in(JobsInSets.key(set), jid);
        Instant later = Instant.ofEpochMilli((long) (LATER * 1_000));
        assertThat(bed.admin.sets().reschedule(set, jobs.record(set, jid).bytes(), later))
                .isTrue();
        assertThat(bed.in(JobsInSets.key(set), jid)).isEqualTo(before).hasSize(1);
        assertThat(api.object("find", JobsInSets.key(set), jid)).containsEntry("score", LATER);
    }

    // Deleting

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void rubyDeletesOurJobAndNoOther(JobSet set) {
        String jid = jobs.ours(set);
        String other = jobs.ours(set);
        api.call("delete", JobsInSets.key(set), jid);
        assertThat(api.jids("set", JobsInSets.key(set))).containsExactly(other);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void javaDeletesRubysJobAndNoOther(JobSet set) {
        String jid = jobs.theirs(set);
        String other = jobs.theirs(set);
        assertThat(bed.admin.sets().delete(set, jobs.record(set, jid).bytes())).isTrue();
        assertThat(api.jids("set", JobsInSets.key(set))).containsExactly(other);
    }

    @Test
    @Tag("sidekiq-20.1")
    void eachSideDeletesTheOthersJobsFromAQueue() {
        String ours =
                Objects.requireNonNull(bed.elsewhere.queue("nobody").enqueue("Interop::Fail", JobsInSets.DELICATE));
        String theirs = api.enqueue("nobody", "Interop::Fail", JobsInSets.DELICATE);
        assertThat(api.jids("queue", "nobody")).containsExactly(theirs, ours);
        assertThat(api.call("delete_from_queue", "nobody", ours)).isEqualTo(true);
        JobRecord left = bed.admin
                .queues()
                .jobs("nobody", Order.NEWEST_FIRST, job -> true, 0, 10, InteropTestBed.AMPLE)
                .items()
                .get(0)
                .job();
        assertThat(left.jid()).isEqualTo(theirs);
        assertThat(bed.admin.queues().delete("nobody", left.bytes())).isTrue();
        assertThat(api.jids("queue", "nobody")).isEmpty();
    }
}
