package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Counts the lines of every main source file, of all modules. */
class ClassLengthTests {

    private static final Path PROJECT = Path.of("..");
    private static final int MOST_LINES = 400;

    @Test
    void noClassIsTooLongToBeReadAtOnce() throws IOException {
        try (Stream<Path> modules = Files.list(PROJECT)) {
            List<Path> sources = modules.map(each -> each.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .flatMap(ClassLengthTests::javaFiles)
                    .toList();
            assertThat(sources).as("main source files found").hasSizeGreaterThan(100);
            assertThat(sources)
                    .filteredOn(each -> lines(each) > MOST_LINES)
                    .as("classes of more than " + MOST_LINES + " lines; give what belongs together a class of its own")
                    .isEmpty();
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
