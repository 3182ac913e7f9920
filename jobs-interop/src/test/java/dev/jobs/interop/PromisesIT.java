package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHandle;
import dev.jobs.JobResult;
import dev.jobs.assembly.JobEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Limits, locks and results where one side enqueues and the other runs. */
@NeedsSidekiq
class PromisesIT {

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("promises");

    private static final RubyApi api = bed.api();

    @Test
    void jobsThatRubyEnqueuesHaveTheLimitsOfJavasCode() {
        String queue = "limited-by-code";
        List<List<Object>> arguments = IntStream.range(0, 60)
                .mapToObj(i -> List.<Object>of("shop-" + i % 3, i))
                .toList();
        Object pushed = api.call("push_bulk", queue, "Interop::Limited", arguments);
        Set<String> jids = new HashSet<>();
        ((List<?>) Objects.requireNonNull(pushed)).forEach(jid -> jids.add((String) jid));
        JobEngine one = bed.engine(queue);
        JobEngine other = bed.engine(queue);

        InteropTestBed.await("Java to perform all", () -> jids.stream().allMatch(jid -> bed.jobs.performed(jid) == 1));

        one.stop();
        other.stop();
        assertThat(bed.jobs.performed.stream().filter(each -> jids.contains(each.jid())))
                .extracting(JavaJobs.Performed::what)
                .as("how many of its key ran at once")
                .containsOnly(1);
        assertNothingHeld();
    }

    @Test
    void aJobThatRubyEnqueuesMayNameItsLimit() throws IOException {
        String queue = "limited-by-payload";
        bed.admin.limits().set("named", 1);
        String file = bed.file("named-may-end").toString();
        List<String> jids = IntStream.range(0, 2)
                .mapToObj(i -> (String) api.call(
                        "push",
                        Map.of(
                                "class",
                                "Interop::Wait",
                                "queue",
                                queue,
                                "args",
                                List.of(file),
                                "limits",
                                List.of(List.of("named", "x")))))
                .toList();
        JobEngine engine = bed.engine(queue);

        InteropTestBed.await("one to wait for the other", () -> bed.redis.zcard("jobs:parked:named") == 1);
        InteropTestBed.await("one to run", () -> bed.redis.zcard("jobs:permits:named") == 1);
        Files.createFile(bed.file("named-may-end"));

        jids.forEach(bed::awaitPerformed);
        engine.stop();
        assertNothingHeld();
    }

    @Test
    void rubyRunsAJobWithALimitWithoutAPermit() {
        String queue = "limited-in-ruby";
        String jid = Objects.requireNonNull(
                bed.client.queue(queue).limit("interop", "shop-1").enqueue("Interop::Note", "x"));
        try (RubyWorker worker = bed.rubyWorker("limited", "-q", queue, "-c", "1")) {
            worker.awaitPerformed(jid);
            worker.stop();
        }
        assertNothingHeld();
    }

    private static void assertNothingHeld() {
        assertThat(bed.redis.keys("jobs:permits:*")).isEmpty();
        assertThat(bed.redis.keys("jobs:parked:*")).isEmpty();
    }

    @Test
    void theLockOfAJobThatRubyRanEndsWithItsTime() {
        String queue = "unique-in-ruby";
        String jid =
                Objects.requireNonNull(bed.client.queue(queue).unique("shop-1").enqueue("Interop::Note", "x"));
        try (RubyWorker worker = bed.rubyWorker("unique", "-q", queue, "-c", "1")) {
            worker.awaitPerformed(jid);
            worker.stop();
        }
        List<String> locks = bed.redis.keys("unique:*");
        assertThat(locks).hasSize(1);
        assertThat(bed.redis.get(locks.get(0))).isEqualTo(jid);
        assertThat(bed.redis.pttl(locks.get(0))).isPositive();
        assertThat(bed.client.queue(queue).unique("shop-1").enqueue("Interop::Note", "y"))
                .as("until then")
                .isNull();
    }

    @Test
    void aWaitForAJobThatRubyRunsEndsWithItsTime() throws InterruptedException {
        String queue = "awaited-in-ruby";
        JobHandle<String> handle = bed.client.queue(queue).submit("Interop::Note", String.class, "x");
        try (RubyWorker worker = bed.rubyWorker("awaited", "-q", queue, "-c", "1")) {
            worker.awaitPerformed(handle.jid());
            worker.stop();
        }
        assertThat(handle.await(Duration.ofMillis(300)).state()).isEqualTo(JobResult.State.PENDING);
    }
}
