package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.harness.Options.WrongArgument;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The program behind the script {@code run}. Its first argument is the directory of the benchmarks. */
final class HarnessMain {

    private final Options options;
    private final PrintStream out;

    private HarnessMain(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        Path home = Path.of(arguments[0]).toAbsolutePath();
        List<String> others = List.of(arguments).subList(1, arguments.length);
        if (others.contains("--help")) {
            out.print(Options.HELP);
            return;
        }
        if (others.contains("--list")) {
            list(out, RegisteredDriver.in(home, "", null));
            return;
        }
        try {
            Options options = Options.parse(home, others);
            List<RegisteredDriver> drivers = RegisteredDriver.in(home, options.ruby(), options.before());
            checkNames("measurement", options.only(), measurements());
            Set<String> names =
                    drivers.stream().map(RegisteredDriver::name).collect(Collectors.toCollection(TreeSet::new));
            checkNames("driver", options.drivers(), names);
            checkNames("driver", Set.of(options.reference()), names);
            new HarnessMain(options, out).run(drivers);
        } catch (WrongArgument e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
        System.exit(0);
    }

    private static void list(PrintStream out, List<RegisteredDriver> drivers) {
        out.println("Measurements: " + String.join(", ", measurements()));
        out.println(
                "Drivers:      " + drivers.stream().map(RegisteredDriver::name).collect(Collectors.joining(", ")));
    }

    private static Set<String> measurements() {
        Set<String> names = new TreeSet<>(Comparison.MEASUREMENTS);
        names.addAll(JobsMeasurements.MEASUREMENTS);
        names.add("jmh");
        return names;
    }

    private static void checkNames(String what, Set<String> given, Set<String> known) throws WrongArgument {
        for (String name : given) {
            if (!known.contains(name)) {
                throw new WrongArgument("There is no " + what + " '" + name + "', but: " + String.join(", ", known));
            }
        }
    }

    private void run(List<RegisteredDriver> drivers) throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(ChildProcess::endAll, "end-children"));
        List<RegisteredDriver> chosen = drivers.stream()
                .filter(driver -> options.wantsDriver(driver.name()))
                .map(driver -> options.only().equals(Goals.measurements()) ? Goals.narrowed(driver) : driver)
                .toList();
        if (options.redis() != null) {
            measure(options.redis(), chosen);
            return;
        }
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            measure(redis.uri(), chosen);
        }
    }

    private void measure(String redis, List<RegisteredDriver> chosen) throws IOException {
        Machine machine = Machine.of(new RedisServer(redis), options.home());
        out.println("# " + machine);
        try (Results results =
                new Results(out, options.home().resolve("harness/target/results.jsonl"), options.reference())) {
            new Comparison(options, redis, results).run(chosen);
            new JobsMeasurements(options, redis, results).measure();
            new MicroBenchmarkRuns(options, results).measure();
            results.printTable();
            new Ratios(results, options.reference()).print(out);
            if (options.goals()) {
                Goals goals = new Goals(options, results);
                goals.print(out);
                goals.write(options.home().resolve("harness/target/goals.json"), machine, Instant.now());
            }
        }
    }
}
