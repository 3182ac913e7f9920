package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the pages: this module's, and those of other modules that have pages. */
final class Ui {

    private static final String FOLDER = "src/main/resources/dev/jobs/dashboard/ui";

    /** That of the dashboard itself. */
    static final Path OWN = Path.of(FOLDER);

    private Ui() {}

    /** The folder of each module. */
    static List<Path> folders() {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve(FOLDER))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All files below some folders. */
    static List<Path> files(List<Path> folders) {
        return folders.stream().flatMap(folder -> files(folder).stream()).toList();
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
