package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.metrics.Deploy;
import dev.jobs.metrics.Executions;
import dev.jobs.metrics.Histogram;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Executions on both sides are summed under the same keys, and each side reads the sums. Sidekiq has this format since
 * version 8.
 */
@NeedsSidekiq8
class MetricsIT {

    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("metrics");

    private static final RubyApi api = bed.api();

    @Test
    @Tag("sidekiq-0.16")
    @Tag("sidekiq-16")
    void bothSidesReadTheSumsOfBoth() {
        bed.engine("java");
        RubyWorker ruby = bed.rubyWorker("worker", "-q", "ruby", "-c", "1");
        for (int i = 0; i < 3; i++) {
            bed.client.queue("java").enqueue("Interop::Brief", i);
            bed.client.queue("java").enqueue("Interop::Fail", i);
            api.enqueue("ruby", "Interop::Brief", i);
        }
        api.enqueue("ruby", "Interop::Fail", 1);
        InteropTestBed.await(
                "Ruby to have performed all", () -> ruby.performed().size() == 4);
        ruby.stop(); // sends its counts

        InteropTestBed.await("our sums", () -> processed("Interop::Brief") == 6 && processed("Interop::Fail") == 4);
        Executions brief = bed.admin.metrics().executions("Interop::Brief", HOUR);
        assertThat(brief.failed()).isZero();
        assertThat(brief.time()).isGreaterThanOrEqualTo(Duration.ofMillis(12)); // each takes two milliseconds
        assertThat(bed.admin.metrics().executions("Interop::Fail", HOUR).failed())
                .isEqualTo(4);

        Map<String, Object> theirs = api.object("metrics", "Interop::Brief");
        assertThat(theirs)
                .containsEntry("processed", 6L)
                .containsEntry("failed", 0L)
                .containsEntry("millis", brief.time().toMillis());
        assertThat(api.object("metrics", "Interop::Fail"))
                .containsEntry("processed", 4L)
                .containsEntry("failed", 4L);
        List<Long> counts = bed.admin.metrics().histogram("Interop::Brief", HOUR).buckets().stream()
                .map(Histogram.Bucket::count)
                .toList();
        assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(6);
        assertThat(theirs.get("histogram")).isEqualTo(counts);
        for (int hours : List.of(24, 72)) {
            assertThat(api.object("coarse_metrics", "Interop::Brief", hours)).containsEntry("processed", 6L);
            assertThat(bed.admin
                            .metrics()
                            .executions("Interop::Brief", Duration.ofHours(hours))
                            .processed())
                    .isEqualTo(6);
        }
    }

    @Test
    @Tag("sidekiq-16")
    void bothSidesHaveTheSameBuckets() {
        List<Long> bounds = bed.admin.metrics().histogram("Interop::Brief", HOUR).buckets().stream()
                .map(Histogram.Bucket::below)
                .filter(Objects::nonNull)
                .map(Duration::toMillis)
                .toList();
        assertThat(api.call("buckets")).isEqualTo(bounds);
    }

    private static long processed(String name) {
        return bed.admin.metrics().executions(name, HOUR).processed();
    }

    @Test
    @Tag("sidekiq-17")
    void eachSideShowsTheDeploymentsThatTheOtherMarked() {
        assertThat(bed.admin.metrics().markDeploy("ours é😀")).isTrue();
        assertThat(Objects.requireNonNull(api.object("deploys")).values()).containsExactly("ours é😀");
        bed.redis.keys("*-marks").forEach(bed.redis::del); // the first label of a minute wins
        api.call("mark_deploy", "theirs é😀");
        assertThat(bed.admin.metrics().deploys(1)).extracting(Deploy::label).containsExactly("theirs é😀");
        assertThat(bed.admin.metrics().markDeploy("theirs é😀"))
                .as("the same a second time")
                .isFalse();
    }
}
