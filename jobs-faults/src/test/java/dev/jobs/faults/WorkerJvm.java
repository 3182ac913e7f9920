package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the JVM of a worker is started. A run starts more than a hundred of them, and half the cost of each start is
 * loading and verifying the same classes, so the first worker leaves them in an archive for all others (class data
 * sharing). A JVM that can't use the archive starts without it.
 */
final class WorkerJvm {

    private static final Path DIRECTORY = Path.of("target", "worker-classes");
    /** On a busy machine the archive takes a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final class OfThisRun {
        static final WorkerJvm INSTANCE = new WorkerJvm();
    }

    private final List<String> command;

    private WorkerJvm() {
        try {
            Files.createDirectories(DIRECTORY);
            Path archive = DIRECTORY.resolve("worker.jsa");
            Files.deleteIfExists(archive);
            List<String> plain = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xlog:disable",
                    "-Xmx256m",
                    "-cp",
                    jarsOnly()));
            leave(archive, plain);
            command = new ArrayList<>(plain);
            command.add("-XX:SharedArchiveFile=" + archive.toAbsolutePath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The beginning of a command, before the options of the individual worker. */
    static List<String> command() {
        return OfThisRun.INSTANCE.command;
    }

    /** Lets a worker start, run a job and stop, and archive the classes that it used. */
    private static void leave(Path archive, List<String> plain) {
        List<String> command = new ArrayList<>(plain);
        command.add("-XX:ArchiveClassesAtExit=" + archive.toAbsolutePath());
        Path directory = Trial.directory("classes");
        try (RedisServer server = new RedisServer(directory);
                Producer producer = new Producer(server.uri(), Duration.ofSeconds(5));
                Worker worker = Worker.start(1, WorkerSettings.of(server.uri(), "default"), directory, command)) {
            producer.enqueue("default", "Work", 1);
            await().until(() -> worker.executions().stream().anyMatch(Execution::finished));
            worker.terminate();
            if (!worker.awaitEnd(PATIENCE)) {
                throw new IllegalStateException("A worker did not end, see " + directory);
            }
        }
    }

    /** The class path without directories, whose classes can't be archived. */
    private static String jarsOnly() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .map(entry -> Files.isDirectory(entry) ? jar(entry) : entry)
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path jar(Path directory) {
        try {
            Path jar = Files.createTempFile(DIRECTORY, "classes", ".jar");
            try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                    Stream<Path> files = Files.walk(directory).filter(Files::isRegularFile)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    out.putNextEntry(
                            new JarEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
                    Files.copy(file, out);
                }
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
