package dev.jobs.benchmarks.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The command-line options of the benchmarks.
 *
 * @param home the directory of the benchmarks
 * @param rounds the number of rounds, each of which measures everything
 * @param limited whether fewer rounds are allowed if they take long
 * @param quick smaller doses and one round
 * @param goals whether to compare the results with the goals
 * @param only names of measurements, empty for all
 * @param drivers names, empty for all
 * @param reference the driver that ratios refer to
 * @param redis the address of a server to use, or null for one of our own
 * @param ruby a command that runs Ruby, or a folder with a system that has it
 * @param before another checkout of this library, or null
 */
record Options(
        Path home,
        int rounds,
        boolean limited,
        boolean quick,
        boolean goals,
        Set<String> only,
        Set<String> drivers,
        String reference,
        @Nullable String redis,
        String ruby,
        @Nullable Path before) {

    /** The most informative measurements in little time. */
    private static final Set<String> QUICK = Set.of(
            "drain",
            "enqueue-bulk",
            "enqueue-single",
            "latency",
            "concurrency",
            "short-jobs",
            "backlog",
            "idle",
            "jmh");

    static final String HELP = """
            Measures this library beside its peers, on a Redis of its own.

              --rounds N            how often everything is measured; by default 3 times, or less often if that takes too long
              --quick               one round, smaller doses, the most informative measurements unless --only names some
              --goals               what the goals of the library need, three rounds, and a table of the goals at the end, which
                                    harness/target/goals.json has as well. The drivers are jobs, also prepared, their twins (the
                                    same again, which shows the noise), sidekiq, sidekiq-3 and the bare programs; --only and
                                    --drivers select fewer, or peers such as bullmq besides
              --only NAME,…         only these measurements; --list shows them
              --jmh                 as --only jmh
              --drivers NAME,…      only these drivers; --list shows them. By default all but the twins
              --reference NAME      the driver that ratios refer to, by default jobs
              --redis URI           this server, such as redis://127.0.0.1:6379. ALL ITS DATA IS DELETED.
              --ruby COMMAND        the Ruby for Sidekiq: a command, by default ruby, or the folder of jobs-interop/sidekiq-8
              --before FOLDER       another checkout of this library, in which 'benchmarks/run --list' was called: the
                                    driver 'before', which takes turns with the others
              --list                names of measurements and drivers
              --help                this text

            One line of JSON for each measurement goes to standard output and to harness/target/results.jsonl, a table
            follows at the end. The logs of the drivers are in harness/target/logs.
            """;

    /** An invalid argument. */
    static final class WrongArgument extends Exception {

        private static final long serialVersionUID = 1L;

        WrongArgument(String message) {
            super(message);
        }
    }

    static Options parse(Path home, List<String> arguments) throws WrongArgument {
        Deque<String> left = new ArrayDeque<>(arguments);
        int rounds = 0;
        boolean quick = false;
        boolean goals = false;
        Set<String> only = new TreeSet<>();
        Set<String> drivers = new TreeSet<>();
        String reference = "jobs";
        String redis = null;
        String ruby = "ruby";
        Path before = null;
        while (!left.isEmpty()) {
            String option = left.pop();
            switch (option) {
                case "--rounds" -> rounds = positive(option, value(option, left));
                case "--quick" -> quick = true;
                case "--goals" -> goals = true;
                case "--only" -> only.addAll(names(option, left));
                case "--jmh" -> only.add("jmh");
                case "--drivers" -> drivers.addAll(names(option, left));
                case "--reference" -> reference = value(option, left);
                case "--ruby" -> ruby = value(option, left);
                case "--before" -> before = Path.of(value(option, left));
                case "--redis" -> redis = address(value(option, left));
                default -> throw new WrongArgument("Unknown argument '" + option + "'; see --help");
            }
        }
        if (!Files.isDirectory(home.resolve("harness"))) {
            throw new WrongArgument(home + " is not the directory of the benchmarks; use its script 'run'");
        }
        return new Options(
                home,
                rounds > 0 ? rounds : quick ? 1 : 3,
                rounds == 0 && !goals,
                quick,
                goals,
                goals && only.isEmpty() ? Goals.measurements() : only,
                goals && drivers.isEmpty() ? Goals.drivers() : drivers,
                reference,
                redis,
                ruby,
                before);
    }

    private static String value(String option, Deque<String> left) throws WrongArgument {
        if (left.isEmpty() || left.peek().startsWith("--")) {
            throw new WrongArgument(option + " needs a value; see --help");
        }
        return left.pop();
    }

    private static List<String> names(String option, Deque<String> left) throws WrongArgument {
        return List.of(value(option, left).split(","));
    }

    private static int positive(String option, String text) throws WrongArgument {
        if (!text.matches("[1-9]\\d{0,2}")) {
            throw new WrongArgument(option + " needs a number from 1 to 999, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static String address(String text) throws WrongArgument {
        if (!text.matches("redis://(:[^@/]*@)?[^@/:]+(:\\d{1,5})?/?")) {
            throw new WrongArgument("--redis needs an address such as redis://127.0.0.1:6379, not '" + text + "'");
        }
        return text;
    }

    /** Whether a measurement is selected. */
    boolean wants(String measurement) {
        return only.isEmpty() ? !quick || QUICK.contains(measurement) : only.contains(measurement);
    }

    /** Whether a driver takes part. */
    boolean wantsDriver(String name) {
        return drivers.isEmpty() ? !Goals.isTwin(name) : drivers.contains(name);
    }

    /** A smaller dose if {@code quick} is set. */
    int dose(int full) {
        return quick ? Math.max(1, full / 5) : full;
    }
}
