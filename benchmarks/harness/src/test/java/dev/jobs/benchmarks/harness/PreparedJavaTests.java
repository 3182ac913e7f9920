package dev.jobs.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.CommandLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreparedJavaTests {

    private static final String ADDRESS = "redis://nowhere";
    private static final List<String> COMMAND =
            List.of(java(), "-cp", System.getProperty("java.class.path"), Echo.class.getName());

    @TempDir
    Path folder;

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Answers with the words that it is asked with, unless they are wrong. */
    static final class Echo implements CommandLoop.Program {

        private final String address;

        private Echo(String address) {
            this.address = address;
        }

        public static void main(String[] arguments) throws Exception {
            CommandLoop.run(() -> new Echo(arguments[0]));
        }

        @Override
        public Answer greeting() {
            return new Answer().with("address", address);
        }

        @Override
        public Answer perform(List<String> words) {
            if (words.contains("wrong")) {
                throw new IllegalStateException("wrong");
            }
            return new Answer().with("words", String.join(" ", words));
        }

        @Override
        public void close() {}
    }

    @Test
    void aPreparedCommandRunsFromTheFileOfItsTraining() throws IOException {
        List<Path> possible = List.of(folder.resolve("echo.aot"), folder.resolve("echo.jsa"));
        for (Path each : possible) {
            Files.writeString(each, "of an earlier training");
        }

        List<String> prepared = new PreparedJava("echo", folder).prepare(COMMAND, ADDRESS, "cold", 10);

        Path file = possible.stream()
                .filter(each -> prepared.stream().anyMatch(option -> option.endsWith("=" + each)))
                .findFirst()
                .orElseThrow();
        List<String> command =
                Stream.concat(prepared.stream(), Stream.of(ADDRESS)).toList();
        try (ChildProcess child = ChildProcess.start(command, folder.resolve("child.log"))) {
            assertThat(child.greeting().path("address").asString()).isEqualTo(ADDRESS);
            assertThat(child.ask("idle", 3).path("words").asString()).isEqualTo("idle 3");
        }
        Files.delete(file);
        assertThatThrownBy(() -> ChildProcess.start(command, folder.resolve("child.log")))
                .as("it doesn't run without the file")
                .isInstanceOf(Exception.class);
    }

    @Test
    void aTrainingThatFailsIsReported() {
        assertThatThrownBy(() -> new PreparedJava("echo", folder).prepare(COMMAND, ADDRESS, "wrong"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the training run failed")
                .hasMessageContaining("echo.log");
    }

    @Test
    void aCommandWithoutClassPathIsRefused() {
        assertThatThrownBy(() -> new PreparedJava("echo", folder).prepare(List.of(java(), "Main"), ADDRESS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no class path");
    }
}
