package dev.jobs.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.metrics.JobMetrics.Counted;
import dev.jobs.metrics.JobMetrics.Step;
import dev.jobs.metrics.JobMetrics.Totals;
import dev.jobs.metrics.JobTimings.Timed;
import dev.jobs.store.ScriptTestBed;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The metrics of executions as they are stored. */
@Tag("sidekiq-16")
class JobMetricsIT {

    private static final Instant TIME = Instant.parse("2026-11-21T05:08:42.5Z");

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final JobMetrics metrics = new JobMetrics(bed.connection, bed.keys);
    private final JobTimings timings = new JobTimings(bed.connection, bed.keys);

    /** @param buckets index and count in turn */
    private static Counted counted(String name, long failed, long millis, int... buckets) {
        long[] histogram = new long[DurationBuckets.COUNT];
        for (int i = 0; i < buckets.length; i += 2) {
            histogram[buckets[i]] = buckets[i + 1];
        }
        return new Counted(name, failed, millis, histogram);
    }

    private static byte[] histogram(String key) {
        return bed.redis.bytes().get(key.getBytes(UTF_8));
    }

    @Test
    void threeFastExecutionsAreStoredAsSidekiqStoresThem() {
        assertThat(metrics.add("me", 1, TIME, List.of(counted("Hello", 0, 7, 0, 3)), List.of()))
                .isZero();

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "jobs:metrics:me",
                        "1",
                        "j|261121|5:08",
                        Map.of("Hello|p", "3", "Hello|ms", "7"),
                        "j|261121|5:0",
                        Map.of("Hello|p", "3", "Hello|ms", "7"),
                        "h|Hello-21-5:8",
                        "\0\3"));
        assertThat(bed.redis.texts().ttl("j|261121|5:08")).isBetween(28_790L, 28_800L);
        assertThat(bed.redis.texts().ttl("j|261121|5:0")).isBetween(259_190L, 259_200L);
        assertThat(bed.redis.texts().ttl("h|Hello-21-5:8")).isBetween(28_790L, 28_800L);
        assertThat(bed.redis.texts().ttl("jobs:metrics:me")).isBetween(28_790L, 28_800L);
    }

    @Test
    void failuresAreCountedAndNotTimed() {
        metrics.add("me", 1, TIME, List.of(counted("Boom", 4, 0), counted("Both", 1, 0, 0, 2)), List.of());

        assertThat(bed.stored())
                .containsEntry(
                        "j|261121|5:08",
                        Map.of("Boom|p", "4", "Boom|f", "4", "Both|p", "3", "Both|f", "1", "Both|ms", "0"))
                .containsEntry("h|Both-21-5:8", "\0\2")
                .doesNotContainKey("h|Boom-21-5:8");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T05:08:00Z, j|261121|5:08,  j|261121|5:0,  h|A::B-21-5:8",
        "2026-01-02T00:00:59Z, j|260102|0:00,  j|260102|0:0,  h|A::B-2-0:0",
        "2026-11-09T10:59:00Z, j|261109|10:59, j|261109|10:5, h|A::B-9-10:59",
        "2030-12-31T23:10:00Z, j|301231|23:10, j|301231|23:1, h|A::B-31-23:10",
        "2026-11-21T00:30:00+02:00, j|261120|22:30, j|261120|22:3, h|A::B-20-22:30"
    })
    @Tag("sidekiq-0.16")
    void theNamesOfKeysArePaddedAsSidekiqPadsThem(String time, String minute, String tens, String histogram) {
        Instant instant = java.time.OffsetDateTime.parse(time).toInstant();
        metrics.add("me", 1, instant, List.of(counted("A::B", 0, 0, 0, 1)), List.of());

        assertThat(bed.stored()).containsOnlyKeys("jobs:metrics:me", minute, tens, histogram);
    }

    @Test
    void aHistogramIsAsLongAsItsLastBucketNeeds() {
        metrics.add("me", 1, TIME, List.of(counted("A", 0, 0, 1, 258, 25, 1)), List.of());
        byte[] expected = new byte[52];
        expected[2] = 1;
        expected[3] = 2;
        expected[51] = 1;

        assertThat(histogram("h|A-21-5:8")).isEqualTo(expected);
    }

    @Test
    void countsAddUpAndABucketEndsAt65535() {
        metrics.add("me", 1, TIME, List.of(counted("A", 0, 5, 0, 65_000)), List.of());
        metrics.add("other", 1, TIME, List.of(counted("A", 1, 6, 0, 535, 1, 1)), List.of());
        assertThat(histogram("h|A-21-5:8")).isEqualTo(new byte[] {-1, -1, 0, 1});

        metrics.add("me", 2, TIME, List.of(counted("A", 0, 0, 0, 1, 1, 1_000_000)), List.of());

        assertThat(histogram("h|A-21-5:8")).isEqualTo(new byte[] {-1, -1, -1, -1});
        assertThat(bed.stored()).containsEntry("j|261121|5:08", Map.of("A|p", "1065538", "A|f", "1", "A|ms", "11"));
    }

    @Test
    void aCallCountsOnceHoweverOftenItComesAndWhereverItGoes() {
        metrics.add("me", 1, TIME, List.of(counted("A", 0, 5, 0, 1)), List.of());
        metrics.add("me", 2, TIME, List.of(counted("B", 0, 5, 0, 1)), List.of());
        SortedMap<String, Object> before = bed.stored();

        metrics.add("me", 2, TIME, List.of(counted("B", 0, 5, 0, 1)), List.of());
        metrics.add("me", 2, TIME.plusSeconds(600), List.of(counted("B", 0, 5, 0, 1)), List.of());
        metrics.add("me", 1, TIME, List.of(counted("A", 0, 5, 0, 1)), List.of());

        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void asManyJobsAsMayTravelTogetherFitIntoOneCall() {
        List<Counted> jobs = IntStream.range(0, JobMetrics.TOGETHER)
                .mapToObj(i -> new Counted(
                        "Job" + i,
                        1,
                        9,
                        java.util.stream.LongStream.range(0, 26).map(b -> 1).toArray()))
                .toList();
        assertThat(metrics.add("me", 1, TIME, jobs, List.of())).isZero();

        assertThat(bed.redis.texts().hlen("j|261121|5:08")).isEqualTo(300);
        assertThat(bed.redis.texts().keys("h|*")).hasSize(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"j|261121|5:08", "j|261121|5:0", "h|A-21-5:8"})
    void aKeyOfAnotherTypeDoesNotAffectTheOthers(String broken) {
        bed.redis.texts().lpush(broken, "no metrics");

        assertThat(metrics.add("me", 1, TIME, List.of(counted("A", 0, 5, 0, 1), counted("B", 0, 5, 0, 1)), List.of()))
                .isPositive();

        assertThat(bed.stored())
                .containsEntry(broken, List.of("no metrics"))
                .containsEntry("h|B-21-5:8", "\0\1")
                .hasSize(5);
        assertThat(metrics.read("B", Step.MINUTE, List.of(TIME)))
                .containsExactly(broken.endsWith("08") ? Totals.NOTHING : new Totals(1, 0, 5));
        assertThat(metrics.histogram("A", List.of(TIME))[0]).isEqualTo(broken.startsWith("h") ? 0 : 1);
    }

    @Test
    void theNumberOfACallThatSomebodyOverwroteIsNoObstacle() {
        bed.redis.texts().lpush("jobs:metrics:me", "x");

        assertThat(metrics.add("me", 1, TIME, List.of(counted("A", 0, 5, 0, 1)), List.of()))
                .isZero();

        assertThat(bed.stored()).containsEntry("jobs:metrics:me", "1").containsKey("j|261121|5:08");
    }

    private static Timed timed(Timed timed, int... numbers) {
        for (int i = 0; i < numbers.length; i += 2) {
            timed.numbers()[numbers[i]] = numbers[i + 1];
        }
        return timed;
    }

    private static Timed job(String name, int... numbers) {
        return timed(Timed.job(name, new long[JobTimings.NUMBERS]), numbers);
    }

    private static Timed queue(String name, int... numbers) {
        return timed(Timed.queue(name, new long[JobTimings.NUMBERS]), numbers);
    }

    @Test
    void timesOfJobsAndQueuesAddUpInTenMinutes() {
        metrics.add("me", 1, TIME, List.of(), List.of(job("A|b", 0, 2, 27, 1, 52, 3), queue("mail", 25, 1)));
        metrics.add(
                "other", 1, TIME.plusSeconds(60), List.of(), List.of(job("A|b", 0, 40, 26, 7), queue("mail", 51, 9)));
        metrics.add("me", 1, TIME, List.of(), List.of(job("A|b", 0, 1_000)));

        assertThat(bed.stored())
                .containsEntry("jobs:times:261121|5:0", Map.of("jA|b", "0:42 26:7 27:1 52:3", "qmail", "25:1 51:9"));
        assertThat(bed.redis.texts().ttl("jobs:times:261121|5:0")).isBetween(259_190L, 259_200L);
        Instant tens = Instant.parse("2026-11-21T05:00:00Z");
        List<Instant> times = List.of(tens.minusSeconds(600), tens);
        assertThat(timings.ofJob("A|b", times)).element(0).isEqualTo(new long[JobTimings.NUMBERS]);
        assertThat(timings.ofJob("A|b", times))
                .element(1)
                .isEqualTo(job("", 0, 42, 26, 7, 27, 1, 52, 3).numbers());
        assertThat(timings.ofQueue("mail", times))
                .element(1)
                .isEqualTo(queue("", 25, 1, 51, 9).numbers());
        timings.read(times, (time, jobs, queues) -> {
            assertThat(jobs).hasSize(time.equals(tens) ? 1 : 0);
            assertThat(queues).hasSize(time.equals(tens) ? 1 : 0);
        });
    }

    @Test
    void foreignTimesKeepNothingFromBeingCounted() {
        String key = "jobs:times:261121|5:0";
        bed.redis.texts().hset(key, Map.of("jA", "999999999:1 x 3:-2 4:9 0:", "jB", "99999999999999999999:1"));
        bed.redis.texts().hset(key, "z", "1:1");

        assertThat(metrics.add("me", 1, TIME, List.of(), List.of(job("A", 4, 1), job("B", 0, 1))))
                .isZero();

        assertThat(bed.redis.texts().hgetall(key)).containsEntry("jA", "4:10").containsEntry("jB", "0:1");
        bed.clear();
        bed.redis.texts().set(key, "text");
        assertThat(metrics.add("me", 2, TIME, List.of(counted("A", 0, 5, 0, 1)), List.of(job("A", 0, 1))))
                .isPositive();
        assertThat(bed.redis.texts().hget("j|261121|5:08", "A|p")).isEqualTo("1");
        assertThat(timings.ofJob("A", List.of(TIME))).containsExactly(new long[JobTimings.NUMBERS]);
    }
}
