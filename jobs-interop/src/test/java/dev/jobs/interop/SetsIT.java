package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.Order;
import dev.jobs.admin.RunResult;
import dev.jobs.admin.ScanBudget;
import dev.jobs.client.RedisJobClient;
import dev.jobs.codec.Backtrace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each side's administration does to the jobs of the other: Sidekiq's data API to ours, {@link dev.jobs.admin.JobsAdmin} to Ruby's. What
 * fails waits for an hour, so that nothing moves by itself.
 */
@NeedsSidekiq
class SetsIT {

    /** Arguments whose text is easily written in another way. */
    private static final List<Object> DELICATE = Arrays.asList(
            "é😀 \u2028 </a> \u001f\u007f", 1.0, 10_000_000.0, Long.MAX_VALUE, Map.of("z", Arrays.asList(1L, null)));

    private static final double LATER = 4_102_444_800.5; // in 2100

    @AutoClose
    private static final Bed bed = new Bed("sets");

    private static final RubyApi api = bed.api();
    private static final RubyWorker ruby = bed.rubyWorker("worker", "-q", "ruby", "-c", "2");

    @BeforeAll
    static void start() {
        bed.patientEngine("java");
    }

    @BeforeEach
    void empty() {
        bed.redis.del("schedule", "retry", "dead", "queue:nobody");
    }

    private static RedisJobClient java() {
        return bed.client.queue("java");
    }

    private static String key(JobSet set) {
        return set == JobSet.SCHEDULED ? "schedule" : set.name().toLowerCase(Locale.ROOT);
    }

    /** A job of ours in that set: one that waits, or one that failed in our worker. */
    private static String ours(JobSet set) {
        String jid = Objects.requireNonNull(
                switch (set) {
                    case SCHEDULED -> java().in(Duration.ofHours(1)).enqueue("Interop::Fail", DELICATE);
                    case RETRY -> java().enqueue("Interop::Fail", DELICATE);
                    case DEAD -> java().retry(0).enqueue("Interop::Fail", DELICATE);
                });
        bed.awaitIn(key(set), jid);
        return jid;
    }

    /** A job of Ruby's in that set: one that waits, or one that failed in Ruby's worker. */
    private static String theirs(JobSet set) {
        String jid =
                switch (set) {
                    case SCHEDULED -> push("at", System.currentTimeMillis() / 1_000.0 + 3_600);
                    case RETRY -> push("retry", true);
                    case DEAD -> push("retry", 0);
                };
        bed.awaitIn(key(set), jid);
        return jid;
    }

    /** Lets Ruby push a job that fails there, with one more member. */
    private static String push(String member, Object value) {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put(member, value);
        payload.put("class", "Interop::Fail");
        payload.put("queue", "ruby");
        payload.put("args", List.of(DELICATE));
        return (String) Objects.requireNonNull(api.call("push", payload));
    }

    private static JobRecord record(JobSet set, String jid) {
        return bed.admin.jobs(set, 1, 200).items().stream()
                .filter(job -> jid.equals(job.jid()))
                .findFirst()
                .orElseThrow();
    }

    // Looking

