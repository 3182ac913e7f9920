package dev.jobs.transactions;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.testing.RedisFixture;
import dev.jobs.transactions.OutboxPushes.Acknowledgement;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A slice of an outbox is stored once, whatever happens. */
class OutboxPushesIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final OutboxPushes pushes = new OutboxPushes(redis.connections("", Duration.ofSeconds(2)));

    @AfterEach
    void close() {
        pushes.close();
    }

    private static Relayed job(String queue, String payload) {
        return new Relayed(queue, null, bytes(payload));
    }

    private static final List<Relayed> SLICE = List.of(
            job("mail", "a"), job("low", "b"), new Relayed("mail", "1900000000.5", bytes("c")), job("mail", "d"));

    @Test
    void storesJobsOfAllQueuesInTheirOrder() {
        assertThat(pushes.store("s:0", 1, SLICE)).isTrue();

        assertThat(redis.texts().lrange("queue:mail", 0, -1)).containsExactly("d", "a");
        assertThat(redis.texts().lrange("queue:low", 0, -1)).containsExactly("b");
        assertThat(redis.texts().zscore("schedule", "c")).isEqualTo(1_900_000_000.5);
        assertThat(redis.texts().smembers("queues")).containsExactlyInAnyOrder("mail", "low");
        assertThat(redis.texts().hgetall("jobs:outbox")).containsOnlyKeys("s:0").containsValue("1");
    }

    @Test
    void storesASliceOnceAndNoneThatComesLate() {
        assertThat(pushes.store("s:0", 7, SLICE)).isTrue();
        assertThat(pushes.store("s:0", 7, SLICE)).isFalse();
        assertThat(pushes.store("s:0", 6, List.of(job("mail", "late")))).isFalse();
        assertThat(pushes.store("s:0", 10, List.of(job("mail", "e")))).isTrue();
        assertThat(pushes.store("s:0", 9, List.of(job("mail", "late")))).isFalse();

        assertThat(redis.texts().lrange("queue:mail", 0, -1)).containsExactly("e", "d", "a");
    }

    @Test
    void lanesAndOutboxesAreCountedApart() {
        assertThat(pushes.store("s:0", 5, List.of(job("mail", "a")))).isTrue();
        assertThat(pushes.store("s:1", 1, List.of(job("mail", "b")))).isTrue();
        assertThat(pushes.store("t:0", 1, List.of(job("mail", "c")))).isTrue();

        assertThat(redis.texts().llen("queue:mail")).isEqualTo(3);
    }

    @Test
    void aKeyOfAnotherTypeStoresNothingUntilItIsRepaired() {
        redis.texts().set("queue:low", "text");
        assertThatThrownBy(() -> pushes.store("s:0", 1, SLICE))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
        assertThat(redis.texts().keys("*")).containsExactly("queue:low");

        redis.texts().del("queue:low");
        assertThat(pushes.store("s:0", 1, SLICE)).isTrue();
    }

    @Test
    void aFullRedisStoresNothing() {
        redis.texts().configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> pushes.store("s:0", 1, SLICE)).isInstanceOf(JobStoreException.class);
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
        assertThat(redis.texts().keys("*")).isEmpty();
        assertThat(pushes.store("s:0", 1, SLICE)).isTrue();
    }

    @Test
    void saysThatNoReplicaHasTheJobs() {
        pushes.store("s:0", 1, SLICE);
        pushes.await("s:0", 1, Acknowledgement.NONE);
        assertThatThrownBy(() -> pushes.await("s:0", 1, Acknowledgement.REPLICA))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("No replica");
    }

    /** Newer servers wait for what the connection itself has written, whatever another one has. */
    @Test
    void writesBeforeItWaitsForASliceThatAnotherProcessStored() {
        try (OutboxPushes other = new OutboxPushes(redis.connections(""))) {
            other.store("s:0", 7, SLICE);
        }
        long before = changes();
        assertThatThrownBy(() -> pushes.await("s:0", 6, Acknowledgement.REPLICA))
                .hasMessageContaining("No replica");
        assertThat(changes()).isGreaterThan(before);
        assertThat(redis.texts().hget("jobs:outbox", "s:0")).isEqualTo("7");
    }

    private static long changes() {
        return redis.texts()
                .info("persistence")
                .lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .map(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void saysThatRedisCannotTellWhatIsOnDisk() {
        pushes.store("s:0", 1, SLICE);
        assertThatThrownBy(() -> pushes.await("s:0", 1, Acknowledgement.FSYNC)).isInstanceOf(JobStoreException.class);
    }
}
