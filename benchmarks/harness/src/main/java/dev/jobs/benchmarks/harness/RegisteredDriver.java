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

/**
 * A driver as registered in a module's {@code drivers.properties}.
 *
 * @param name its name in the results
 * @param command starts its process; the address of Redis is appended
 * @param only the measurements in which it takes part, empty for all
 */
record RegisteredDriver(String name, List<String> command, Set<String> only) {

    /** Whether it takes part in a measurement. */
    boolean takesPartIn(String measurement) {
        return only.isEmpty() || only.contains(measurement);
    }

    /** All drivers registered in modules below a directory, the harness's own first. */
    static List<RegisteredDriver> in(Path home) throws IOException {
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
        Path script = home.resolve("sidekiq/driver.rb");
        if (Files.exists(script)) {
            drivers.add(new RegisteredDriver("sidekiq", List.of("ruby", script.toString()), Set.of()));
        }
        return drivers;
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
                        words(entered.getProperty(name + ".only", "")).collect(Collectors.toSet())));
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
