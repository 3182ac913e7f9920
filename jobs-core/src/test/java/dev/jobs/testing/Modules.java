package dev.jobs.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What is in the folders of the library's modules, which are beside that of the tests. */
public final class Modules {

    private static final Path PROJECT = Path.of("..");

    private Modules() {}

    /**
     * The files of all modules.
     *
     * @param folder of a module, such as {@code src/main/java}
     * @param end of their names
     */
    public static Stream<Path> files(String folder, String end) {
        return list(PROJECT)
                .filter(module -> module.getFileName().toString().startsWith("jobs-"))
                .map(module -> module.resolve(folder))
                .filter(Files::exists)
                .flatMap(Modules::walk)
                .filter(file -> file.toString().endsWith(end));
    }

    private static Stream<Path> list(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
