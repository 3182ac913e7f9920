package dev.jobs.embeddedredis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.proof.Requires;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever ends the JVM, its Redis ends after it. */
class JvmEndIT {

    @TempDir
    Path temporary;

    private final List<ProcessHandle> started = new ArrayList<>();

    @AfterEach
    void leaveNothingBehind() {
        started.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void aKilledJvmLeavesNoRedis() throws Exception {
        Process jvm = startJvm(List.of());
        ProcessHandle redis = redisOf(jvm);

        jvm.destroyForcibly();

        awaitEnd(redis);
    }

    /** As from a terminal or a supervisor: the signal goes to the JVM's whole process group. */
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL"})
    @Tag("system")
    @Requires(check = "command -v setsid", install = "util-linux")
    void aSignalToTheProcessGroupLeavesNoRedis(String signal) throws Exception {
        Process jvm = startJvm(List.of("setsid")); // its own process group, so that this JVM is not hit
        ProcessHandle redis = redisOf(jvm);

        new ProcessBuilder("kill", "-s", signal, "--", "-" + jvm.pid()).start().waitFor();

        awaitEnd(redis);
    }

    /** Where no setsid is to be found, the shell between JVM and Redis must not keep the terminal. */
    @Test
    @Tag("system")
    @Requires(check = "command -v script", install = "bsdutils")
    @Requires(check = "/usr/bin/env --default-signal=INT true", install = "coreutils")
    void ctrlCInATerminalEndsTheJvmAlsoWithoutSetsid(@TempDir Path programs) throws Exception {
        for (String each : List.of("sh", "cat", "sleep", "rm")) {
            Files.createSymbolicLink(
                    programs.resolve(each), Path.of("/bin", each).toRealPath());
        }
        // This JVM may have been started with the signal ignored, as in the background of a script, and children
        // inherit
        // that; those of a terminal don't.
        String command = "exec /usr/bin/env --default-signal=INT PATH=" + programs + " " + String.join(" ", jvm());
        Process terminal = new ProcessBuilder("script", "-qec", command, "/dev/null")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(terminal.toHandle());
        ProcessHandle redis = redisOf(terminal);

        terminal.getOutputStream().write(3);
        terminal.getOutputStream().flush();

        await("the end of the JVM").until(() -> !terminal.isAlive());
        awaitEnd(redis);
    }

    /** Redis still runs during shutdown hooks, including Spring's. */
    @Test
    void shutdownHooksStillHaveTheirRedis() throws Exception {
        Process jvm = startJvm(List.of());
        BufferedReader output = jvm.inputReader();
        ProcessHandle redis = redis(output);

        jvm.toHandle().destroy(); // Process.destroy() would also close the output

        assertThat(output.lines()).containsExactly("at the end: +PONG");
        awaitEnd(redis);
    }

    private Process startJvm(List<String> prefix) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(jvm());
        Process jvm = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(jvm.toHandle());
        return jvm;
    }

    private List<String> jvm() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporary,
                "-classpath",
                System.getProperty("java.class.path"),
                EmbeddedRedisApplication.class.getName());
    }

    private ProcessHandle redisOf(Process jvm) throws Exception {
        return redis(jvm.inputReader());
    }

    private ProcessHandle redis(BufferedReader output) throws Exception {
        ProcessHandle redis =
                ProcessHandle.of(Long.parseLong(output.readLine().strip())).orElseThrow();
        started.add(redis);
        return redis;
    }

    private void awaitEnd(ProcessHandle redis) {
        await("the end of Redis").until(() -> !redis.isAlive());
        await("an empty temporary directory")
                .untilAsserted(() -> assertThat(temporary).isEmptyDirectory());
    }
}
