package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.DriverMain;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver as registered in a module's {@code drivers.properties}.
 *
 * @param name its name in the results
 * @param command starts its process; the address of Redis is appended
 * @param only the measurements in which it takes part, empty for all
 * @param prepared whether its Java is {@linkplain PreparedJava prepared}
 */
record RegisteredDriver(String name, List<String> command, Set<String> only, boolean prepared) {

    /** How many processes Sidekiq needs to use two processors: a Ruby process runs one thread at a time. */
    private static final String SEVERAL = "3";

    /**
     * Runs the Ruby of a folder in its own mount namespace, with the scripts and {@code /proc} mounted in that folder:
     * the mounts end with it.
     */
    private static final List<String> IN_FOLDER = List.of("unshare", "--mount", "sh", "-c", """
            folder=$0
            mount --rbind /proc "$folder/proc" && mount --bind "$1" "$folder/mnt" && shift &&
            exec chroot "$folder" ruby -C /mnt "$@"\
            """);

    private RegisteredDriver(String name, List<String> command, Set<String> only) {
        this(name, command, only, false);
    }

    RegisteredDriver narrowedTo(Set<String> measurements) {
        return new RegisteredDriver(name, command, measurements, prepared);
    }

    /** The same driver, started in another way. */
    RegisteredDriver by(List<String> other) {
        return new RegisteredDriver(name, other, only, prepared);
    }

    /** Whether it takes part in a measurement; {@code -1k} and {@code -10k} are sizes of payloads. */
    boolean takesPartIn(String measurement) {
        return only.isEmpty() || only.contains(measurement.replaceFirst("-10?k$", ""));
    }

    /**
     * All drivers registered in modules below a directory, the harness's own first, and those that aren't Java.
     *
     * @param ruby a command or a folder
     * @param before another checkout of this library, or null
     */
    static List<RegisteredDriver> in(Path home, String ruby, @Nullable Path before) throws IOException {
        List<RegisteredDriver> drivers = new ArrayList<>();
        try (Stream<Path> modules = Files.list(home)) {
            for (Path module : modules.filter(Files::isDirectory)
                    .sorted(RegisteredDriver::ownFirst)
                    .toList()) {
                Path file = module.resolve("target/classes/drivers.properties");
                if (Files.exists(file)) {
                    addAll(module, file, drivers);
                }
            }
        }
        if (before != null) {
            Path harness = before.resolve("benchmarks/harness");
            List<String> command = java(harness, "", DriverMain.class.getName(), JobsDriver.class.getName());
            drivers.add(new RegisteredDriver("before", command, Set.of()));
        }
        drivers.add(new RegisteredDriver("sidekiq", ruby(home, ruby, "1"), Set.of()));
        drivers.add(new RegisteredDriver("sidekiq-" + SEVERAL, ruby(home, ruby, SEVERAL), Set.of("drain", "work")));
        drivers.add(new RegisteredDriver(
                "bullmq", List.of("node", home.resolve("bullmq/driver.js").toString()), Set.of()));
        return drivers;
    }

    private static List<String> ruby(Path home, String installed, String processes) {
        Path folder = home.resolve("sidekiq");
        List<String> command = new ArrayList<>();
        if (Files.isDirectory(Path.of(installed))) {
            command.addAll(IN_FOLDER);
            command.addAll(List.of(installed, folder.toString(), "driver.rb"));
        } else {
            command.addAll(words(installed).toList());
            command.add(folder.resolve("driver.rb").toString());
        }
        command.add(processes);
        return command;
    }

    private static int ownFirst(Path one, Path other) {
        boolean own = one.endsWith("harness");
        return own == other.endsWith("harness") ? one.compareTo(other) : own ? -1 : 1;
    }

    private static void addAll(Path module, Path file, List<RegisteredDriver> drivers) throws IOException {
        Properties entered = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            entered.load(reader);
        }
        for (String name : entered.stringPropertyNames().stream().sorted().toList()) {
            if (!name.contains(".")) {
                drivers.add(new RegisteredDriver(
                        name,
                        java(
                                module,
                                entered.getProperty(name + ".options", ""),
                                DriverMain.class.getName(),
                                entered.getProperty(name)),
                        words(entered.getProperty(name + ".only", "")).collect(Collectors.toSet()),
                        Boolean.parseBoolean(entered.getProperty(name + ".prepared"))));
            }
        }
    }

    private static Stream<String> words(String text) {
        return Stream.of(text.strip().split("\\s+")).filter(word -> !word.isEmpty());
    }

    /** The command that runs a class of a module in its own JVM. */
    static List<String> java(Path module, String options, String... mainAndArguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xms256m", "-Xmx1g"));
        words(options).forEach(command::add);
        command.add("-cp");
        command.add(module.resolve("target/classes")
                + java.io.File.pathSeparator
                + Files.readString(module.resolve("target/classpath")).strip());
        command.addAll(List.of(mainAndArguments));
        return command;
    }
}
