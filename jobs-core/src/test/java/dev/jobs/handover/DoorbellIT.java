package dev.jobs.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DoorbellIT {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String SETS = "(a set)";
    private static final String MINE = "(mine)";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Queue<String> rings = new ConcurrentLinkedQueue<>();

    private Set<String> queues = Set.of("mail", "q:ü 😀", "last");
    private boolean leads = true;
    private boolean wants = true;

    private final RedisConnection connection = redis.connections("").open("bell");

    @AutoClose
    private final Doorbell doorbell = doorbell(connection, "");

    private Doorbell doorbell(RedisConnection connection, String prefix) {
        return new Doorbell(connection, new RedisKeys(prefix), () -> queues, () -> leads, listener());
    }

    private Doorbell.Listener listener() {
        return new Doorbell.Listener() {
            @Override
            public void rang(String queue) {
                rings.add(queue == null ? SETS : queue);
            }

            @Override
            public void freed(String queue) {
                rings.add("room in " + queue);
            }

            @Override
            public List<Doorbell.Bell> bells() {
                return List.of(
                        new Doorbell.Bell("mine", key -> !key.endsWith(":not"), () -> wants, () -> rings.add(MINE)),
                        new Doorbell.Bell("yours", key -> true, () -> leads, () -> rings.add("(yours)")));
            }
        };
    }

    @AfterEach
    void grantAll() {
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
    }

    private void isRungBy(String expected, Runnable change) {
        rings.clear();
        ringsToo(expected, change);
    }

    /** Keeps the rings before it: what an earlier change rang for has arrived when the doorbell rings for this one. */
    private void ringsToo(String expected, Runnable change) {
        change.run();
        await().untilAsserted(() -> assertThat(rings).contains(expected));
    }

    /** The ids of connections of doorbells. */
    private static List<Long> bells() {
        return redis.texts()
                .clientList()
                .lines()
                .filter(client -> client.contains(" name=bell "))
                .map(client -> Long.valueOf(client.replaceAll("^id=(\\d+) .*", "$1")))
                .toList();
    }

    @Test
    void ringsForItsQueuesAndForTheSetsThatJobsWaitIn() {
        assertThat(doorbell.check(PATIENCE)).isTrue();

        isRungBy("mail", () -> redis.texts().lpush("queue:mail", "a"));
        isRungBy("mail", () -> redis.texts().lpush("queue:mail", "b"));
        isRungBy("q:ü 😀", () -> redis.texts().lpush("queue:q:ü 😀", "a"));
        isRungBy(SETS, () -> redis.texts().zadd("schedule", 1, "a"));
        isRungBy(SETS, () -> redis.texts().zadd("retry", 1, "a"));
    }

    @Test
    void ringsForAQueueThatHasRoomAgain() {
        assertThat(doorbell.check(PATIENCE)).isTrue();

        isRungBy("room in mail", () -> redis.texts().psetex("jobs:bell:mail", 60_000, "1"));
        isRungBy("room in mail", () -> redis.texts().psetex("jobs:bell:mail", 60_000, "1"));

        assertThat(rings).containsOnly("room in mail");
    }

    @Test
    void ringsForWhatAFeatureWantsToHearOf() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        assertThat(rings).contains(MINE); // it may have changed before

        isRungBy(MINE, () -> redis.texts().set("mine", "a"));
        isRungBy(MINE, () -> redis.texts().set("mine:too", "a"));
        rings.clear();
        redis.texts().set("mine:not", "a");
        ringsToo("last", () -> redis.texts().lpush("queue:last", "a"));
        assertThat(rings).containsOnly("last");
    }

    @Test
    void ringsForAFeatureWhileItWantsItAlsoWhereAnotherProcessLeads() {
        leads = false;
        assertThat(doorbell.isOutdated()).isTrue();
        assertThat(doorbell.check(PATIENCE)).isTrue();
        assertThat(doorbell.isOutdated()).isFalse();
        isRungBy(MINE, () -> redis.texts().set("mine", "a"));
        rings.clear();
        redis.texts().set("yours", "a");
        redis.texts().zadd("schedule", 1, "a");
        ringsToo("last", () -> redis.texts().lpush("queue:last", "a"));
        assertThat(rings).containsOnly("last");

        wants = false;
        assertThat(doorbell.isOutdated()).isTrue();
        assertThat(doorbell.check(PATIENCE)).isTrue();
        rings.clear();
        redis.texts().set("mine", "a");
        ringsToo("last", () -> redis.texts().lpush("queue:last", "a"));
        assertThat(rings).containsOnly("last");

        wants = true;
        assertThat(doorbell.check(PATIENCE)).isTrue();
        assertThat(rings).as("it may have changed meanwhile").contains(MINE);
    }

    @Test
    void doesNotRingForAnythingElse() {
        assertThat(doorbell.check(PATIENCE)).isTrue();

        rings.clear();
        redis.texts().lpush("other", "a");
        redis.texts().lpush("queue:other", "a");
        redis.texts().sadd("queues", "mail");
        redis.texts().zadd("dead", 1, "a");
        redis.texts().hset("jobs:in:me", "a", "b");
        ringsToo("last", () -> redis.texts().lpush("queue:last", "a"));

        assertThat(rings).containsOnly("last");
    }

    @Test
    void ringsForTheQueuesOfItsPrefixOnly() {
        try (Doorbell shop = doorbell(redis.connections("").open("shop"), "{shop}:")) {
            assertThat(shop.check(PATIENCE)).isTrue();

            rings.clear();
            redis.texts().lpush("queue:last", "a");
            redis.texts().zadd("schedule", 1, "a");
            ringsToo("mail", () -> redis.texts().lpush("{shop}:queue:mail", "a"));
            assertThat(rings).containsOnly("mail");
            isRungBy(SETS, () -> redis.texts().zadd("{shop}:schedule", 1, "a"));
        }
    }

    @Test
    void ringsForOtherQueuesAfterTheNextCheck() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        List<Long> before = bells();
        queues = Set.of("last", "new");
        rings.clear();
        assertThat(doorbell.check(PATIENCE)).isTrue();

        assertThat(rings)
                .as("changes that it may have missed")
                .containsExactlyInAnyOrder("new", "last", SETS, MINE, "(yours)");
        assertThat(doorbell.ringsFor("new")).isTrue();
        assertThat(doorbell.ringsFor("mail")).isFalse();
        rings.clear();
        redis.texts().lpush("queue:mail", "a");
        ringsToo("new", () -> redis.texts().lpush("queue:new", "a"));
        ringsToo("last", () -> redis.texts().lpush("queue:last", "a"));
        assertThat(rings).doesNotContain("mail");
        assertThat(bells()).isEqualTo(before);
    }

    @Test
    void ringsForQueuesOfWhichOneBeginsWithTheOther() {
        queues = Set.of("mail", "mailing", "ma", "x");
        assertThat(doorbell.check(PATIENCE)).isTrue();
        for (String queue : queues) {
            isRungBy(queue, () -> redis.texts().lpush("queue:" + queue, "a"));
        }
    }

    /** The server compares each changed key with all prefixes. */
    @Test
    void manyQueuesShareAPrefixAndOnlyTheyRing() {
        queues = IntStream.range(0, 5_000).mapToObj(i -> "q%04d".formatted(i)).collect(Collectors.toSet());
        assertThat(doorbell.check(PATIENCE)).isTrue();

        assertThat(redis.stat("stats", "tracking_total_prefixes:(\\d+)")).isBetween(1L, 7L);
        redis.texts().lpush("queue:other", "a");
        isRungBy("q4999", () -> redis.texts().lpush("queue:q4999", "a"));
        redis.texts().lpush("queue:other", "b");
        isRungBy("q0007", () -> redis.texts().lpush("queue:q0007", "a"));
        assertThat(rings).containsOnly("q0007");
    }

    @Test
    void worksAgainAfterItsConnectionWasKilled() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        for (int i = 0; i < 3; i++) {
            bells().forEach(bell -> redis.texts().clientKill(KillArgs.Builder.id(bell)));
            await().untilAsserted(() ->
                    assertThat(doorbell.check(Duration.ofMillis(200))).isTrue());
            isRungBy("mail", () -> redis.texts().lpush("queue:mail", "a"));
        }
        await().untilAsserted(() -> assertThat(bells()).hasSize(1));
    }

    @Test
    void keepsItsConnectionWhileItWorks() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        List<Long> before = bells();
        for (int i = 0; i < 20; i++) {
            assertThat(doorbell.check(PATIENCE)).isTrue();
        }
        assertThat(bells()).isEqualTo(before);
    }

    @Test
    void isReplacedByAnotherConnectionWhenItIsDeaf() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        List<Long> before = bells();
        connection.run(commands -> commands.clientTracking(TrackingArgs.Builder.enabled(false)));

        await().untilAsserted(
                        () -> assertThat(doorbell.check(Duration.ofMillis(200))).isTrue());

        await().untilAsserted(() -> assertThat(bells()).hasSize(1).doesNotContainAnyElementsOf(before));
        isRungBy("mail", () -> redis.texts().lpush("queue:mail", "a"));
    }

    @Test
    void reportsThatItDoesNotWorkWhereTrackingIsRefused() {
        redis.texts()
                .aclSetuser(
                        "default", AclSetuserArgs.Builder.removeCommand(CommandType.CLIENT, CommandKeyword.TRACKING));
        try {
            for (int i = 0; i < 3; i++) {
                assertThat(doorbell.check(PATIENCE)).isFalse();
            }
            assertThat(bells()).hasSize(1);
        } finally {
            grantAll();
        }
        assertThat(doorbell.check(PATIENCE)).isTrue();
        isRungBy("mail", () -> redis.texts().lpush("queue:mail", "a"));
        assertThat(rings).hasSize(1);
    }

    @Test
    void reportsThatItDoesNotWorkWithoutAServer() {
        try (RedisFixture other = RedisFixture.start();
                Doorbell bell = new Doorbell(
                        other.connections("").open("bell"), new RedisKeys(""), Set::of, () -> leads, listener())) {
            assertThat(bell.check(PATIENCE)).isTrue();
            other.stop();
            assertThat(bell.check(Duration.ofMillis(100))).isFalse();
            other.startAgain();
            await().untilAsserted(
                            () -> assertThat(bell.check(Duration.ofMillis(200))).isTrue());
        }
    }

    @Test
    void reportsThatItDoesNotWorkOnAReplica() {
        try (RedisFixture other = RedisFixture.start();
                Doorbell bell = new Doorbell(
                        other.connections("").open("bell"), new RedisKeys(""), Set::of, () -> leads, listener())) {
            assertThat(bell.check(PATIENCE)).isTrue();
            other.texts().replicaof("127.0.0.1", redis.port());
            assertThat(bell.check(PATIENCE)).isFalse();
            other.texts().replicaofNoOne();
            assertThat(bell.check(PATIENCE)).isTrue();
        }
    }

    @Test
    void tracksNothingWhileNothingIsToRing() {
        queues = Set.of();
        leads = false;
        wants = false;
        assertThat(doorbell.check(PATIENCE)).isTrue();
        List<Long> before = bells();

        await().untilAsserted(() -> assertThat(redis.texts().info("clients")).contains("tracking_clients:0\r\n"));
        assertThat(doorbell.check(PATIENCE)).isTrue();
        assertThat(doorbell.isOutdated()).isFalse();
        queues = Set.of("mail");
        assertThat(doorbell.isOutdated()).isTrue();
        assertThat(doorbell.check(PATIENCE)).isTrue();
        rings.clear();
        redis.texts().zadd("schedule", 1, "a");
        ringsToo("mail", () -> redis.texts().lpush("queue:mail", "a"));
        assertThat(rings).doesNotContain(SETS);
        assertThat(bells()).isEqualTo(before);
    }

    /** One probe rings for all: the number of commands is the cost of a probe. */
    @Test
    void manyProbeWithOneKeyAndOneOfThemIsEnough() {
        RedisConnection connection = redis.connections("").open("other");
        try (Doorbell other = doorbell(connection, "")) {
            assertThat(doorbell.check(PATIENCE)).isTrue();
            assertThat(other.check(PATIENCE)).isTrue();
            assertThat(redis.texts().info("stats")).contains("tracking_total_prefixes:9\r\n");
            redis.texts().configResetstat();
            for (int i = 0; i < 10; i++) {
                assertThat(doorbell.check(PATIENCE)).isTrue();
                connection.run(RedisClusterAsyncCommands::ping); // its answer comes after the ring
                assertThat(other.check(PATIENCE)).isTrue();
            }
            assertThat(redis.texts().info("commandstats"))
                    .contains("cmdstat_psetex:calls=10,", "cmdstat_zrem:calls=10,");
        }
    }

    @Test
    void survivesThatAllDataIsRemoved() {
        assertThat(doorbell.check(PATIENCE)).isTrue();
        redis.flush();
        isRungBy("mail", () -> redis.texts().lpush("queue:mail", "a"));
    }
}
