package dev.jobs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobsException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessesIT {

    private static final String RUBY = "vm:9287:e130755a945d";
    private static final String RUBY_INFO =
            "{\"hostname\":\"vm\",\"started_at\":1795237613.5138483,\"pid\":9287,\"tag\":\"rb\","
                    + "\"capsules\":{\"default\":{\"concurrency\":3,\"mode\":\"strict\",\"weights\":{\"default\":0,\"crit\":0,\"low\":0}}},"
                    + "\"queues\":[\"default\",\"crit\",\"low\"],\"weights\":[{\"default\":0,\"crit\":0,\"low\":0}],\"labels\":[],"
                    + "\"identity\":\"vm:9287:e130755a945d\",\"version\":\"8.1.7\",\"embedded\":false}";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""), new DeadSetBounds(10_000, Duration.ofDays(180)), JobHooks.none(), Clock.systemUTC());

    private static void rubyProcess() {
        redis.texts().sadd("processes", RUBY);
        redis.texts()
                .hset(
                        RUBY,
                        Map.of(
                                "rtt_us", "408",
                                "beat", "1795237613.5145645",
                                "rss", "26216",
                                "quiet", "false",
                                "concurrency", "3",
                                "busy", "2",
                                "info", RUBY_INFO));
    }

    private static void process(String identity, String info, String... fields) {
        redis.texts().sadd("processes", identity);
        redis.texts().hset(identity, "info", info);
        for (int i = 0; i < fields.length; i += 2) {
            redis.texts().hset(identity, fields[i], fields[i + 1]);
        }
    }

    @Test
    @Tag("sidekiq-13.2")
    @Tag("sidekiq-33")
    void understandsARubyProcess() {
        rubyProcess();
        redis.texts().set("dear-leader", RUBY);
        Map<String, Integer> weights = new LinkedHashMap<>();
        weights.put("default", 0);
        weights.put("crit", 0);
        weights.put("low", 0);

        assertThat(admin.processes().all())
                .containsExactly(new ProcessInfo(
                        RUBY,
                        "vm",
                        9287,
                        "rb",
                        Instant.parse("2026-11-21T05:06:53.513848Z"),
                        List.of(new ProcessInfo.Capsule("default", 3, "strict", weights)),
                        List.of("default", "crit", "low"),
                        List.of(),
                        3,
                        2,
                        Instant.parse("2026-11-21T05:06:53.514565Z"),
                        Duration.ofNanos(408_000),
                        26_216L * 1_024,
                        false,
                        true,
                        "8.1.7",
                        false));
        assertThat(admin.processes().all().get(0).capsules().get(0).weights().keySet())
                .containsExactly("default", "crit", "low");
    }

    @Test
    @Tag("sidekiq-13.2")
    @Tag("sidekiq-30")
    void understandsAnOldRubyProcess() {
        process(
                "vm:1:a",
                "{\"hostname\":\"vm\",\"started_at\":1795237613,\"pid\":1,\"tag\":\"\",\"concurrency\":10,\"queues\":[\"a\",\"a\",\"b\"],"
                        + "\"labels\":[\"reliable\"],\"identity\":\"vm:1:a\"}",
                "quiet",
                "true");

        ProcessInfo old = admin.processes().all().get(0);

        assertThat(old.concurrency()).isEqualTo(10);
        assertThat(old.queues()).containsExactly("a", "b");
        assertThat(old.capsules()).isEmpty();
        assertThat(old.labels()).containsExactly("reliable");
        assertThat(old.startedAt()).isEqualTo(Instant.ofEpochSecond(1795237613));
        assertThat(old.quiet()).isTrue();
        assertThat(old.leader()).isFalse();
        assertThat(old.beat()).isNull();
        assertThat(old.version()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not JSON",
                "[]",
                "{}",
                "{\"hostname\":1,\"pid\":\"x\",\"tag\":null,\"started_at\":\"soon\",\"capsules\":[],\"queues\":{},\"labels\":7,\"embedded\":1}",
                "{\"capsules\":{\"a\":1},\"queues\":[1,null,{}],\"pid\":-5,\"started_at\":1e400}"
            })
    void showsAProcessWhoseInfoIsGarbage(String info) {
        process(
                "odd",
                info,
                "busy",
                "many",
                "beat",
                "now",
                "rtt_us",
                "-1",
                "rss",
                "1e99",
                "quiet",
                "perhaps",
                "concurrency",
                "99999999999");

        ProcessInfo shown = admin.processes().all().get(0);

        assertThat(shown.identity()).isEqualTo("odd");
        assertThat(shown.hostname()).isEmpty();
        assertThat(shown.pid()).isZero();
        assertThat(shown.startedAt()).isNull();
        assertThat(shown.beat()).isNull();
        assertThat(shown.queues()).isEmpty();
        assertThat(shown.busy()).isZero();
        assertThat(shown.rtt()).isZero();
        assertThat(shown.memory()).isPositive();
        assertThat(shown.concurrency()).isEqualTo(Integer.MAX_VALUE);
        assertThat(shown.quiet()).isFalse();
        assertThat(shown.embedded()).isFalse();
        assertThat(admin.stats().busy()).isZero();
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-13.4")
    void forgetsDeadProcessesOnceAMinute() {
        rubyProcess();
        redis.texts().sadd("processes", "dead:1:a", "dead:2:b");
        redis.texts().hset("dead:2:b", "quiet", "true"); // without info

        assertThat(admin.processes().all()).extracting(ProcessInfo::identity).containsExactly(RUBY);
        assertThat(redis.texts().smembers("processes")).containsExactly(RUBY);
        assertThat(redis.texts().get("process_cleanup")).isEqualTo("1");
        assertThat(redis.texts().ttl("process_cleanup")).isBetween(1L, 60L);

        redis.texts().sadd("processes", "dead:3:c");
        assertThat(admin.processes().all()).hasSize(1);
        assertThat(admin.stats().processes()).isEqualTo(1);
        assertThat(redis.texts().smembers("processes")).containsExactlyInAnyOrder(RUBY, "dead:3:c");
        redis.texts().del("process_cleanup");
        admin.processes().all();
        assertThat(redis.texts().smembers("processes")).containsExactly(RUBY);
    }

    @Test
    void showsProcessesAlsoWhenRedisAcceptsNoWrites() {
        rubyProcess();
        redis.texts().sadd("processes", "dead:1:a");
        redis.texts().configSet("maxmemory", "1");
        try {
            assertThat(admin.processes().all()).hasSize(1);
            assertThat(admin.stats().processes()).isEqualTo(1);
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
        redis.texts().configSet("min-replicas-to-write", "1");
        try {
            assertThat(admin.processes().all()).hasSize(1);
        } finally {
            redis.texts().configSet("min-replicas-to-write", "0");
        }
        assertThat(redis.texts().smembers("processes")).containsExactlyInAnyOrder(RUBY, "dead:1:a");
    }

    @Test
    void skipsNamesThatBelongToOtherThings() {
        rubyProcess();
        redis.texts().lpush("queue:default", "x");
        redis.texts().sadd("processes", "queue:default");
        redis.texts().lpush("dear-leader", "x");
        redis.texts().set(RUBY + ":work", "x");

        assertThat(admin.processes().all()).extracting(ProcessInfo::identity).containsExactly(RUBY);
        assertThat(admin.processes().work(admin.processes().all(), 10_000)).isEmpty();
        assertThat(redis.texts().smembers("processes")).containsExactlyInAnyOrder(RUBY, "queue:default");
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-13.5")
    void leavesSignalsForAProcess() {
        rubyProcess();
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThat(admin.processes().quiet(RUBY)).isTrue();
        assertThat(admin.processes().dumpStacks(RUBY)).isTrue();
        assertThat(admin.processes().stop(RUBY)).isTrue();

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.with(before, RUBY + "-signals", List.of("TERM", "TTIN", "TSTP")));
        assertThat(redis.texts().ttl(RUBY + "-signals")).isBetween(1L, 60L);
        assertThat(redis.texts().rpop(RUBY + "-signals")).isEqualTo("TSTP");
    }

    @Test
    void theSameSignalWaitsOnce() {
        rubyProcess();

        for (int i = 0; i < 100; i++) {
            admin.processes().quiet(RUBY);
            admin.processes().stop(RUBY);
        }

        assertThat(redis.texts().lrange(RUBY + "-signals", 0, -1)).containsExactly("TERM", "TSTP");
    }

    @Test
    void signalsAllThatCanTakeIt() {
        rubyProcess();
        process("quiet:1:a", "{}", "quiet", "true");
        process("late:1:a", "{}");
        process("web:1:a", "{\"embedded\":true}");
        List<ProcessInfo> all = admin.processes().all();
        process("new:1:a", "{}"); // not among them
        redis.texts().srem("processes", "quiet:1:a");

        redis.texts().set("late:1:a-signals", "no list");
        List<Long> told = new ArrayList<>();

        admin.processes().quietAll(all, told::add);
        admin.processes().stopAll(all, told::add); // the quiet one has ended meanwhile
        admin.processes().stopAll(List.of(), told::add);

        assertThat(told).containsExactly(1L, 1L);
        assertThat(redis.texts().lrange(RUBY + "-signals", 0, -1)).containsExactly("TERM", "TSTP");
        assertThat(redis.texts().keys("*-signals")).containsExactlyInAnyOrder(RUBY + "-signals", "late:1:a-signals");
    }

    @Test
    void signalsNoUnknownProcess() {
        redis.texts().lpush("queue:default", "x");
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThat(admin.processes().stop("vm:1:gone")).isFalse();
        assertThat(admin.processes().quiet("queue:default")).isFalse();
        assertThat(admin.processes().dumpStacks("")).isFalse();

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @Test
    void stopsAProcessAlsoWhenRedisIsFull() {
        rubyProcess();
        redis.texts().configSet("maxmemory", "1");
        try {
            assertThat(admin.processes().stop(RUBY)).isTrue();
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
        assertThat(redis.texts().lrange(RUBY + "-signals", 0, -1)).containsExactly("TERM");
    }

    @Test
    @Tag("sidekiq-13.5")
    void doesNotSignalAnEmbeddedProcess() {
        process("web:1:a", "{\"embedded\":true,\"identity\":\"web:1:a\"}");
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        for (Runnable signal : List.<Runnable>of(
                () -> admin.processes().quiet("web:1:a"),
                () -> admin.processes().stop("web:1:a"),
                () -> admin.processes().dumpStacks("web:1:a"))) {
            assertThatThrownBy(signal::run)
                    .isInstanceOf(JobsException.class)
                    .hasMessage("The process web:1:a is embedded in an application and ignores signals; quiet or stop "
                            + "the application itself");
        }

        assertThat(admin.processes().all().get(0).embedded()).isTrue();
        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @Test
    @Tag("sidekiq-13.3")
    @Tag("sidekiq-30")
    void showsRunningJobsLongestFirst() {
        rubyProcess();
        process("vm:1:a", "{}");
        redis.texts()
                .hset(
                        RUBY + ":work",
                        "8qz",
                        "{\"queue\":\"default\",\"payload\":\"{\\\"class\\\":\\\"Slow\\\",\\\"args\\\":[\\\"é\\\"],\\\"jid\\\":\\\"w1\\\","
                                + "\\\"retry\\\":true}\",\"run_at\":1795237744}");
        redis.texts()
                .hset(
                        "vm:1:a:work",
                        "t2",
                        "{\"queue\":\"a b é\",\"payload\":{\"class\":\"Old\",\"args\":[1.0],\"jid\":\"w2\"},\"run_at\":1795237700.5}");

        List<WorkInfo> work = admin.processes().work(admin.processes().all(), 10_000);

        assertThat(work).hasSize(2);
        assertThat(work.get(0).process()).isEqualTo("vm:1:a");
        assertThat(work.get(0).thread()).isEqualTo("t2");
        assertThat(work.get(0).queue()).isEqualTo("a b é");
        assertThat(work.get(0).runAt()).isEqualTo(Instant.parse("2026-11-21T05:08:20.5Z"));
        assertThat(work.get(0).job().jid()).isEqualTo("w2");
        assertThat(work.get(0).job().text(100)).isEqualTo("{\"class\":\"Old\",\"args\":[1.0],\"jid\":\"w2\"}");
        assertThat(work.get(1).process()).isEqualTo(RUBY);
        assertThat(work.get(1).runAt()).isEqualTo(Instant.ofEpochSecond(1795237744));
        assertThat(work.get(1).job().text(100))
                .isEqualTo("{\"class\":\"Slow\",\"args\":[\"é\"],\"jid\":\"w1\",\"retry\":true}");
        assertThat(work.get(1).job().name()).isEqualTo("Slow");
    }

    @Test
    @Tag("sidekiq-13.3")
    void showsWorkThatIsGarbage() {
        rubyProcess();
        Map<String, String> entries = Map.of(
                "a", "not JSON",
                "b", "{}",
                "c", "{\"queue\":7,\"payload\":[1],\"run_at\":\"x\"}",
                "d", "{\"queue\":\"q\",\"payload\":\"not JSON\",\"run_at\":null}",
                "e", "{\"queue\":\"q\",\"payload\":{\"jid\":\"j\"},\"run_at\":1e308}");
        redis.texts().hset(RUBY + ":work", entries);

        List<WorkInfo> work = admin.processes().work(admin.processes().all(), 10_000);

        assertThat(work).extracting(WorkInfo::thread).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
        assertThat(work).isNotEmpty().allSatisfy(each -> {
            assertThat(each.runAt()).isNull();
            assertThat(each.job().size()).isPositive();
        });
        assertThat(work)
                .extracting(each -> each.job().text(100))
                .containsExactlyInAnyOrder("not JSON", "{}", "[1]", "not JSON", "{\"jid\":\"j\"}");
    }

    @Test
    void showsThousandsOfRunningJobs() {
        rubyProcess();
        Map<String, String> entries = new LinkedHashMap<>();
        for (int i = 0; i < 12_000; i++) {
            entries.put("t" + i, "{\"queue\":\"q\",\"payload\":\"{}\",\"run_at\":" + i + "}");
        }
        redis.texts().hset(RUBY + ":work", entries);

        assertThat(admin.processes().work(admin.processes().all(), 10_000))
                .hasSize(10_000)
                .extracting(WorkInfo::thread)
                .doesNotHaveDuplicates();
    }

    @Test
    void readsNoMoreRunningJobsThanAskedFor() {
        rubyProcess();
        process("vm:1:a", "{}");
        for (String identity : List.of(RUBY, "vm:1:a")) {
            redis.texts().hset(identity + ":work", Map.of("1", "{\"run_at\":1}", "2", "{\"run_at\":2}"));
        }

        List<ProcessInfo> processes = admin.processes().all();
        assertThat(admin.processes().work(processes, 3)).hasSize(3);
        assertThat(admin.processes().work(processes, 2)).hasSize(2);
        assertThatThrownBy(() -> admin.processes().work(processes, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void showsNoJobOfAProcessThatCameAfterTheProcessesWereRead() {
        rubyProcess();
        List<ProcessInfo> processes = admin.processes().all();
        process("vm:1:a", "{}");
        for (String identity : List.of(RUBY, "vm:1:a")) {
            redis.texts().hset(identity + ":work", Map.of("1", "{\"run_at\":1}"));
        }

        assertThat(admin.processes().work(processes, 10))
                .extracting(WorkInfo::process)
                .containsExactly(RUBY);
        assertThat(admin.processes().work(admin.processes().all(), 10_000)).hasSize(2);
    }

    @Test
    void asksForStacksOnlyOfThreadsThatRunAJob() {
        process("vm:1:a", "{\"version\":\"jobs-1\"}");
        redis.texts().hset("vm:1:a:work", "t1", "{}");
        rubyProcess();
        redis.texts().hset(RUBY + ":work", "t1", "{}");

        assertThat(admin.processes().askForStack("vm:1:a", "t1")).isTrue();
        assertThat(admin.processes().askForStack("vm:1:a", "t2")).isFalse();
        assertThat(admin.processes().askForStack(RUBY, "t1")).isFalse();
        assertThat(admin.processes().askForStack("nobody", "t1")).isFalse();

        assertThat(redis.texts().lrange("vm:1:a-signals", 0, -1)).containsExactly("STACK t1");
        assertThat(redis.texts().exists(RUBY + "-signals")).isZero();
    }

    @Test
    void worksUnderAPrefix() {
        redis.texts().sadd("{shop}:processes", RUBY);
        redis.texts().hset("{shop}:" + RUBY, "info", RUBY_INFO);
        redis.texts().hset("{shop}:" + RUBY + ":work", "t", "{\"queue\":\"q\",\"payload\":\"{}\",\"run_at\":1}");
        try (JobsAdmin shop = new JobsAdmin(
                redis.connections("{shop}:"),
                new DeadSetBounds(10_000, Duration.ofDays(180)),
                JobHooks.none(),
                Clock.systemUTC())) {
            assertThat(shop.processes().all()).hasSize(1);
            assertThat(shop.processes().work(shop.processes().all(), 10_000)).hasSize(1);
            assertThat(shop.processes().quiet(RUBY)).isTrue();
        }
        assertThat(RedisSnapshot.of(redis).get("{shop}:" + RUBY + "-signals")).isEqualTo(List.of("TSTP"));
        assertThat(admin.processes().all()).isEmpty();
        assertThat(new TreeSet<>(redis.texts().keys("*"))).isNotEmpty().allMatch(key -> key.startsWith("{shop}:"));
    }
}
