package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.contest.RedisServer;
import dev.jobs.benchmarks.harness.Options.WrongArgument;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        List<Entrant> entrants = Entrant.in(home);
        if (others.contains("--list")) {
            list(out, entrants);
            return;
        }
        try {
            Options options = Options.parse(home, others);
            checkNames("measurement", options.only(), measurements());
            Set<String> names = entrants.stream().map(Entrant::name).collect(Collectors.toCollection(TreeSet::new));
            checkNames("contestant", options.contestants(), names);
            checkNames("contestant", Set.of(options.reference()), names);
            new HarnessMain(options, out).run(entrants);
        } catch (WrongArgument e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
        System.exit(0);
    }

    private static void list(PrintStream out, List<Entrant> entrants) {
        out.println("Measurements: " + String.join(", ", measurements()));
        out.println("Contestants:  " + entrants.stream().map(Entrant::name).collect(Collectors.joining(", ")));
    }

    private static Set<String> measurements() {
        Set<String> names = new TreeSet<>(Contest.MEASUREMENTS);
        names.addAll(Wide.MEASUREMENTS);
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

    private void run(List<Entrant> entrants) throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(Child::endAll, "end-children"));
        List<Entrant> chosen = entrants.stream()
                .filter(entrant ->
                        options.contestants().isEmpty() || options.contestants().contains(entrant.name()))
                .toList();
        if (options.redis() != null) {
            measure(options.redis(), chosen);
            return;
        }
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            measure(redis.uri(), chosen);
        }
    }

    private void measure(String redis, List<Entrant> chosen) throws IOException {
        tell(redis);
        try (Results results =
                new Results(out, options.home().resolve("harness/target/results.jsonl"), options.reference())) {
            new Contest(options, redis, results).hold(chosen);
            new Wide(options, redis, results).measure();
            new Micro(options, results).measure();
            results.printTable();
        }
    }

    private void tell(String uri) {
        String info = new RedisServer(uri).ask("INFO server");
        String version = info.lines()
                .filter(line -> line.startsWith("redis_version:"))
                .findFirst()
                .orElse("");
        out.println("# Java " + Runtime.version() + ", " + version + ", "
                + Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.version"));
    }
}
