package dev.jobs.redis;

import static dev.jobs.redis.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a process writes about itself; what people read of it is tested with the administration. */
class ProcessRegistryIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final ProcessRegistry registry = new ProcessRegistry(bed.connection, bed.keys);

    @BeforeEach
    void empty() {
        bed.clear();
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-13.1")
    void showsAProcessForAMinute() {
        assertThat(registry.publish(
                        "host:1:abc",
                        Map.of("info", "{\"pid\":1}", "busy", "2"),
                        Map.of("t1", bytes("w1"), "t2", bytes("w2"))))
                .isNull();

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "processes", Set.of("host:1:abc"),
                        "host:1:abc", Map.of("info", "{\"pid\":1}", "busy", "2"),
                        "host:1:abc:work", Map.of("t1", "w1", "t2", "w2")));
        assertThat(bed.redis.texts().ttl("host:1:abc")).isBetween(50L, 60L);
        assertThat(bed.redis.texts().ttl("host:1:abc:work")).isBetween(50L, 60L);
    }

    @Test
    @Tag("sidekiq-13.1")
    @Tag("sidekiq-13.3")
    void showsOnlyWhatRunsNow() {
        registry.publish("p", Map.of("info", "{}"), Map.of("t1", bytes("w1"), "t2", bytes("w2")));
        registry.publish("p", Map.of("info", "{}"), Map.of("t2", bytes("w3")));
        assertThat(bed.redis.texts().hgetall("p:work")).isEqualTo(Map.of("t2", "w3"));
        registry.publish("p", Map.of("info", "{}"), Map.of());
        assertThat(bed.redis.texts().exists("p:work")).isZero();
    }

    @Test
    void showsAThousandRunningJobs() {
        Map<String, byte[]> work = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            work.put("t" + i, new byte[] {(byte) i, '\n', 0});
        }
        registry.publish("p", Map.of("info", "{}"), work);
        assertThat(bed.redis.texts().hlen("p:work")).isEqualTo(10_000);
    }

    @Test
    @Tag("sidekiq-13.5")
    void takesTheOldestSignal() {
        bed.redis.texts().lpush("p-signals", "TSTP", "TERM");

        assertThat(registry.publish("p", Map.of("info", "{}"), Map.of())).isEqualTo("TSTP");
        assertThat(registry.publish("p", Map.of("info", "{}"), Map.of())).isEqualTo("TERM");
        assertThat(registry.publish("p", Map.of("info", "{}"), Map.of())).isNull();
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-14")
    void removesAProcessAndKeepsItsLastStateForAMinute() {
        registry.publish("p", Map.of("info", "{}"), Map.of("t1", bytes("w1")));
        registry.publish("q", Map.of("info", "{}"), Map.of("t1", bytes("w1")));

        registry.remove("p");
        registry.remove("p");

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "processes", Set.of("q"),
                        "p", Map.of("info", "{}"),
                        "q", Map.of("info", "{}"),
                        "q:work", Map.of("t1", "w1")));
    }
}
