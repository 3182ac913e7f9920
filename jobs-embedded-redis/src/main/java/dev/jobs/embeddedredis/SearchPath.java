package dev.jobs.embeddedredis;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directories to search for commands.
 *
 * @param value in the format of the environment variable {@code PATH}
 */
record SearchPath(String value) {

    static SearchPath ofEnvironment() {
        return new SearchPath(Optional.ofNullable(System.getenv("PATH")).orElse(""));
    }

    /** The programs of this name, in the order of the path. */
    Stream<Path> find(String name) {
        return Stream.of(value.split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file));
    }
}
