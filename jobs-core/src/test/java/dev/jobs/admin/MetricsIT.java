package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.metrics.Deploy;
import dev.jobs.metrics.Executions;
import dev.jobs.metrics.Executions.Point;
import dev.jobs.metrics.Histogram;
import dev.jobs.metrics.Metrics;
import dev.jobs.metrics.Timings;
import dev.jobs.metrics.Timings.Of;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Metrics, read from what Ruby and Java write. */
@Tag("sidekiq-16")
class MetricsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T00:03:20Z");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = admin(redis.connections(""));

    private static JobsAdmin admin(RedisConnections connections) {
        return new JobsAdmin(
                connections,
                new DeadSetBounds(10_000, Duration.ofDays(180)),
                JobHooks.none(),
                Clock.fixed(NOW, ZoneOffset.ofHours(-5)));
    }

    private static Point point(String start, long processed, long failed, long millis) {
        return new Point(Instant.parse(start), processed, failed, Duration.ofMillis(millis));
    }

    @Test
    void anEmptyRedisHasNoMetrics() {
        assertThat(admin.metrics().all(Duration.ofHours(1)))
                .isEqualTo(new Metrics(Instant.parse("2026-11-20T23:04:00Z"), Duration.ofMinutes(1), 60, List.of()));
        assertThat(admin.metrics().executions("A", Duration.ofHours(1)))
                .isEqualTo(new Executions("A", 0, 0, Duration.ZERO, List.of()));
        assertThat(admin.metrics().executions("A", Duration.ofHours(1)).mean()).isZero();
        assertThat(admin.metrics().histogram("A", Duration.ofHours(1)).buckets())
                .hasSize(26)
                .allSatisfy(bucket -> assertThat(bucket.count()).isZero());
        assertThat(redis.texts().keys("*")).isEmpty();
    }

    @Test
    void minutesAddUpAndTheJobThatTookMostTimeComesFirst() {
        redis.texts()
                .hset(
                        "j|261121|0:03",
                        Map.of("A|p", "3", "A|f", "1", "A|ms", "100", "Mod::B|p", "1", "Mod::B|ms", "500"));
        redis.texts().hset("j|261121|0:00", Map.of("A|p", "1", "A|ms", "50"));
        redis.texts().hset("j|261120|23:59", Map.of("A|p", "2", "A|f", "2"));
        redis.texts().hset("j|261120|23:03", Map.of("A|p", "100")); // an hour and a minute ago

        Metrics metrics = admin.metrics().all(Duration.ofHours(1));

        Executions a = new Executions(
                "A",
                6,
                3,
                Duration.ofMillis(150),
                List.of(
                        point("2026-11-20T23:59:00Z", 2, 2, 0),
                        point("2026-11-21T00:00:00Z", 1, 0, 50),
                        point("2026-11-21T00:03:00Z", 3, 1, 100)));
        assertThat(metrics.jobs())
                .containsExactly(
                        new Executions(
                                "Mod::B",
                                1,
                                0,
                                Duration.ofMillis(500),
                                List.of(point("2026-11-21T00:03:00Z", 1, 0, 500))),
                        a);
        assertThat(a.mean()).isEqualTo(Duration.ofMillis(50));
        assertThat(a.series().get(2).mean()).isEqualTo(Duration.ofMillis(50));
        assertThat(admin.metrics().executions("A", Duration.ofHours(1))).isEqualTo(a);
        assertThat(admin.metrics().executions("A", Duration.ofMinutes(61)).processed())
                .isEqualTo(106);
    }

    @Test
    void eightHoursAre480MinutesAndLongerSpansAreDividedByTenMinutes() {
        redis.texts().hset("j|261120|16:04", "A|p", "1");
        redis.texts().hset("j|261120|16:03", "A|p", "10");
        redis.texts().hset("j|261118|0:1", "A|p", "5");
        redis.texts().hset("j|261118|0:0", "A|p", "50");

        assertThat(admin.metrics().all(Duration.ofHours(8)))
                .satisfies(metrics -> assertThat(metrics.steps()).isEqualTo(480))
                .satisfies(metrics -> assertThat(metrics.from()).isEqualTo("2026-11-20T16:04:00Z"));
        assertThat(admin.metrics().executions("A", Duration.ofHours(8)).processed())
                .isEqualTo(1);
        assertThat(admin.metrics().all(Duration.ofHours(72)))
                .isEqualTo(new Metrics(
                        Instant.parse("2026-11-18T00:10:00Z"),
                        Duration.ofMinutes(10),
                        432,
                        List.of(new Executions(
                                "A", 5, 0, Duration.ZERO, List.of(point("2026-11-18T00:10:00Z", 5, 0, 0))))));
        assertThat(admin.metrics().executions("A", Duration.ofHours(24)).processed())
                .isZero();
        assertThat(admin.metrics().all(Duration.ofHours(24)).steps()).isEqualTo(144);
    }

    @Test
    void aHistogramAddsUpMinutesOfAnyLength() {
        redis.bytes().set("h|Mod::A-21-0:3".getBytes(UTF_8), new byte[] {0, 3});
        redis.bytes().set("h|Mod::A-20-23:59".getBytes(UTF_8), new byte[] {-1, -1, 1, 2, 7});
        byte[] all = new byte[54];
        all[51] = 9;
        all[53] = 1;
        redis.bytes().set("h|Mod::A-20-16:4".getBytes(UTF_8), all);

        List<Histogram.Bucket> buckets =
                admin.metrics().histogram("Mod::A", Duration.ofHours(8)).buckets();

        assertThat(buckets).hasSize(26);
        assertThat(buckets.get(0)).isEqualTo(new Histogram.Bucket(Duration.ofMillis(20), 65_538));
        assertThat(buckets.get(1)).isEqualTo(new Histogram.Bucket(Duration.ofMillis(30), 258));
        assertThat(buckets.get(25)).isEqualTo(new Histogram.Bucket(null, 9));
        assertThat(buckets.stream().mapToLong(Histogram.Bucket::count).sum()).isEqualTo(65_538 + 258 + 9);
    }

    @Test
    void unreadableEntriesAreLeftOut() {
        redis.texts().set("j|261121|0:03", "text");
        redis.texts()
                .hset(
                        "j|261121|0:02",
                        Map.of("A|p", "many", "A|f", "-1", "A|x", "7", "odd", "1", "|p", "2", "a|b|p", "3"));
        redis.texts().lpush("h|A-21-0:3", "x");

        assertThat(admin.metrics().all(Duration.ofMinutes(10)).jobs())
                .extracting(Executions::name, Executions::processed)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("", 2L), org.assertj.core.groups.Tuple.tuple("a|b", 3L));
        assertThat(admin.metrics().executions("A", Duration.ofMinutes(10)).processed())
                .isZero();
        assertThat(admin.metrics()
                        .histogram("A", Duration.ofMinutes(10))
                        .buckets()
                        .get(0)
                        .count())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT59.9S", "PT72H0.001S", "PT-1H"})
    void otherSpansAreRefused(Duration span) {
        assertThatThrownBy(() -> admin.metrics().all(span))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'span' must be 1 minute to 72 hours but was " + span);
        assertThatThrownBy(() -> admin.metrics().executions("A", span)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.metrics().histogram("A", span))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'span' must be 1 minute to 8 hours but was " + span);
    }

    @Test
    @Tag("sidekiq-17")
    void deploymentsAreMarkedAndListed() {
        redis.texts().hset("20261120-marks", "2026-11-20T12:00:00Z", "abc123 from Ruby");
        redis.texts().hset("20260823-marks", "2026-08-23T12:00:00Z", "90 days and one ago");
        redis.texts().hset("20260824-marks", "2026-08-24T12:00:00Z", "90 days ago");

        assertThat(admin.metrics().markDeploy("v2")).isTrue();
        assertThat(admin.metrics().markDeploy("v2")).isFalse();
        assertThat(admin.metrics().markDeploy("v3"))
                .as("another has the minute")
                .isFalse();

        Deploy ours = new Deploy(Instant.parse("2026-11-21T00:03:00Z"), "v2");
        Deploy rubys = new Deploy(Instant.parse("2026-11-20T12:00:00Z"), "abc123 from Ruby");
        assertThat(admin.metrics().deploys(1)).containsExactly(ours);
        assertThat(admin.metrics().deploys(2)).containsExactly(rubys, ours);
        assertThat(admin.metrics().deploys(90))
                .containsExactly(new Deploy(Instant.parse("2026-08-24T12:00:00Z"), "90 days ago"), rubys, ours);
        assertThatThrownBy(() -> admin.metrics().deploys(0)).hasMessage("'days' must be 1 to 90 but was 0");
        assertThatThrownBy(() -> admin.metrics().deploys(91)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.metrics().markDeploy("a\nb"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'label' must be");
    }

    @Test
    void allKeysHaveThePrefix() {
        redis.texts().hset("{shop}:j|261121|0:03", "A|p", "3");
        redis.bytes().set("{shop}:h|A-21-0:3".getBytes(UTF_8), new byte[] {0, 3});
        try (JobsAdmin shop = admin(redis.connections("{shop}:"))) {
            assertThat(shop.metrics().all(Duration.ofHours(1)).jobs()).hasSize(1);
            assertThat(shop.metrics()
                            .histogram("A", Duration.ofHours(1))
                            .buckets()
                            .get(0)
                            .count())
                    .isEqualTo(3);
            shop.metrics().markDeploy("v1");
            assertThat(shop.metrics().deploys(1)).hasSize(1);
        }
        assertThat(redis.texts().keys("*")).isNotEmpty().allMatch(key -> key.startsWith("{shop}:"));
        assertThat(admin.metrics().all(Duration.ofHours(1)).jobs()).isEmpty();
    }

    @Test
    void timesOfJobsAndQueuesAddUpOverThePeriod() {
        redis.texts().hset("jobs:times:261121|0:0", Map.of("jA", "0:3 26:4 52:1", "qmail", "0:3 26:4 52:1"));
        redis.texts().hset("jobs:times:261120|23:5", Map.of("jA", "1:96 27:96", "jB", "25:1 51:1"));
        redis.texts().hset("jobs:times:261120|23:0", Map.of("jA", "5:1000")); // over an hour ago

        List<Timings> all = admin.metrics().timings(Duration.ofHours(1));

        assertThat(all).extracting(Timings::name).containsExactly("A", "mail", "B");
        assertThat(all).extracting(Timings::of).containsExactly(Of.JOB, Of.QUEUE, Of.JOB);
        Timings a = all.get(0);
        assertThat(a.executions()).isEqualTo(100);
        assertThat(a.failed()).isEqualTo(1);
        assertThat(a.ran().count()).isEqualTo(99);
        assertThat(a.ran().percentile(0.5)).isBetween(Duration.ofMillis(20), Duration.ofMillis(30));
        assertThat(a.waited().count()).isEqualTo(100);
        assertThat(a.waited().percentile(0.01)).isLessThan(Duration.ofMillis(20));
        assertThat(a.series())
                .containsExactly(
                        new Timings.Count(Instant.parse("2026-11-20T23:50:00Z"), 96, 0),
                        new Timings.Count(Instant.parse("2026-11-21T00:00:00Z"), 4, 1));
        assertThat(all.get(2).ran().percentile(0.99)).isEqualTo(Duration.ofSeconds(335));

        SortedMap<Instant, Timings> steps = admin.metrics().timings(Of.QUEUE, "mail", Duration.ofHours(1));
        assertThat(steps).containsOnlyKeys(Instant.parse("2026-11-21T00:00:00Z"));
        assertThat(steps.get(steps.firstKey()).executions()).isEqualTo(4);
        assertThat(admin.metrics().timings(Of.JOB, "mail", Duration.ofHours(1))).isEmpty();
        assertThatThrownBy(() -> admin.metrics().timings(Duration.ofHours(73))).hasMessageContaining("72 hours");
    }
}