    @Test
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.5")
    @Tag("sidekiq-20.1")
    void ruby_shows_what_failed_in_java() {
        String jid = Objects.requireNonNull(
                java().tags("one", "two").with("backtrace", 3).enqueue("Interop::Fail", DELICATE));
        Payload stored = Bed.payload(bed.awaitIn("retry", jid));
        Map<String, Object> shown = api.object("find", "retry", jid);
        assertThat(shown)
                .containsEntry("name", "Interop::Fail")
                .containsEntry("queue", "java")
                .containsEntry("tags", List.of("one", "two"))
                .containsEntry("error_class", "java.lang.IllegalStateException")
                .containsEntry("error_message", stored.text("error_message"));
        assertThat(stored.text("error_message")).startsWith("Java can't do this: é😀");
        assertThat(Values.same(shown.get("args"), List.of(DELICATE))).isTrue();
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
    void java_shows_what_failed_in_ruby() {
        Map<String, Object> payload = new HashMap<>();
        payload.put("class", "Interop::Fail");
        payload.put("queue", "ruby");
        payload.put("args", DELICATE);
        payload.put("backtrace", 3);
        payload.put("tags", List.of("one", "two"));
        String jid = (String) Objects.requireNonNull(api.call("push", payload));
        bed.awaitIn("retry", jid);
        JobRecord shown = record(JobSet.RETRY, jid);
        assertThat(shown.name()).isEqualTo("Interop::Fail");
        assertThat(shown.queue()).isEqualTo("ruby");
        assertThat(shown.tags()).containsExactly("one", "two");
        assertThat(shown.errorClass()).isEqualTo("RuntimeError");
        assertThat(shown.errorMessage()).isEqualTo("Ruby can't do this: é😀");
        assertThat(shown.retryCount()).isZero();
        assertThat(Values.same(Objects.requireNonNull(shown.payload()).args(), DELICATE))
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
    void ruby_finds_our_jobs(JobSet set) {
        String jid = ours(set);
        double score = bed.redis.zscore(key(set), bed.in(key(set), jid).get(0));
        assertThat(api.jids("scan", key(set), jid)).containsExactly(jid);
        assertThat(api.jids("scan", key(set), "é😀")).containsExactly(jid);
        assertThat(api.jids("fetch", key(set), score, jid)).containsExactly(jid);
        assertThat(api.object("find", key(set), jid)).containsEntry("jid", jid);
        assertThat(api.jids("set", key(set))).containsExactly(jid);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void java_finds_rubys_jobs(JobSet set) {
        String jid = theirs(set);
        ScanBudget budget = ScanBudget.standard();
        assertThat(bed.admin.scan(set, "é😀", 10, budget).jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.jid()).isEqualTo(jid));
        assertThat(bed.admin.find(set, jid, budget).jobs()).hasSize(1);
        double score = record(set, jid).score();
        assertThat(bed.admin.findByScore(set, score, jid, budget).jobs()).hasSize(1);
    }

    // Rescheduling

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-3")
    @Tag("sidekiq-20.1")
    void our_job_that_ruby_reschedules_stays_one(JobSet set) {
        String jid = ours(set);
        List<String> before = bed.in(key(set), jid);
        api.call("reschedule", key(set), jid, LATER);
        assertThat(bed.in(key(set), jid)).isEqualTo(before).hasSize(1);
        assertThat(bed.redis.zscore(key(set), before.get(0))).isCloseTo(LATER, Offset.offset(0.001));
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-31")
    void rubys_job_that_java_reschedules_stays_one(JobSet set) {
        String jid = theirs(set);
        List<String> before = bed.in(key(set), jid);
        Instant later = Instant.ofEpochMilli((long) (LATER * 1_000));
        assertThat(bed.admin.reschedule(set, record(set, jid).bytes(), later)).isTrue();
        assertThat(bed.in(key(set), jid)).isEqualTo(before).hasSize(1);
        assertThat(api.object("find", key(set), jid)).containsEntry("score", LATER);
    }

    // Deleting

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void ruby_deletes_our_job_and_no_other(JobSet set) {
        String jid = ours(set);
        String other = ours(set);
        api.call("delete", key(set), jid);
        assertThat(api.jids("set", key(set))).containsExactly(other);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-20.1")
    void java_deletes_rubys_job_and_no_other(JobSet set) {
        String jid = theirs(set);
        String other = theirs(set);
        assertThat(bed.admin.delete(set, record(set, jid).bytes())).isTrue();
        assertThat(api.jids("set", key(set))).containsExactly(other);
    }

    @Test
    @Tag("sidekiq-20.1")
    void each_side_deletes_the_others_jobs_from_a_queue() {
        String ours = Objects.requireNonNull(bed.client.queue("nobody").enqueue("Interop::Fail", DELICATE));
        String theirs = api.enqueue("nobody", "Interop::Fail", DELICATE);
        assertThat(api.jids("queue", "nobody")).containsExactly(theirs, ours);
        assertThat(api.call("delete_from_queue", "nobody", ours)).isEqualTo(true);
        JobRecord left =
                bed.admin.jobs("nobody", 1, 10, Order.NEWEST_FIRST).items().get(0);
        assertThat(left.jid()).isEqualTo(theirs);
        assertThat(bed.admin.deleteJob("nobody", left.bytes())).isTrue();
        assertThat(api.jids("queue", "nobody")).isEmpty();
    }

    // Running, killing, reviving

    @Test
    @Tag("sidekiq-8")
    @Tag("sidekiq-20.1")
    void our_job_that_ruby_runs_now_runs() {
        String waiting = ours(JobSet.SCHEDULED);
        api.call("add_to_queue", "schedule", waiting);
        awaitFailures(waiting, 1);
        String failed = ours(JobSet.RETRY);
        api.call("retry_now", "retry", failed);
        awaitFailures(failed, 2);
        assertThat(Bed.payload(bed.awaitIn("retry", failed)).integer("retry_count"))
                .isZero();
    }

    @Test
    @Tag("sidekiq-20.1")
    void rubys_job_that_java_runs_now_runs() {
        String waiting = theirs(JobSet.SCHEDULED);
        assertThat(bed.admin.runNow(
                        JobSet.SCHEDULED, record(JobSet.SCHEDULED, waiting).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(waiting, 1);
        String failed = theirs(JobSet.RETRY);
        assertThat(bed.admin.runNow(JobSet.RETRY, record(JobSet.RETRY, failed).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(failed, 2);
        assertThat(Bed.payload(bed.awaitIn("retry", failed)).integer("retry_count"))
                .isZero();
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void our_dead_job_is_revived_by_ruby_and_dies_again() {
        String jid = ours(JobSet.DEAD);
        assertThat(api.object("find", "dead", jid)).containsEntry("error_class", "java.lang.IllegalStateException");
        api.call("retry_now", "dead", jid);
        awaitFailures(jid, 2);
        bed.awaitIn("dead", jid);
        assertThat(bed.in("dead", jid)).hasSize(1);
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void rubys_dead_job_is_revived_by_java_and_dies_again() {
        String jid = theirs(JobSet.DEAD);
        assertThat(bed.admin.runNow(JobSet.DEAD, record(JobSet.DEAD, jid).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(jid, 2);
        bed.awaitIn("dead", jid);
        assertThat(bed.in("dead", jid)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void our_job_that_ruby_kills_is_dead_as_it_was(JobSet set) {
        String jid = ours(set);
        List<String> before = bed.in(key(set), jid);
        api.call("kill", key(set), jid);
        assertThat(bed.in(key(set), jid)).isEmpty();
        assertThat(bed.in("dead", jid)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void rubys_job_that_java_kills_is_dead_as_it_was(JobSet set) {
        String jid = theirs(set);
        List<String> before = bed.in(key(set), jid);
        assertThat(bed.admin.kill(set, record(set, jid).bytes())).isTrue();
        assertThat(bed.in(key(set), jid)).isEmpty();
        assertThat(bed.in("dead", jid)).isEqualTo(before);
        assertThat(api.jids("set", "dead")).containsExactly(jid);
    }

    @Test
    @Tag("sidekiq-11.1")
    void what_failed_in_java_is_retried_in_ruby_if_its_retry_queue_says_so() {
        String jid = Objects.requireNonNull(java().with("retry_queue", "ruby").enqueue("Interop::Fail", DELICATE));
        bed.awaitIn("retry", jid);
        api.call("retry_now", "retry", jid);
        awaitRubysFailures(jid, 1);
        assertThat(Bed.payload(bed.awaitIn("retry", jid)).text("error_class")).isEqualTo("RuntimeError");
    }

    @Test
    @Tag("sidekiq-11.1")
    void what_failed_in_ruby_is_retried_in_java_if_its_retry_queue_says_so() {
        String jid = push("retry_queue", "java");
        bed.awaitIn("retry", jid);
        bed.admin.runNow(JobSet.RETRY, record(JobSet.RETRY, jid).bytes());
        awaitFailures(jid, 1);
        assertThat(Bed.payload(bed.awaitIn("retry", jid)).text("error_class"))
                .isEqualTo("java.lang.IllegalStateException");
    }

    // All of them

    @Test
    @Tag("sidekiq-20.1")
    void ruby_retries_all_jobs_of_both_sides() {
        List<String> all = three(() -> bed.client
                .queue("java")
                .with("retry_queue", "nobody") // or some would be in the set again before it is empty
                .enqueue("Interop::Fail", DELICATE));
        all.addAll(three(() -> push("retry_queue", "nobody")));
        all.forEach(jid -> bed.awaitIn("retry", jid));
        api.call("retry_all", "retry");
        assertThat(bed.redis.zcard("retry")).isZero();
        assertThat(api.jids("queue", "nobody")).containsExactlyInAnyOrderElementsOf(all);
        assertThat(bed.redis.lrange("queue:nobody", 0, -1))
                .allSatisfy(job ->
                        assertThat(Bed.payload(job).integer("retry_count")).isEqualTo(-1));
    }

    @Test
    @Tag("sidekiq-20.1")
    void java_runs_all_jobs_of_both_sides() {
        List<String> ours = three(() -> ours(JobSet.SCHEDULED));
        List<String> theirs = three(() -> theirs(JobSet.SCHEDULED));
        assertThat(bed.admin.runAll(JobSet.SCHEDULED).done()).isEqualTo(6);
        ours.forEach(jid -> awaitFailures(jid, 1));
        theirs.forEach(jid -> awaitRubysFailures(jid, 1));
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void each_side_kills_all_jobs_of_both_sides() {
        List<String> first = three(() -> ours(JobSet.RETRY));
        first.addAll(three(() -> theirs(JobSet.RETRY)));
        api.call("kill_all", "retry");
        assertThat(bed.redis.zcard("retry")).isZero();
        List<String> second = three(() -> ours(JobSet.RETRY));
        second.addAll(three(() -> theirs(JobSet.RETRY)));
        assertThat(bed.admin.killAll(JobSet.RETRY).done()).isEqualTo(6);
        first.addAll(second);
        assertThat(api.jids("set", "dead")).containsExactlyInAnyOrderElementsOf(first);
    }

    private static List<String> three(Supplier<String> source) {
        List<String> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(source.get());
        }
        return three;
    }

    private static void awaitFailures(String jid, int count) {
        Bed.await("Java to perform " + jid, () -> bed.jobs.performed(jid) == count && hasFailed(jid));
    }

    private static void awaitRubysFailures(String jid, int count) {
        Bed.await("Ruby to perform " + jid, () -> ruby.performed(jid) == count && hasFailed(jid));
    }

    private static boolean hasFailed(String jid) {
        return bed.in("retry", jid).size() + bed.in("dead", jid).size() == 1;
    }
}
