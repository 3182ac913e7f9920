package dev.jobs.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.sun.management.ThreadMXBean;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.metrics.JobMetrics.Counted;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-16")
class ExecutionCountsTests {

    private final ExecutionCounts counts = new ExecutionCounts();

    private static Payload payload(String name, String... more) {
        return Payload.parse(EngineTestBed.payload(name, "j1", "[]", more).getBytes(UTF_8));
    }

    private void ended(Payload payload, boolean failed, long millis) {
        counts.ended(
                payload,
                payload.jobName(),
                "default",
                failed,
                Duration.ofMillis(millis).toNanos(),
                0);
    }

    @Test
    void failuresHaveNoTimeAndAllOthersDo() {
        ended(payload("A"), false, 19);
        ended(payload("A"), false, 20);
        ended(payload("A"), true, 1_000);

        assertThat(counts.take().jobs()).singleElement().satisfies(counted -> {
            assertThat(counted.name()).isEqualTo("A");
            assertThat(counted.failed()).isEqualTo(1);
            assertThat(counted.millis()).isEqualTo(39);
            assertThat(counted.histogram()).startsWith(1, 1, 0).hasSize(26);
            assertThat(Arrays.stream(counted.histogram()).sum()).isEqualTo(2);
        });
        assertThat(counts.take().jobs()).isEmpty();
    }

    @Test
    void timesOfAQueueAreTheSumOfItsJobsAndTimesOfAJobThatOfItsQueues() {
        counts.ended(payload("A"), "A", "mail", false, 25_000_000, 0);
        counts.ended(payload("A"), "A", "bulk", false, 0, 70);
        counts.ended(payload("B"), "B", "mail", true, 25_000_000, 400_000);
        counts.ended(payload("B"), "B", "mail", false, 0, ExecutionCounts.UNKNOWN);

        Map<String, String> times = new TreeMap<>();
        counts.take().times().forEach(each -> times.put(each.field(), numbers(each.numbers())));
        assertThat(times)
                .containsExactly(
                        entry("jA", "0:1 1:1 26:1 30:1"),
                        entry("jB", "0:1 51:1 52:1"),
                        entry("qbulk", "0:1 30:1"),
                        entry("qmail", "0:1 1:1 26:1 51:1 52:1"));
        assertThat(counts.take().times()).isEmpty();
    }

    private static String numbers(long[] numbers) {
        return IntStream.range(0, JobTimings.NUMBERS)
                .filter(i -> numbers[i] > 0)
                .mapToObj(i -> i + ":" + numbers[i])
                .collect(joining(" "));
    }

    @Test
    void aClockThatStandsStillOrJumpsDoesNoHarm() {
        counts.ended(payload("A"), "A", "default", false, -5_000_000, 0);
        counts.ended(payload("A"), "A", "default", false, Long.MAX_VALUE, Long.MAX_VALUE);

        assertThat(counts.take().jobs()).singleElement().satisfies(counted -> {
            assertThat(counted.millis()).isEqualTo(Long.MAX_VALUE / 1_000_000);
            assertThat(counted.histogram()[0]).isEqualTo(1);
            assertThat(counted.histogram()[25]).isEqualTo(1);
        });
    }

    @Test
    void aWrappedJobCountsUnderItsOwnNameAsInRuby() {
        ended(payload("Sidekiq::ActiveJob::Wrapper", "\"wrapped\":\"ReportJob\""), false, 1);
        ended(payload("Adapter", "\"wrapped\":\"Inner\""), false, 1);
        ended(payload("Adapter", "\"wrapped\":7"), false, 1);

        assertThat(counts.take().jobs())
                .extracting(Counted::name)
                .containsExactlyInAnyOrder("ReportJob", "Inner", "Adapter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a|b", "a\\nb", "a\\u0000"})
    void aWrappedNameThatCouldNotBeReadAgainCountsForTheJobAroundIt(String wrapped) {
        ended(payload("Adapter", "\"wrapped\":\"" + wrapped + "\""), false, 1);
        ended(payload("Adapter", "\"wrapped\":\"" + "x".repeat(201) + "\""), false, 1);

        assertThat(counts.take().jobs()).singleElement().satisfies(counted -> {
            assertThat(counted.name()).isEqualTo("Adapter");
            assertThat(counted.histogram()[0]).isEqualTo(2);
        });
    }

    @Test
    void namesFromPayloadsAreBoundedAndLoseNoExecution() {
        for (int i = 0; i < 5_000; i++) {
            ended(payload("Adapter", "\"wrapped\":\"Job" + i + "\""), false, 1);
        }
        ended(payload("Own"), false, 1);

        List<Counted> taken = counts.take().jobs();
        assertThat(taken).extracting(Counted::name).contains("Own", "Adapter").hasSizeBetween(1_000, 1_002);
        assertThat(taken.stream().mapToLong(each -> each.histogram()[0]).sum()).isEqualTo(5_001);
    }

    @Test
    void threadsThatCountWhileOthersTakeLoseNothing() throws InterruptedException {
        int each = 100_000;
        Payload payload = payload("A");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean failed = i == 0;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < each; n++) {
                    counts.ended(payload, "A", "default", failed, 1_000_000, 30);
                }
            });
            threads.add(thread);
            thread.start();
        }
        long failed = 0;
        long others = 0;
        long millis = 0;
        boolean ended = false;
        while (!ended) {
            ended = threads.stream().noneMatch(Thread::isAlive);
            for (Counted counted : counts.take().jobs()) {
                failed += counted.failed();
                millis += counted.millis();
                others += counted.histogram()[0];
            }
        }
        assertThat(failed).isEqualTo(each);
        assertThat(others).isEqualTo(3L * each);
        assertThat(millis).isEqualTo(3L * each);
    }

    @Test
    void toCountTakesNoMemory() {
        Payload payload = payload("A", "\"retry\":true", "\"queue\":\"default\"");
        count(payload);
        long before = allocated();
        count(payload);
        assertThat(allocated() - before).as("bytes for 100,000 executions").isLessThan(100_000);
    }

    private void count(Payload payload) {
        for (int i = 0; i < 100_000; i++) {
            counts.ended(payload, "A", "default", false, i * 1_000L, i);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
