package dev.jobs.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SecurityReleases;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.OldServers;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ServerWatchIT {

    private static final int NOTHING_LISTENS = 1;
    private static final String LINE = "sends no notifications of key changes";

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @RegisterExtension
    private final LogLines lines = LogLines.of(ServerWatch.class);

    private final AtomicLong nanos = new AtomicLong();

    @AfterEach
    void grantAll() {
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
    }

    @Test
    void doesNotJudgeAServerThatItHasNotReached() {
        check(redis.connections("", Duration.ofSeconds(1), NOTHING_LISTENS));

        assertThat(lines.events()).isEmpty();
    }

    @Test
    void reportsOnceThatAServerSendsNoNotifications() {
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.CLIENT));
        check(redis.connections(""));

        assertThat(lines.events()).singleElement().asString().contains(LINE);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void reportsOnceWhatAnOldServerLacks(@TempDir Path directory) {
        try (RedisFixture old = OldServers.REDIS_6_0.start(directory)) {
            check(old.connections(""));
        }

        assertThat(lines.messages(Level.ERROR))
                .singleElement()
                .asString()
                .startsWith("This server is Redis 6.0.5, and Jobs needs Redis 6.2 or later");
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void saysNothingOfTheOldestServerThatIsSupported(@TempDir Path directory) {
        try (RedisFixture old = OldServers.REDIS_6_2.start(directory)) {
            check(old.connections(""));
        }

        assertThat(lines.events()).isEmpty();
    }

    /** As people start it: the embedded server is not warned of. */
    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void warnsOnceOfAServerThatLacksSecurityFixes(@TempDir Path directory) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path program = OldServers.REDIS_6_2.program(directory);
        Process server = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        "" + port,
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--dir",
                        "" + directory)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        try (LogLines fixes = LogLines.of(SecurityReleases.class).open()) {
            await().until(() -> Files.readString(directory.resolve("log")).contains("Ready to accept connections"));

            check(redis.connections("", port));

            assertThat(fixes.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .startsWith("This server is Redis 6.2.7, which lacks fixes of vulnerabilities: ")
                    .contains("Use 6.2.24 or later");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    /** Checks several times, each a minute after the one before, when everything is due. */
    private void check(RedisConnections connections) {
        EngineEnvironment system = EngineEnvironment.system();
        EngineEnvironment environment = new EngineEnvironment(
                system.clock(), nanos::get, system.random(), system.processorThreads(), system.outOfMemory());
        Lease lease = new Lease(() -> "one", new Timing(Duration.ofSeconds(20)), environment.nanoTime());
        RunContext context = RunContext.of(
                environment,
                PayloadTimes.MILLISECONDS,
                JobHooks.none(),
                EngineTestBed.unlimited(),
                RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
                lease,
                3,
                new AtomicInteger());
        try (var bell = connections.open("bell");
                var shared = connections.open("shared");
                Doorbell doorbell =
                        new Doorbell(bell, new RedisKeys(""), () -> Set.of("default"), () -> true, queue -> {})) {
            ServerWatch watch = new ServerWatch(doorbell, shared, context, key -> false, () -> {});
            for (int i = 0; i < 5; i++) {
                watch.runOnce();
                nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            }
        }
    }
}
