package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.store.DeadSetBounds;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueuesIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
    private static final ScanBudget AMPLE = new ScanBudget(100_000, Duration.ofSeconds(10));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""),
            new DeadSetBounds(10_000, Duration.ofDays(180)),
            JobHooks.none(),
            Clock.fixed(NOW, ZoneOffset.UTC));

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

        assertThat(admin.queues().all())
                .containsExactly(
                        new QueueInfo("a b é", 1, Duration.ZERO, false, false),
                        new QueueInfo("drained", 0, Duration.ZERO, false, false),
                        new QueueInfo("low", 2, Duration.ofMillis(90_500), true, false));
        assertThat(admin.queues().find("low"))
                .hasValue(new QueueInfo("low", 2, Duration.ofMillis(90_500), true, false));
        assertThat(admin.queues().find("drained")).hasValue(new QueueInfo("drained", 0, Duration.ZERO, false, false));
        assertThat(admin.queues().find("unheard of")).isEmpty();
        assertThat(admin.queues().paused()).containsExactly("low", "unheard of");
    }

    @Test
    void findsAQueueThatOnlyHasJobs() {
        redis.texts().lpush("queue:handed back", job("1", 1_000));

        assertThat(admin.queues().find("handed back"))
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
    void readsTheLatencyFromAnyFormOfTimeInTheOldestJob(String payload, Duration latency) {
        enqueue("q", payload, job("newer", 5_000));

        assertThat(admin.queues().all()).containsExactly(new QueueInfo("q", 2, latency, false, false));
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
    void readsTheLatencyOfALargeJobFromItsEnd(String payload, Duration latency) {
        enqueue("q", payload.replace("LONG", "x".repeat(100_000)));

        assertThat(admin.queues().all()).containsExactly(new QueueInfo("q", 1, latency, false, false));
    }

    @Test
    void aJobFromBefore1970HasNoLatency() {
        enqueue("q", "{\"enqueued_at\":-9223372036854775808}");

        assertThat(admin.queues().all().get(0).latency()).isZero();
    }

    @Test
    void showsABrokenQueueAndTheOthers() {
        enqueue("fine", job("1", 0));
        redis.texts().sadd("queues", "broken");
        redis.texts().hset("queue:broken", "a", "b");

        assertThat(admin.queues().all())
                .containsExactly(
                        new QueueInfo("broken", 0, Duration.ZERO, false, true),
                        new QueueInfo("fine", 1, Duration.ZERO, false, false));
        assertThat(admin.stats().enqueued()).isEqualTo(1);
        assertThatThrownBy(() -> jobs("broken", Order.NEWEST_FIRST, 0, 10))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"queues", "paused"})
    void showsTheRestWhenAnIndexIsBroken(String key) {
        enqueue("q", job("1", 0));
        redis.texts().set(key, "no set");

        assertThat(admin.queues().all()).hasSize(key.equals("queues") ? 0 : 1);
        assertThat(admin.queues().find("q")).hasValue(new QueueInfo("q", 1, Duration.ZERO, false, false));
        assertThat(admin.queues().paused()).isEmpty();
        assertThat(admin.stats().enqueued()).isEqualTo(key.equals("queues") ? 0 : 1);
    }

    @Test
    void showsThousandsOfQueues() {
        String[] names = IntStream.range(0, 3_000)
                .mapToObj(i -> String.format("q%04d", i))
                .toArray(String[]::new);
        redis.texts().sadd("queues", names);
        redis.texts().lpush("queue:q2999", job("1", 3_000));

        List<QueueInfo> queues = admin.queues().all();

        assertThat(queues).extracting(QueueInfo::name).containsExactly(names);
        assertThat(queues.get(2_999)).isEqualTo(new QueueInfo("q2999", 1, Duration.ofSeconds(3), false, false));
    }

    @Test
    void readsOnlySizesOrOnlySomeQueues() {
        enqueue("b", job("1", 0), job("2", 0));
        enqueue("a", job("3", 2_000));
        redis.texts().sadd("queues", "broken");
        redis.texts().set("queue:broken", "x");

        assertThat(admin.queues().sizes())
                .containsExactly(Map.entry("a", 1L), Map.entry("b", 2L), Map.entry("broken", 0L));
        assertThat(admin.queues().named(List.of("broken", "a", "never")))
                .containsExactly(
                        new QueueInfo("broken", 0, Duration.ZERO, false, true),
                        new QueueInfo("a", 1, Duration.ofSeconds(2), false, false),
                        new QueueInfo("never", 0, Duration.ZERO, false, false));
        assertThat(admin.queues().named(List.of())).isEmpty();
    }

    private static Page<ListedJob> jobs(String queue, Order order, long from, int size) {
        return admin.queues().jobs(queue, order, job -> true, from, size, AMPLE);
    }

    @Test
    @Tag("sidekiq-20.1")
    void pagesThroughAQueueFromBothEnds() {
        enqueue("a b é", IntStream.range(0, 25).mapToObj(i -> job("j" + i, 0)).toArray(String[]::new));

        assertThat(jids(jobs("a b é", Order.NEWEST_FIRST, 0, 10))).isEqualTo(range(24, 15));
        assertThat(jids(jobs("a b é", Order.NEWEST_FIRST, 20, 10))).isEqualTo(range(4, 0));
        assertThat(jids(jobs("a b é", Order.OLDEST_FIRST, 0, 10))).isEqualTo(range(0, 9));
        assertThat(jids(jobs("a b é", Order.OLDEST_FIRST, 20, 10))).isEqualTo(range(20, 24));
        assertThat(jids(jobs("a b é", Order.OLDEST_FIRST, 0, 200))).isEqualTo(range(0, 24));

        Page<ListedJob> page = jobs("a b é", Order.NEWEST_FIRST, 10, 10);
        assertThat(page.from()).isEqualTo(10);
        assertThat(page.next()).isEqualTo(20);
        assertThat(page.total()).isEqualTo(25);
        assertThat(page.partial()).isFalse();
        JobRecord first = page.items().get(0).job();
        assertThat(first.queue()).isEqualTo("a b é");
        assertThat(first.set()).isNull();
        assertThat(first.at()).isNull();
        assertThat(jobs("a b é", Order.NEWEST_FIRST, 20, 10).next()).isEqualTo(-1);
    }

    private static List<String> jids(Page<ListedJob> page) {
        return page.items().stream().map(each -> each.job().jid()).toList();
    }

    private static List<String> range(int first, int last) {
        List<String> jids = new ArrayList<>();
        for (int i = first; first <= last ? i <= last : i >= last; i += first <= last ? 1 : -1) {
            jids.add("j" + i);
        }
        return jids;
    }

    @ParameterizedTest
    @CsvSource({"20, 10", "25, 10", "30, 10", "9223372036854775807, 200"})
    void aPageBehindTheEndIsTheLastPage(long from, int size) {
        enqueue("q", IntStream.range(0, 25).mapToObj(i -> job("j" + i, 0)).toArray(String[]::new));

        Page<ListedJob> last = jobs("q", Order.NEWEST_FIRST, from, size);

        assertThat(last.from()).isEqualTo(size == 10 ? 20 : 0);
        assertThat(jids(last)).last().isEqualTo("j0");
        assertThat(last.next()).isEqualTo(-1);
    }

    @Test
    void anEmptyQueueHasOneEmptyPage() {
        assertThat(jobs("nothing", Order.OLDEST_FIRST, 70, 10)).isEqualTo(new Page<>(List.of(), 0, -1, 0, false));
    }

    @Test
    void refusesInvalidPages() {
        assertThatThrownBy(() -> jobs("q", Order.NEWEST_FIRST, -1, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'from' must be at least 0 but was -1");
        assertThatThrownBy(() -> jobs("q", Order.NEWEST_FIRST, 0, 201))
                .hasMessage("'size' must be 1 to 200 but was 201");
        assertThatThrownBy(() -> admin.sets().jobs(JobSet.DEAD, job -> true, 0, 0, AMPLE))
                .hasMessage("'size' must be 1 to 200 but was 0");
        assertThatThrownBy(() -> jobs("", Order.NEWEST_FIRST, 0, 10))
                .hasMessage("'queue' must be the name of a queue but was empty");
    }

    @Test
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-20.1")
    void deletesOneJobByItsExactBytes() {
        String same = job("same", 0);
        enqueue("a b é", same, job("x", 1), same, job("same", 0) + " ");
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThat(admin.queues().delete("a b é", same.getBytes(UTF_8))).isTrue();

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.with(before, "queue:a b é", List.of(job("same", 0) + " ", job("x", 1), same)));
        assertThat(admin.queues().delete("a b é", job("gone", 0).getBytes(UTF_8)))
                .isFalse();
        assertThat(admin.queues().delete("other", same.getBytes(UTF_8))).isFalse();
    }

    @Test
    void deletesWhatIsNoJob() {
        byte[] garbage = {(byte) 0xff, 0, '\n'};
        redis.bytes().lpush("queue:q".getBytes(UTF_8), garbage);
        JobRecord shown = jobs("q", Order.NEWEST_FIRST, 0, 10).items().get(0).job();

        assertThat(shown.payload()).isNull();
        assertThat(admin.queues().delete("q", shown.bytes())).isTrue();

        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    @Tag("sidekiq-28")
    void pausesAndResumesQueues() {
        assertThat(admin.queues().pause("a b é")).isTrue();
        assertThat(admin.queues().pause("a b é")).isFalse();
        assertThat(redis.texts().smembers("paused")).containsExactly("a b é");
        assertThat(admin.queues().paused()).containsExactly("a b é");

        assertThat(admin.queues().resume("a b é")).isTrue();
        assertThat(admin.queues().resume("a b é")).isFalse();
        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    void forgetsOnlyEmptyQueues() {
        redis.texts().sadd("queues", "empty", "broken", "set", "mail");
        redis.texts().set("queue:broken", "no list");
        redis.texts().zadd("queue:set", 1, "no list");
        redis.texts().lpush("queue:mail", "x");

        assertThat(admin.queues().forget("mail")).isFalse();
        assertThat(admin.queues().forget("empty")).isTrue();
        assertThat(admin.queues().forget("broken")).isTrue();
        assertThat(admin.queues().forget("set")).as("holds no jobs").isTrue();

        assertThat(redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(redis.texts().keys("queue:*")).containsExactly("queue:mail");
    }
}
