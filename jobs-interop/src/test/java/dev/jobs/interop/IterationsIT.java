package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.JobEngine;
import dev.jobs.iterations.IterationInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An iterable job that one side interrupts continues with the next element on the other side, and either side can
 * cancel it.
 */
@NeedsSidekiq8
@Tag("sidekiq-18")
class IterationsIT {

    /** The side whose worker begins. */
    enum Side {
        JAVA,
        RUBY
    }

    private static final int SOME = 10;
    private static final int ALL = 150;
    private static final int TOO_MANY = 100_000;

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("iterations");

    private static final RubyApi api = bed.api();

    @ParameterizedTest
    @EnumSource
    void eachSideContinuesWhatTheOtherInterrupted(Side first) {
        String queue = "left-by-" + first;
        String jid = enqueue(queue, ALL);
        List<Long> numbers = new ArrayList<>();
        if (first == Side.JAVA) {
            JobEngine engine = bed.engine(queue);
            awaitSome(() -> javas(jid));
            engine.stop();
            numbers.addAll(numbers(javas(jid)));
            assertLeft(queue, jid, numbers);
            try (RubyWorker worker = bed.rubyWorker("goes-on", "-q", queue, "-c", "1")) {
                InteropTestBed.await("Ruby to end it", () -> rubys(worker, jid).contains("complete"));
                worker.stop();
                assertThat(rubys(worker, jid)).startsWith("resumed");
                numbers.addAll(numbers(rubys(worker, jid)));
            }
        } else {
            try (RubyWorker worker = bed.rubyWorker("leaves", "-q", queue, "-c", "1")) {
                awaitSome(() -> rubys(worker, jid));
                worker.stop();
                numbers.addAll(numbers(rubys(worker, jid)));
            }
            assertLeft(queue, jid, numbers);
            JobEngine engine = bed.engine(queue);
            InteropTestBed.await("Java to end it", () -> javas(jid).contains("complete"));
            engine.stop();
            assertThat(javas(jid)).startsWith("resumed");
            numbers.addAll(numbers(javas(jid)));
        }
        assertThat(numbers)
                .containsExactlyElementsOf(LongStream.range(0, ALL).boxed().toList());
        assertThat(bed.redis.exists("it-" + jid)).isZero();
    }

    /** The job waits in its queue, and both sides show its progress. */
    private static void assertLeft(String queue, String jid, List<Long> numbers) {
        assertThat(numbers).hasSizeBetween(SOME, ALL - 1);
        assertThat(bed.queued(queue, jid)).hasSize(1);
        IterationInfo ours = bed.admin.iteration(jid).orElseThrow();
        assertThat(ours.cursor()).isEqualTo(Integer.toString(numbers.size()));
        assertThat(ours.executions()).isOne();
        assertThat(api.object("iteration", jid)).containsEntry("cursor", (long) numbers.size());
    }

    @ParameterizedTest
    @EnumSource
    void eachSideCancelsWhatTheOtherRuns(Side runs) {
        String queue = "cancelled-in-" + runs;
        String jid = enqueue(queue, TOO_MANY);
        if (runs == Side.JAVA) {
            JobEngine engine = bed.engine(queue);
            awaitSome(() -> javas(jid));
            api.call("cancel", "Interop::Count", jid);
            InteropTestBed.await("Java to end it", () -> javas(jid).contains("complete"));
            engine.stop();
            assertThat(javas(jid)).containsSubsequence("cancelled", "complete");
            return;
        }
        try (RubyWorker worker = bed.rubyWorker("cancelled", "-q", queue, "-c", "1")) {
            awaitSome(() -> rubys(worker, jid));
            bed.client.cancel(jid);
            InteropTestBed.await("Ruby to end it", () -> rubys(worker, jid).contains("cancelled"));
            worker.stop();
        }
        assertThat(bed.queued(queue, jid)).isEmpty();
    }

    private static String enqueue(String queue, int count) {
        return Objects.requireNonNull(bed.client.queue(queue).enqueue("Interop::Count", count));
    }

    private static void awaitSome(Supplier<List<@Nullable Object>> noted) {
        InteropTestBed.await("some numbers", () -> numbers(noted.get()).size() >= SOME);
    }

    private static List<@Nullable Object> javas(String jid) {
        return whats(bed.jobs.performed.stream()
                .filter(each -> each.jid().equals(jid))
                .map(JavaJobs.Performed::what));
    }

    private static List<@Nullable Object> rubys(RubyWorker worker, String jid) {
        return whats(worker.performed().stream()
                .filter(each -> jid.equals(each.jid()))
                .map(each -> each.get("what")));
    }

    private static List<@Nullable Object> whats(Stream<? extends @Nullable Object> noted) {
        List<@Nullable Object> whats = new ArrayList<>();
        noted.forEach(whats::add);
        return whats;
    }

    private static List<Long> numbers(List<@Nullable Object> noted) {
        return noted.stream()
                .filter(Number.class::isInstance)
                .map(number -> ((Number) number).longValue())
                .toList();
    }
}
