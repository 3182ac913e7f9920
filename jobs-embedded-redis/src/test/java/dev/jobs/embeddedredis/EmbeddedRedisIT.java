package dev.jobs.embeddedredis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.jobs.proof.LongTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisIT {

    @TempDir
    Path directory;

    @Test
    void answersUntilItIsClosed() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        try (redis) {
            assertThat(RedisProbe.ask(redis.port(), "PING")).isEqualTo("+PONG");
            assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(ProcessHandle.of(redis.pid())).isPresent();
        }

        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> RedisProbe.ask(redis.port(), "PING"));
        redis.close();
    }

    @Test
    void theBundledServerAnswersEvenWhereOneIsInstalled() throws IOException {
        RedisBinary bundled =
                BundledBinary.forPlatform(Platform.current()).orElseThrow().unpackTo(directory);

        try (EmbeddedRedis redis = EmbeddedRedis.builder().binary(bundled).start()) {
            assertThat(RedisProbe.ask(redis.port(), "PING")).isEqualTo("+PONG");
            assertThat(redis).asString().contains(redis.uri(), "process " + redis.pid(), "(bundled)");
        }
    }

    @Test
    void aGivenProgramIsUsed() throws IOException {
        Path given = BundledBinary.forPlatform(Platform.current())
                .orElseThrow()
                .unpackTo(directory)
                .program();

        try (EmbeddedRedis redis = EmbeddedRedis.builder().program(given).start()) {
            assertThat(RedisProbe.ask(redis.port(), "PING")).isEqualTo("+PONG");
            assertThat(redis).asString().contains(given + " (given)");
        }
    }

    @Test
    void twoRunSideBySide() throws IOException {
        try (EmbeddedRedis one = EmbeddedRedis.start();
                EmbeddedRedis other = EmbeddedRedis.start()) {
            assertThat(RedisProbe.ask(one.port(), "SET key one")).isEqualTo("+OK");

            assertThat(RedisProbe.ask(one.port(), "EXISTS key")).isEqualTo(":1");
            assertThat(RedisProbe.ask(other.port(), "EXISTS key")).isEqualTo(":0");
        }
    }

    @Test
    void takesOptionsOfTheServer() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--maxmemory", "1", "--maxmemory-policy", "noeviction")) {
            assertThat(RedisProbe.ask(redis.port(), "SET key value")).startsWith("-OOM");
        }
    }

    @Test
    void aServerThatWantsAPasswordStartsToo() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--requirepass", "secret")) {
            assertThat(RedisProbe.ask(redis.port(), "PING")).startsWith("-NOAUTH");
        }
    }

    @Test
    void aPasswordOfItsOwnIsAskedForAndInTheUri() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().withPassword().start()) {
            String password = redis.password();

            assertThat(password).matches("[0-9a-f]{32}");
            assertThat(redis.uri()).isEqualTo("redis://:" + password + "@127.0.0.1:" + redis.port());
            assertThat(RedisProbe.ask(redis.port(), "PING")).startsWith("-NOAUTH");
            assertThat(RedisProbe.ask(redis.port(), "EVAL 'return 1' 0")).startsWith("-NOAUTH");
            assertThat(RedisProbe.ask(redis.port(), "AUTH " + password)).isEqualTo("+OK");
        }
    }

    @Test
    void thePasswordIsAnotherOneForEachServerAndTheSameForThoseOfABuilder() {
        EmbeddedRedis.Builder builder = EmbeddedRedis.builder().withPassword();
        try (EmbeddedRedis one = builder.start();
                EmbeddedRedis again = builder.start();
                EmbeddedRedis other = EmbeddedRedis.builder().withPassword().start()) {
            assertThat(again.password()).isEqualTo(one.password());
            assertThat(other.password()).isNotEqualTo(one.password());
        }
    }

    @Test
    void thePasswordIsInAFileOfThisUserAndInNoArgumentOrText() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().withPassword().start()) {
            String password = redis.password();
            assertThat(redis.toString()).doesNotContain(password).contains("its password in ");
            Path file = Path.of(redis.toString().replaceAll(".*its password in ", ""));

            assertThat(file).content().isEqualTo("requirepass " + password + "\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(arguments(redis.pid())).isNotEmpty().noneMatch(each -> each.contains(password));
        }
    }

    /** Of the server, and of the shell that ends it. */
    private static List<String> arguments(long server) {
        ProcessHandle process = ProcessHandle.of(server).orElseThrow();
        return Stream.of(process, process.parent().orElseThrow())
                .map(each -> each.info().commandLine().orElse(""))
                .filter(each -> !each.isEmpty())
                .toList();
    }

    @Test
    void dataInADirectoryOfOnesOwnOutlivesTheServer() throws IOException {
        EmbeddedRedis.Builder builder =
                EmbeddedRedis.builder().directory(directory).options("--appendonly", "yes");
        int port;
        try (EmbeddedRedis redis = builder.start()) {
            port = redis.port();
            RedisProbe.ask(port, "SET key kept");
        }

        try (EmbeddedRedis redis = builder.port(port).start()) {
            assertThat(redis.port()).isEqualTo(port);
            assertThat(RedisProbe.ask(port, "EXISTS key")).isEqualTo(":1");
        }
    }

    @LongTest
    @Test
    void closingEndsAFrozenServerToo() throws Exception {
        EmbeddedRedis redis = EmbeddedRedis.start();
        new ProcessBuilder("kill", "-STOP", String.valueOf(redis.pid())).start().waitFor();

        redis.close();

        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
    }

    @Test
    void closingAfterTheServerWasKilledIsFine() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
        server.destroyForcibly();
        server.onExit().join();

        redis.close();
    }

    @Test
    void closingOneThatWasKilledLeavesTheNextAtItsPort() throws IOException {
        EmbeddedRedis killed = EmbeddedRedis.start();
        ProcessHandle server = ProcessHandle.of(killed.pid()).orElseThrow();
        server.destroyForcibly();
        server.onExit().join();

        try (EmbeddedRedis next = EmbeddedRedis.builder().port(killed.port()).start()) {
            killed.close();

            assertThat(RedisProbe.ask(next.port(), "PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void aPortThatIsTakenInTheMeantimeIsNoError() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Iterator<Integer> ports = List.of(
                            taken.getLocalPort(), PortChoice.free().next().getAsInt())
                    .iterator();

            try (EmbeddedRedis redis =
                    EmbeddedRedis.builder().ports(PortChoice.anyOf(ports::next)).start()) {
                assertThat(redis.port()).isNotEqualTo(taken.getLocalPort());
            }
        }
    }

    @Test
    void aPortAskedForThatIsTakenIsAnError() {
        try (EmbeddedRedis first = EmbeddedRedis.start()) {
            EmbeddedRedis.Builder second = EmbeddedRedis.builder().port(first.port());

            assertThatExceptionOfType(EmbeddedRedisException.class)
                    .isThrownBy(second::start)
                    .withMessageContaining("did not start on port " + first.port())
                    .withMessageContaining("Could not create server TCP listening socket");
        }
    }

    @Test
    void anImpossiblePortIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedRedis.builder().port(65_536))
                .withMessage("'port' must be from 1 to 65535 but was 65536");
    }

    @Test
    void anUnknownOptionIsReportedInTheServersWords() {
        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(() -> EmbeddedRedis.start("--nonsense", "1"))
                // the second words are those of Redis 8
                .withMessageMatching(
                        "(?s).*('nonsense \"1\"'.*Bad directive|Unresolved Configuration.*'nonsense 1').*");
    }

    @Test
    void aProgramThatIsNotThereIsAnError() {
        RedisBinary missing = new RedisBinary(directory.resolve("redis-server"), "missing");

        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(() -> EmbeddedRedis.builder().binary(missing).start())
                .withMessageContaining(missing + " did not start");
    }
}
