package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueuesIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""),
            new DeadSetLimits(10_000, Duration.ofDays(180)),
            JobHooks.none(),
            Clock.fixed(NOW, ZoneOffset.UTC));

    @BeforeEach
    void empty() {
        redis.flush();
    }

    private static String job(String jid, long ageMillis) {
        return "{\"class\":\"A\",\"args\":[],\"jid\":\"" + jid + "\",\"enqueued_at\":"
                + (NOW.toEpochMilli() - ageMillis) + "}";
    }

    private static void enqueue(String queue, String... payloads) {
        redis.texts().sadd("queues", queue);
        for (String payload : payloads) {
            redis.texts().lpush("queue:" + queue, payload);
        }
    }

    @Test
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-28")
    void showsQueuesByNameWithSizeLatencyAndPause() {
        enqueue("low", job("1", 90_500), job("2", 10));
        enqueue("a b é", job("3", 0));
        redis.texts().sadd("queues", "drained");
        redis.texts().sadd("paused", "low", "unheard of");

        assertThat(admin.queues())
                .containsExactly(
                        new QueueInfo("a b é", 1, Duration.ZERO, false, false),
                        new QueueInfo("drained", 0, Duration.ZERO, false, false),
                        new QueueInfo("low", 2, Duration.ofMillis(90_500), true, false));
        assertThat(admin.queue("low")).hasValue(new QueueInfo("low", 2, Duration.ofMillis(90_500), true, false));
        assertThat(admin.queue("drained")).hasValue(new QueueInfo("drained", 0, Duration.ZERO, false, false));
        assertThat(admin.queue("unheard of")).isEmpty();
        assertThat(admin.paused()).containsExactly("low", "unheard of");
    }

    @Test
    void findsAQueueThatOnlyHasJobs() {
        redis.texts().lpush("queue:handed back", job("1", 1_000));

        assertThat(admin.queue("handed back"))
                .hasValue(new QueueInfo("handed back", 1, Duration.ofSeconds(1), false, false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"enqueued_at\":1795248000000}                           | PT0S",
                "{\"enqueued_at\":1795247999000}                           | PT1S",
                "{\"enqueued_at\":1795247998.5}                            | PT1.5S",
                "{\"enqueued_at\":\"2026-11-21T07:59:00Z\"}                | PT1M",
                "{\"created_at\":1795247998000}                            | PT2S",
                "{\"enqueued_at\":null,\"created_at\":1795247998000}       | PT2S",
                "{\"enqueued_at\":\"soon\",\"created_at\":1795247998000}   | PT2S",
                "{\"enqueued_at\":[1],\"created_at\":{}}                   | PT0S",
                "{\"enqueued_at\":1795248001000}                           | PT0S",
                "{\"enqueued_at\":1.7E12}                                  | PT0S",
                "{\"enqueued_at\":1e400}                                   | PT0S",
                "{\"enqueued_at\":9223372036854775807}                     | PT0S",
                "{\"enqueued_at\":99999999999999999999999}                 | PT0S",
                "{}                                                        | PT0S",
                "[1]                                                       | PT0S",
                "not JSON                                                  | PT0S",
                "``                                                        | PT0S"
            })
    @Tag("sidekiq-5")
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-30")
    void tellsTheLatencyFromWhateverTheOldestJobSays(String payload, Duration latency) {
        enqueue("q", payload, job("newer", 5_000));

        assertThat(admin.queues()).containsExactly(new QueueInfo("q", 2, latency, false, false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"args\":[\"LONG\"],\"created_at\":1795247990000,\"enqueued_at\":1795247999000}     | PT1S",
                "{\"args\":[\"LONG\"],\"enqueued_at\" : 1795247998.5 ,\"error_message\":\"x\"}       | PT1.5S",
                "{\"args\":[\"LONG\"],\"created_at\":1795247998000}                                 | PT2S",
                "{\"args\":[\"LONG,\\\"enqueued_at\\\":1,\"],\"enqueued_at\":1795247999000}           | PT1S",
                "{\"enqueued_at\":1795247999000,\"args\":[\"LONG\"]}                                | PT0S",
                "{\"args\":[\"LONG\"],\"enqueued_at\":1.1.1}                                        | PT0S"
            })
    void tellsTheLatencyOfALargeJobFromItsEnd(String payload, Duration latency) {
        enqueue("q", payload.replace("LONG", "x".repeat(100_000)));

        assertThat(admin.queues()).containsExactly(new QueueInfo("q", 1, latency, false, false));
    }

    @Test
    void aLatencyMayBeLongerThanHistory() {
        enqueue("q", "{\"enqueued_at\":-9223372036854775808}");

        assertThat(admin.queues().get(0).latency()).isGreaterThan(Duration.ofDays(365L * 1_000_000));
    }

    @Test
    void showsABrokenQueueAndTheOthers() {
        enqueue("fine", job("1", 0));
        redis.texts().sadd("queues", "broken");
        redis.texts().hset("queue:broken", "a", "b");

        assertThat(admin.queues())
                .containsExactly(
                        new QueueInfo("broken", 0, Duration.ZERO, false, true),
                        new QueueInfo("fine", 1, Duration.ZERO, false, false));
        assertThat(admin.stats().enqueued()).isEqualTo(1);
        assertThatThrownBy(() -> admin.jobs("broken", 1, 10, Order.NEWEST_FIRST))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"queues", "paused"})
    void showsWhatItCanWhenAnIndexIsBroken(String key) {
        enqueue("q", job("1", 0));
        redis.texts().set(key, "no set");

        assertThat(admin.queues()).hasSize(key.equals("queues") ? 0 : 1);
        assertThat(admin.queue("q")).hasValue(new QueueInfo("q", 1, Duration.ZERO, false, false));
        assertThat(admin.paused()).isEmpty();
        assertThat(admin.stats().enqueued()).isEqualTo(key.equals("queues") ? 0 : 1);
    }

    @Test
    void showsThousandsOfQueues() {
        String[] names = IntStream.range(0, 3_000)
                .mapToObj(i -> String.format("q%04d", i))
                .toArray(String[]::new);
        redis.texts().sadd("queues", names);
        redis.texts().lpush("queue:q2999", job("1", 3_000));

        List<QueueInfo> queues = admin.queues();

        assertThat(queues).extracting(QueueInfo::name).containsExactly(names);
        assertThat(queues.get(2_999)).isEqualTo(new QueueInfo("q2999", 1, Duration.ofSeconds(3), false, false));
    }

    @Test
    void tellsSizesAloneAndSomeQueues() {
        enqueue("b", job("1", 0), job("2", 0));
        enqueue("a", job("3", 2_000));
        redis.texts().sadd("queues", "broken");
        redis.texts().set("queue:broken", "x");

        assertThat(admin.queueSizes()).containsExactly(Map.entry("a", 1L), Map.entry("b", 2L), Map.entry("broken", 0L));
        assertThat(admin.queues(List.of("broken", "a", "never")))
                .containsExactly(
                        new QueueInfo("broken", 0, Duration.ZERO, false, true),
                        new QueueInfo("a", 1, Duration.ofSeconds(2), false, false),
                        new QueueInfo("never", 0, Duration.ZERO, false, false));
        assertThat(admin.queues(List.of())).isEmpty();
    }

    @Test
    @Tag("sidekiq-20.1")
    void pagesThroughAQueueFromBothEnds() {
        enqueue("a b é", IntStream.range(0, 25).mapToObj(i -> job("j" + i, 0)).toArray(String[]::new));

        assertThat(jids(admin.jobs("a b é", 1, 10, Order.NEWEST_FIRST))).isEqualTo(range(24, 15));
        assertThat(jids(admin.jobs("a b é", 3, 10, Order.NEWEST_FIRST))).isEqualTo(range(4, 0));
        assertThat(jids(admin.jobs("a b é", 1, 10, Order.OLDEST_FIRST))).isEqualTo(range(0, 9));
        assertThat(jids(admin.jobs("a b é", 3, 10, Order.OLDEST_FIRST))).isEqualTo(range(20, 24));
        assertThat(jids(admin.jobs("a b é", 1, 200, Order.OLDEST_FIRST))).isEqualTo(range(0, 24));

        Page<JobRecord> page = admin.jobs("a b é", 2, 10, Order.NEWEST_FIRST);
        assertThat(page.page()).isEqualTo(2);
        assertThat(page.size()).isEqualTo(10);
        assertThat(page.total()).isEqualTo(25);
        assertThat(page.pages()).isEqualTo(3);
        assertThat(page.items().get(0).queue()).isEqualTo("a b é");
        assertThat(page.items().get(0).set()).isNull();
        assertThat(page.items().get(0).at()).isNull();
    }

    private static List<String> jids(Page<JobRecord> page) {
        return page.items().stream().map(JobRecord::jid).toList();
    }

    private static List<String> range(int first, int last) {
        List<String> jids = new ArrayList<>();
        for (int i = first; first <= last ? i <= last : i >= last; i += first <= last ? 1 : -1) {
            jids.add("j" + i);
        }
        return jids;
    }

    @ParameterizedTest
    @CsvSource({"3, 10", "4, 10", "9223372036854775807, 200"})
    void aPageBehindTheEndIsTheLastPage(long page, int size) {
        enqueue("q", IntStream.range(0, 25).mapToObj(i -> job("j" + i, 0)).toArray(String[]::new));

        Page<JobRecord> last = admin.jobs("q", page, size, Order.NEWEST_FIRST);

        assertThat(last.page()).isEqualTo(size == 10 ? 3 : 1);
        assertThat(last.items()).last().extracting(JobRecord::jid).isEqualTo("j0");
    }

    @Test
    void anEmptyQueueHasOneEmptyPage() {
        Page<JobRecord> page = admin.jobs("nothing", 7, 10, Order.OLDEST_FIRST);

        assertThat(page).isEqualTo(new Page<>(List.of(), 1, 10, 0));
        assertThat(page.pages()).isEqualTo(1);
    }

    @Test
    void refusesPagesThatAreNone() {
        assertThatThrownBy(() -> admin.jobs("q", 0, 10, Order.NEWEST_FIRST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'page' must be at least 1 but was 0");
        assertThatThrownBy(() -> admin.jobs("q", 1, 201, Order.NEWEST_FIRST))
                .hasMessage("'size' must be 1 to 200 but was 201");
        assertThatThrownBy(() -> admin.jobs(JobSet.DEAD, 1, 0)).hasMessage("'size' must be 1 to 200 but was 0");
    }

    @Test
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-20.1")
    void deletesOneJobByItsExactBytes() {
        String same = job("same", 0);
        enqueue("a b é", same, job("x", 1), same, job("same", 0) + " ");
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThat(admin.deleteJob("a b é", same.getBytes(UTF_8))).isTrue();

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.with(before, "queue:a b é", List.of(job("same", 0) + " ", job("x", 1), same)));
        assertThat(admin.deleteJob("a b é", job("gone", 0).getBytes(UTF_8))).isFalse();
        assertThat(admin.deleteJob("other", same.getBytes(UTF_8))).isFalse();
    }

    @Test
    void deletesWhatIsNoJob() {
        byte[] garbage = {(byte) 0xff, 0, '\n'};
        redis.bytes().lpush("queue:q".getBytes(UTF_8), garbage);
        JobRecord shown = admin.jobs("q", 1, 10, Order.NEWEST_FIRST).items().get(0);

        assertThat(shown.payload()).isNull();
        assertThat(admin.deleteJob("q", shown.bytes())).isTrue();

        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    @Tag("sidekiq-28")
    void pausesAndResumesQueues() {
        assertThat(admin.pause("a b é")).isTrue();
        assertThat(admin.pause("a b é")).isFalse();
        assertThat(redis.texts().smembers("paused")).containsExactly("a b é");
        assertThat(admin.paused()).containsExactly("a b é");

        assertThat(admin.resume("a b é")).isTrue();
        assertThat(admin.resume("a b é")).isFalse();
        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }
}
