package dev.jobs.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.testing.OldServers;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.LockEffects;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The scripts on the oldest server that is supported. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class OldestServerIT {

    static ScriptTestBed bed;

    @BeforeAll
    static void start(@TempDir Path directory) {
        RedisFixture redis = OldServers.REDIS_6_2.start(directory);
        bed = new ScriptTestBed(redis, redis.connections(""));
    }

    @AfterAll
    static void stop() {
        bed.close();
    }

    @BeforeEach
    void empty() {
        bed.clear();
    }

    @Test
    void isOfTheVersionThatTheMessageForOlderOnesNames() {
        assertThat(bed.redis.texts().info("server")).contains("redis_version:6.2.");
    }

    @Test
    void runsEveryScript() {
        AllScripts.run(bed, () -> {});
    }

    /** Effects hide errors, so the other test doesn't see this. */
    @Test
    void keepsTheLockOfAJobThatIsRetried() {
        byte[] job = Payload.of(Map.of(
                        "class",
                        "A",
                        "args",
                        List.of(),
                        "jid",
                        "j1",
                        "unique_lock",
                        "K",
                        "unique_for",
                        60,
                        "unique_until",
                        "success"))
                .bytes();
        bed.redis.texts().psetex("unique:K", 60_000, "j1");
        bed.push("mail", new String(job, ISO_8859_1));
        Worker worker = bed.worker("one").join();

        worker.settle(Settlement.retried(worker.takeOne("mail").token(), Duration.ofHours(1), job)
                .with(new LockEffects(bed.keys).of(job)));

        assertThat(bed.redis.texts().pttl("unique:K"))
                .isGreaterThan(Duration.ofDays(29).toMillis());
    }
}
