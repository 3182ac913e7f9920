package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.JobContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The arguments of all executions, in one file that all worker processes append to. Each line is one write, so after a
 * kill of a process it exists completely or not at all.
 */
final class RanWith {

    private final Path file;

    /** @param directory of the file */
    RanWith(Path directory) {
        file = directory.resolve("ran-with");
    }

    /**
     * An execution's arguments.
     *
     * @param values the method's name and what it received
     */
    record Line(String jid, String values) {}

    void note(JobContext job, String method, Object... arguments) {
        String values = Arrays.stream(arguments).map(String::valueOf).collect(Collectors.joining(" "));
        try {
            Files.writeString(
                    file,
                    job.jid() + " " + method + " " + values + "\n",
                    UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The executions so far. */
    List<Line> read() {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> new Line(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
