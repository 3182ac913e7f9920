package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.JobSet;
import dev.jobs.admin.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each side's administration runs, kills or revives scheduled, failed and dead jobs of the other, one or all at a time.
 */
@NeedsSidekiq
class RevivalsIT {

    @AutoClose
    private static final JobsInSets jobs = new JobsInSets("revivals");

    private static final InteropTestBed bed = jobs.bed;
    private static final RubyApi api = jobs.api;
    private static final RubyWorker ruby = jobs.ruby;

    @BeforeEach
    void empty() {
        jobs.clear();
    }

    @Test
    @Tag("sidekiq-8")
    @Tag("sidekiq-20.1")
    void ourJobThatRubyRunsNowRuns() {
        String waiting = jobs.ours(JobSet.SCHEDULED);
        api.call("add_to_queue", "schedule", waiting);
        awaitFailures(waiting, 1);
        String failed = jobs.ours(JobSet.RETRY);
        api.call("retry_now", "retry", failed);
        awaitFailures(failed, 2);
        assertThat(InteropTestBed.payload(bed.awaitIn("retry", failed)).integer("retry_count"))
                .isZero();
    }

    @Test
    @Tag("sidekiq-20.1")
    void rubysJobThatJavaRunsNowRuns() {
        String waiting = jobs.theirs(JobSet.SCHEDULED);
        assertThat(bed.admin
                        .sets()
                        .runNow(
                                JobSet.SCHEDULED,
                                jobs.record(JobSet.SCHEDULED, waiting).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(waiting, 1);
        String failed = jobs.theirs(JobSet.RETRY);
        assertThat(bed.admin
                        .sets()
                        .runNow(JobSet.RETRY, jobs.record(JobSet.RETRY, failed).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(failed, 2);
        assertThat(InteropTestBed.payload(bed.awaitIn("retry", failed)).integer("retry_count"))
                .isZero();
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void ourDeadJobIsRevivedByRubyAndDiesAgain() {
        String jid = jobs.ours(JobSet.DEAD);
        assertThat(api.object("find", "dead", jid)).containsEntry("error_class", "java.lang.IllegalStateException");
        api.call("retry_now", "dead", jid);
        awaitFailures(jid, 2);
        bed.awaitIn("dead", jid);
        assertThat(bed.in("dead", jid)).hasSize(1);
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void rubysDeadJobIsRevivedByJavaAndDiesAgain() {
        String jid = jobs.theirs(JobSet.DEAD);
        assertThat(bed.admin
                        .sets()
                        .runNow(JobSet.DEAD, jobs.record(JobSet.DEAD, jid).bytes()))
                .isEqualTo(RunResult.ENQUEUED);
        awaitRubysFailures(jid, 2);
        bed.awaitIn("dead", jid);
        assertThat(bed.in("dead", jid)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void ourJobThatRubyKillsIsDeadAsItWas(JobSet set) {
        String jid = jobs.ours(set);
        List<String> before = bed.in(JobsInSets.key(set), jid);
        api.call("kill", JobsInSets.key(set), jid);
        assertThat(bed.in(JobsInSets.key(set), jid)).isEmpty();
        assertThat(bed.in("dead", jid)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void rubysJobThatJavaKillsIsDeadAsItWas(JobSet set) {
        String jid = jobs.theirs(set);
        List<String> before = bed.in(JobsInSets.key(set), jid);
        assertThat(bed.admin.sets().kill(set, jobs.record(set, jid).bytes())).isTrue();
        assertThat(bed.in(JobsInSets.key(set), jid)).isEmpty();
        assertThat(bed.in("dead", jid)).isEqualTo(before);
        assertThat(api.jids("set", "dead")).containsExactly(jid);
    }

    @Test
    @Tag("sidekiq-11.1")
    void aJobThatFailedInJavaIsRetriedInRubyIfItsRetryQueueSaysSo() {
        String jid = Objects.requireNonNull(
                bed.elsewhere.queue("java").with("retry_queue", "ruby").enqueue("Interop::Fail", JobsInSets.DELICATE));
        bed.awaitIn("retry", jid);
        api.call("retry_now", "retry", jid);
        awaitRubysFailures(jid, 1);
        assertThat(InteropTestBed.payload(bed.awaitIn("retry", jid)).text("error_class"))
                .isEqualTo("RuntimeError");
    }

    @Test
    @Tag("sidekiq-11.1")
    void aJobThatFailedInRubyIsRetriedInJavaIfItsRetryQueueSaysSo() {
        String jid = jobs.push("retry_queue", "java");
        bed.awaitIn("retry", jid);
        bed.admin.sets().runNow(JobSet.RETRY, jobs.record(JobSet.RETRY, jid).bytes());
        awaitFailures(jid, 1);
        assertThat(InteropTestBed.payload(bed.awaitIn("retry", jid)).text("error_class"))
                .isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    @Tag("sidekiq-20.1")
    void rubyRetriesAllJobsOfBothSides() {
        List<String> all = three(() -> bed.elsewhere
                .queue("java")
                .with("retry_queue", "nobody") // otherwise some would return to the set before it is empty
                .enqueue("Interop::Fail", JobsInSets.DELICATE));
        all.addAll(three(() -> jobs.push("retry_queue", "nobody")));
        all.forEach(jid -> bed.awaitIn("retry", jid));
        api.call("retry_all", "retry");
        assertThat(bed.redis.zcard("retry")).isZero();
        assertThat(api.jids("queue", "nobody")).containsExactlyInAnyOrderElementsOf(all);
        assertThat(bed.redis.lrange("queue:nobody", 0, -1))
                .allSatisfy(job -> assertThat(InteropTestBed.payload(job).integer("retry_count"))
                        .isEqualTo(-1));
    }

    @Test
    @Tag("sidekiq-20.1")
    void javaRunsAllJobsOfBothSides() {
        List<String> ours = three(() -> jobs.ours(JobSet.SCHEDULED));
        List<String> theirs = three(() -> jobs.theirs(JobSet.SCHEDULED));
        assertThat(bed.admin.sets().all(JobSet.SCHEDULED).run().done()).isEqualTo(6);
        ours.forEach(jid -> awaitFailures(jid, 1));
        theirs.forEach(jid -> awaitRubysFailures(jid, 1));
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void eachSideKillsAllJobsOfBothSides() {
        List<String> first = three(() -> jobs.ours(JobSet.RETRY));
        first.addAll(three(() -> jobs.theirs(JobSet.RETRY)));
        api.call("kill_all", "retry");
        assertThat(bed.redis.zcard("retry")).isZero();
        List<String> second = three(() -> jobs.ours(JobSet.RETRY));
        second.addAll(three(() -> jobs.theirs(JobSet.RETRY)));
        assertThat(bed.admin.sets().all(JobSet.RETRY).kill().done()).isEqualTo(6);
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
        InteropTestBed.await("Java to perform " + jid, () -> bed.jobs.performed(jid) == count && hasFailed(jid));
    }

    private static void awaitRubysFailures(String jid, int count) {
        InteropTestBed.await("Ruby to perform " + jid, () -> ruby.performed(jid) == count && hasFailed(jid));
    }

    private static boolean hasFailed(String jid) {
        return bed.in("retry", jid).size() + bed.in("dead", jid).size() == 1;
    }
}
