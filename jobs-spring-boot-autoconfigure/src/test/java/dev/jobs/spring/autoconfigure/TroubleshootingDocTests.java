package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The messages in docs/troubleshooting.md are those of the library; the JDK's and the compiler's are named here. */
class TroubleshootingDocTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final List<String> OF_OTHERS = List.of(
            "Connection refused",
            "Connection reset",
            "invalid method reference",
            "reference to enqueue is ambiguous",
            "Health contributor 'jobsReadiness' … does not exist");

    @Test
    void everyMessageIsOneOfTheLibrary() throws IOException {
        String sources = sources();
        List<String> missing = messages()
                .filter(message -> !OF_OTHERS.contains(message))
                .flatMap(message -> Stream.of(message.split("…")))
                .filter(part -> !sources.contains(part.strip()))
                .toList();

        assertThat(messages()).hasSizeGreaterThan(15);
        assertThat(missing).as("parts of messages that no source has").isEmpty();
    }

    /** What is quoted in the first cell of each row. */
    private static Stream<String> messages() throws IOException {
        return Files.readAllLines(ROOT.resolve("docs/troubleshooting.md")).stream()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.split("\\|")[1])
                .flatMap(cell -> QUOTED.matcher(cell).results())
                .map(quoted -> quoted.group(1));
    }

    /** All main sources, with each text that is broken over lines in one piece. */
    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path module : list(ROOT)) {
            Path main = module.resolve("src/main/java");
            for (Path file : Files.isDirectory(main) ? files(main) : List.<Path>of()) {
                all.append(Files.readString(file).replaceAll("\"\\s*\\+ \"", ""));
            }
        }
        return all.toString();
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
