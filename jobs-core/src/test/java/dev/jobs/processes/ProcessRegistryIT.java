package dev.jobs.processes;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobStoreException.Kind;
import dev.jobs.ends.Cancellations;
import dev.jobs.processes.ProcessRegistry.Work;
import dev.jobs.store.ScriptTestBed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process writes about itself; reading it is tested with the administration. */
class ProcessRegistryIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final ProcessRegistry registry = new ProcessRegistry(bed.connection, bed.keys);

    private static Work all(Map<String, byte[]> work) {
        return new Work(true, List.of(), work);
    }

    private static Map<String, String> info() {
        return Map.of("info", "{}");
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-13.1")
    void showsAProcessForAMinute() {
        assertThat(registry.publish(
                        "host:1:abc",
                        Map.of("info", "{\"pid\":1}", "busy", "2"),
                        all(Map.of("t1", bytes("w1"), "t2", bytes("w2")))))
                .isEqualTo(new ProcessRegistry.Published(null, 2, "", List.of(), null));

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "processes", Set.of("host:1:abc"),
                        "host:1:abc", Map.of("info", "{\"pid\":1}", "busy", "2"),
                        "host:1:abc:work", Map.of("t1", "w1", "t2", "w2")));
        assertThat(bed.redis.texts().ttl("host:1:abc")).isBetween(50L, 60L);
        assertThat(bed.redis.texts().ttl("host:1:abc:work")).isBetween(50L, 60L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"processes", "p", "p:work", "p-signals"})
    void whatAProcessHasToHearIsAnsweredAlsoIfItCantBePublished(String broken) {
        new Cancellations(bed.connection, bed.keys).cancel("j1", Instant.EPOCH);
        bed.redis.texts().hset(bed.key("jobs:limits"), "queues", "mail");
        bed.redis.texts().set(bed.key(broken), "text");

        ProcessRegistry.Published published =
                registry.publish("p", info(), new Work(false, List.of(), Map.of("t1", bytes("w1"))));

        assertThat(published.signal()).isNull();
        assertThat(published.jobs()).isEqualTo(-1);
        assertThat(published.cancelled()).isNotEmpty();
        assertThat(published.limited()).containsExactly("mail");
        assertThat(published.failure()).isNotNull();
        assertThat(published.failure().kind()).isEqualTo(Kind.WRONG_TYPE);
    }

    @Test
    @Tag("sidekiq-13.1")
    @Tag("sidekiq-13.3")
    void showsOnlyWhatRunsNow() {
        registry.publish("p", info(), all(Map.of("t1", bytes("w1"), "t2", bytes("w2"))));
        registry.publish("p", info(), all(Map.of("t2", bytes("w3"))));
        assertThat(bed.redis.texts().hgetall("p:work")).isEqualTo(Map.of("t2", "w3"));
        registry.publish("p", info(), all(Map.of()));
        assertThat(bed.redis.texts().exists("p:work")).isZero();
    }

    @Test
    @Tag("sidekiq-13.3")
    void isNotifiedOfChangesOnly() {
        registry.publish("p", info(), all(Map.of("t1", bytes("w1"), "t2", bytes("w2"), "t3", bytes("w3"))));
        bed.redis.texts().expire("p", 5);
        bed.redis.texts().expire("p:work", 5);

        Work changes = new Work(false, List.of("t1", "t2"), Map.of("t2", bytes("w4"), "t4", bytes("w5")));
        assertThat(registry.publish("p", Map.of("busy", "3"), changes))
                .isEqualTo(new ProcessRegistry.Published(null, 3, "", List.of(), null));

        assertThat(bed.redis.texts().hgetall("p:work")).isEqualTo(Map.of("t2", "w4", "t3", "w3", "t4", "w5"));
        assertThat(bed.redis.texts().hgetall("p")).isEqualTo(Map.of("info", "{}", "busy", "3"));
        assertThat(bed.redis.texts().ttl("p")).isBetween(50L, 60L);
        assertThat(bed.redis.texts().ttl("p:work")).isBetween(50L, 60L);
    }

    /** As after a minute without a beat, or after somebody deleted the keys. */
    @Test
    void reportsWhenSomethingIsMissing() {
        Work none = new Work(false, List.of(), Map.of());
        registry.publish("p", info(), all(Map.of("t1", bytes("w1"), "t2", bytes("w2"))));
        bed.redis.texts().hdel("p:work", "t1");
        assertThat(registry.publish("p", Map.of("busy", "2"), none).jobs()).isEqualTo(1);
        bed.redis.texts().del("p");
        assertThat(registry.publish("p", Map.of("busy", "2"), none).jobs()).isEqualTo(-1);
    }

    @Test
    void showsAThousandRunningJobs() {
        Map<String, byte[]> work = new HashMap<>();
        List<String> threads = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            work.put("t" + i, new byte[] {(byte) i, '\n', 0});
            threads.add("t" + i);
        }
        assertThat(registry.publish("p", info(), all(work)).jobs()).isEqualTo(10_000);
        assertThat(registry.publish("p", info(), new Work(false, threads, Map.of()))
                        .jobs())
                .isZero();
    }

    @Test
    @Tag("sidekiq-13.5")
    void takesTheOldestSignal() {
        bed.redis.texts().lpush("p-signals", "TSTP", "TERM");

        assertThat(registry.publish("p", info(), all(Map.of())).signal()).isEqualTo("TSTP");
        assertThat(registry.publish("p", info(), all(Map.of())).signal()).isEqualTo("TERM");
        assertThat(registry.publish("p", info(), all(Map.of())).signal()).isNull();
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-14")
    void removesAProcessAndKeepsItsLastStateForAMinute() {
        registry.publish("p", info(), all(Map.of("t1", bytes("w1"))));
        registry.publish("q", info(), all(Map.of("t1", bytes("w1"))));

        registry.remove("p");
        registry.remove("p");

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "processes", Set.of("q"),
                        "p", Map.of("info", "{}"),
                        "q", Map.of("info", "{}"),
                        "q:work", Map.of("t1", "w1")));
    }

    @Test
    @Tag("sidekiq-14")
    void tidiesOnceAMinuteHoweverManyProcessesStart() {
        for (int i = 0; i < 250; i++) {
            registry.publish("p" + i, info(), all(Map.of()));
        }
        bed.redis.texts().sadd("processes", "gone:1:a", "gone:2:b");
        bed.redis.texts().configResetstat();

        for (int i = 0; i < 250; i++) {
            registry.tidy();
        }

        assertThat(bed.redis.texts().smembers("processes")).hasSize(250).doesNotContain("gone:1:a", "gone:2:b");
        assertThat(bed.redis.calls("exists")).isEqualTo(252);
        assertThat(bed.redis.calls("hmget")).isZero();
    }
}
