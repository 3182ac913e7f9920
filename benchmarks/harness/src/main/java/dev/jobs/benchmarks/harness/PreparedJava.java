package dev.jobs.benchmarks.harness;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * Prepares a command that runs Java: its process finds the classes of a training run parsed, in an archive of classes, and
 * from Java 25 on also linked and with profiles of their methods, in an AOT cache.
 */
final class PreparedJava {

    /** From this version on, the JVM writes an AOT cache in one run. */
    private static final int AOT_CACHE = 25;

    /** The JVM writes its file before it ends. */
    private static final Duration MOST = Duration.ofMinutes(2);

    private final String driver;
    private final Path folder;

    /**
     * @param driver its name in the names of files
     * @param folder where they are written, and overwritten
     */
    PreparedJava(String driver, Path folder) {
        this.driver = driver;
        this.folder = folder;
    }

    /**
     * Trains a process with its first measurement.
     *
     * @param command runs Java with a class path, without the address of Redis
     * @param redis the address of Redis, whose data is deleted
     * @return the command that uses the file which the training wrote
     */
    List<String> prepare(List<String> command, String redis, Object... measurement) throws IOException {
        Files.createDirectories(folder);
        boolean cache = Runtime.version().feature() >= AOT_CACHE;
        Path file = folder.resolve(driver + (cache ? ".aot" : ".jsa"));
        Files.deleteIfExists(file);
        List<String> ofJars = ofJars(command);
        List<String> training = with(ofJars, (cache ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + file);
        training.add(redis);
        train(training, measurement);
        if (!Files.exists(file)) {
            throw new IOException("the training run wrote no file, see " + log());
        }
        return cache
                ? with(ofJars, "-XX:AOTCache=" + file, "-XX:AOTMode=on")
                : with(ofJars, "-XX:SharedArchiveFile=" + file, "-Xshare:on");
    }

    private void train(List<String> command, Object... measurement) throws IOException {
        try (ChildProcess training = ChildProcess.start(command, log())) {
            if (training.ask(measurement).has("error")) {
                throw new IOException("the training run failed, see " + log());
            }
            if (!training.finish(MOST)) {
                throw new IOException("the training run didn't end in " + MOST.toSeconds() + " s, see " + log());
            }
        }
    }

    private Path log() {
        return folder.resolve(driver + ".log");
    }

    /** Warnings of the JVM go to standard output by default, where the answers are. */
    private static List<String> with(List<String> command, String... options) {
        List<String> complete = new ArrayList<>(command);
        complete.addAll(1, List.of(options));
        complete.addAll(1, List.of("-Xlog:disable", "-Xlog:all=warning:stderr"));
        return complete;
    }

    /** The command with a class path of jars, which such files need. */
    private List<String> ofJars(List<String> command) throws IOException {
        int option = command.indexOf("-cp");
        if (option < 0) {
            throw new IllegalArgumentException("no class path: " + command);
        }
        List<String> entries = new ArrayList<>();
        for (String entry : command.get(option + 1).split(File.pathSeparator)) {
            Path path = Path.of(entry);
            entries.add(Files.isDirectory(path) ? jar(path, entries.size()).toString() : entry);
        }
        List<String> changed = new ArrayList<>(command);
        changed.set(option + 1, String.join(File.pathSeparator, entries));
        return changed;
    }

    private Path jar(Path classes, int index) throws IOException {
        Path jar = folder.resolve(driver + "-" + index + ".jar");
        ToolProvider tool =
                ToolProvider.findFirst("jar").orElseThrow(() -> new IOException("this Java has no jar tool"));
        PrintStream log = new PrintStream(Files.newOutputStream(log()), true, StandardCharsets.UTF_8);
        try (log) {
            if (tool.run(log, log, "--create", "--file", jar.toString(), "-C", classes.toString(), ".") != 0) {
                throw new IOException("no jar of " + classes + ", see " + log());
            }
        }
        return jar;
    }
}
