package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.metrics.History;
import dev.jobs.redis.ServerInfo;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.AclSetuserArgs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatsIT {

    private static final Instant NOW = Instant.parse("2026-03-01T00:30:00Z");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""),
            new DeadSetBounds(10_000, Duration.ofDays(180)),
            JobHooks.none(),
            Clock.fixed(NOW, ZoneOffset.ofHours(-5)));

    @Test
    void everythingIsZeroInAnEmptyRedis() {
        assertThat(admin.stats()).isEqualTo(new Stats(0, 0, 0, 0, 0, 0, 0, 0, 0, new Books(0, 0, 0, 0, 0, 0, 0)));
        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    @Tag("sidekiq-20.1")
    void countsEverythingOnce() {
        redis.texts().set("stat:processed", "123456789012");
        redis.texts().set("stat:failed", "3");
        redis.texts().sadd("queues", "a", "b é");
        redis.texts().lpush("queue:a", "1", "2");
        redis.texts().lpush("queue:b é", "1");
        redis.texts().zadd("schedule", 1, "1");
        redis.texts().zadd("retry", 1, "1");
        redis.texts().zadd("retry", 1, "2");
        redis.texts().zadd("dead", 1, "1");
        redis.texts().zadd("dead", 1, "2");
        redis.texts().zadd("dead", 1, "3");
        redis.texts().hset("jobs:limits", Map.of("d:erp", "1", "s:shop", "2", "d:idle", "1"));
        redis.texts().zadd("jobs:parked:erp", 0, "a\n0000000000000001\nq\n1\n{}");
        for (int i = 0; i < 3; i++) {
            redis.texts().zadd("jobs:parked:shop", 0, i + "\n0000000000000001\nq\n1\n{}");
        }
        for (String identity : List.of("vm:1:a", "vm:2:b")) {
            redis.texts().sadd("processes", identity);
            redis.texts().hset(identity, "info", "{}");
            redis.texts().hset(identity, "busy", "7");
        }
        redis.texts().hset("jobs:ledger", "claimed", "100");
        redis.texts().hset("jobs:ledger", "acked", "90");
        redis.texts().hset("jobs:ledger", "moved", "4");
        redis.texts().hset("jobs:ledger", "requeued", "3");
        redis.texts().hset("jobs:ledger", "recovered", "1");
        redis.texts().hset("jobs:ledger", "poisoned", "1");
        redis.texts().zadd("jobs:beats", 5, "vm:1:a");
        redis.texts().hset("jobs:in:vm:1:a", "#0", "1\n1 a");
        redis.texts().hset("jobs:in:vm:1:a", "0:1:1:a", "{}");

        Stats stats = admin.stats();

        assertThat(stats)
                .isEqualTo(new Stats(123456789012L, 3, 3, 4, 1, 2, 3, 14, 2, new Books(100, 90, 4, 3, 1, 1, 1)));
        assertThat(stats.books().conservationError()).isZero();
        assertThat(new Books(100, 90, 4, 3, 1, 1, 0).conservationError()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stat:processed",
                "stat:failed",
                "queues",
                "queue:q",
                "schedule",
                "retry",
                "dead",
                "processes",
                "vm:1:a",
                "dear-leader",
                "paused",
                "jobs:ledger",
                "jobs:beats",
                "jobs:in:vm:1:a"
            })
    void aKeyOfAnotherTypeHidesNoOtherNumbers(String key) {
        redis.texts().set("stat:processed", "1");
        redis.texts().sadd("queues", "q");
        redis.texts().lpush("queue:q", "{}");
        redis.texts().zadd("retry", 1, "{}");
        redis.texts().sadd("processes", "vm:1:a");
        redis.texts().hset("vm:1:a", "info", "{}");
        redis.texts().zadd("jobs:beats", 5, "vm:1:a");
        redis.texts().del(key);
        redis.bytes().setbit(key.getBytes(UTF_8), 3, 1); // text, but not a number
        if (key.startsWith("stat:") || key.equals("dear-leader")) {
            redis.texts().del(key);
            redis.texts().lpush(key, "no text");
        }

        Stats stats = admin.stats();
        List<QueueInfo> queues = admin.queues().all();
        List<ProcessInfo> processes = admin.processes().all();

        assertThat(stats.processed()).isEqualTo(key.equals("stat:processed") ? 0 : 1);
        assertThat(stats.enqueued()).isEqualTo(key.equals("queues") || key.equals("queue:q") ? 0 : 1);
        assertThat(stats.retries()).isEqualTo(key.equals("retry") ? 0 : 1);
        assertThat(stats.processes()).isEqualTo(key.equals("processes") || key.equals("vm:1:a") ? 0 : 1);
        assertThat(stats.books() == null).isEqualTo(key.startsWith("jobs:"));
        assertThat(queues).hasSize(key.equals("queues") ? 0 : 1);
        assertThat(processes).hasSize(stats.processes());
        assertThat(admin.processes().work(admin.processes().all(), 10_000)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "many", "1.5", "99999999999999999999"})
    void aCounterThatIsNoNumberIsZero(String text) {
        redis.texts().set("stat:processed", text);
        redis.texts().set("stat:failed:2026-03-01", text);

        assertThat(admin.stats().processed()).isZero();
        assertThat(admin.metrics().history(1).days().get(0).failed()).isZero();
    }

    @Test
    @Tag("sidekiq-15")
    void readsTheHistoryByDaysInUtcOldestFirst() {
        redis.texts().set("stat:processed:2026-03-01", "5");
        redis.texts().set("stat:failed:2026-03-01", "1");
        redis.texts().set("stat:processed:2026-02-27", "7");
        redis.texts().set("stat:processed:2026-02-26", "9");

        assertThat(admin.metrics().history(3).days())
                .containsExactly(
                        new History.Day(LocalDate.parse("2026-02-27"), 7, 0),
                        new History.Day(LocalDate.parse("2026-02-28"), 0, 0),
                        new History.Day(LocalDate.parse("2026-03-01"), 5, 1));
    }

    @Test
    @Tag("sidekiq-15")
    void readsTheHistoryOfFiveYears() {
        redis.texts().set("stat:processed:2021-03-03", "3");
        redis.texts().set("stat:failed:2023-07-15", "2");

        History history = admin.metrics().history(1_825);

        assertThat(history.days()).hasSize(1_825);
        assertThat(history.days().get(0)).isEqualTo(new History.Day(LocalDate.parse("2021-03-03"), 3, 0));
        assertThat(history.days().stream().mapToLong(History.Day::failed).sum()).isEqualTo(2);
        assertThatThrownBy(() -> admin.metrics().history(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'days' must be 1 to 1825 but was 0");
        assertThatThrownBy(() -> admin.metrics().history(1_826)).hasMessage("'days' must be 1 to 1825 but was 1826");
    }

    @Test
    @Tag("sidekiq-15")
    @Tag("sidekiq-20.1")
    void resetsTheTotalsOnly() {
        redis.texts().set("stat:processed", "5");
        redis.texts().set("stat:processed:2026-03-01", "5");

        admin.metrics().resetTotals();

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.only(
                        "stat:processed", "0", "stat:failed", "0", "stat:processed:2026-03-01", "5"));
    }

    @Test
    void showsWhatTheServerReportsAboutItself() {
        ServerInfo server = admin.server();

        assertThat(server.version()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(server.uptime()).isBetween(Duration.ZERO, Duration.ofHours(1));
        assertThat(server.usedMemory()).isGreaterThan(100_000);
        assertThat(server.peakMemory()).isGreaterThanOrEqualTo(100_000);
        assertThat(server.maxMemory()).isZero();
        assertThat(server.maxMemoryPolicy()).isEqualTo("noeviction");
        assertThat(server.connectedClients()).isPositive();
    }

    @Test
    @Tag("sidekiq-1")
    void showsTheRestWherePermissionsAreMissing() {
        redis.texts().set("stat:processed", "5");
        redis.texts().sadd("processes", "dead:1:a");
        redis.texts()
                .aclSetuser(
                        "default",
                        AclSetuserArgs.Builder.removeCommand(io.lettuce.core.protocol.CommandType.INFO)
                                .removeCommand(io.lettuce.core.protocol.CommandType.EVALSHA)
                                .removeCommand(io.lettuce.core.protocol.CommandType.SET));
        try {
            assertThat(admin.stats()).isEqualTo(new Stats(5, 0, 0, 0, 0, 0, 0, 0, 0, null));
            assertThat(admin.server()).isEqualTo(ServerInfo.parse(""));
            assertThatThrownBy(() -> admin.queues().clear("q"))
                    .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                            .isEqualTo(JobStoreException.Kind.DENIED));
        } finally {
            redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
    }

    /** Probes of health ask in each process every few seconds. */
    @Test
    void recentBooksAreReadByOneForAll() {
        redis.texts().hset("jobs:ledger", "claimed", "3");
        Books books = new Books(3, 0, 0, 0, 0, 0, 0);
        assertThat(admin.recentBooks()).isEqualTo(books);
        redis.texts().hset("jobs:ledger", "claimed", "4");
        redis.texts().configResetstat();
        assertThat(admin.recentBooks()).isEqualTo(books);
        assertThat(redis.calls("hlen") + redis.calls("zrange")).isZero();
        assertThat(admin.books()).isEqualTo(new Books(4, 0, 0, 0, 0, 0, 0));

        redis.texts().hincrby("jobs:books:1", "at", -3_000);
        assertThat(admin.recentBooks()).isEqualTo(new Books(4, 0, 0, 0, 0, 0, 0));

        redis.texts().hset("jobs:books:1", "reading", "1 2");
        assertThat(admin.recentBooks()).as("of another form").isEqualTo(new Books(4, 0, 0, 0, 0, 0, 0));
        redis.texts().del("jobs:ledger", "jobs:books:1");
        redis.texts().set("jobs:ledger", "text");
        assertThat(admin.recentBooks()).isNull();
    }

    @Test
    void opensItsConnectionAtTheFirstUseAndNamesIt() {
        JobsAdmin lazy = new JobsAdmin(
                redis.connections(""), new DeadSetBounds(10, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());
        long before = named();
        assertThat(before).isLessThanOrEqualTo(1);

        lazy.stats();

        assertThat(named()).isEqualTo(before + 1);
        lazy.close();
        assertThatThrownBy(lazy::stats).isInstanceOf(JobStoreException.class);
    }

    private static long named() {
        return redis.texts()
                .clientList()
                .lines()
                .filter(line -> line.contains(" name=jobs-admin "))
                .count();
    }
}
