package dev.jobs.benchmarks.harness;

import static dev.jobs.benchmarks.harness.Goal.atLeast;
import static dev.jobs.benchmarks.harness.Goal.atMost;

import dev.jobs.benchmarks.harness.Figure.Source;
import dev.jobs.benchmarks.harness.Goal.Bound;
import dev.jobs.benchmarks.harness.Goal.Verdict;
import dev.jobs.benchmarks.harness.Results.Row;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The goals of this library, with what a run says of them. "Redis time" is the time in scripts, "Redis CPU" that of the
 * whole server.
 */
final class Goals {

    /** The driver that is the same build as {@link Figure#JOBS}, measured in turns with it. */
    static final String TWIN = "twin";

    /** Calls that may be repeated, and nothing else. */
    private static final String BARE_CALLS = "bare-calls";

    /** The commands of this library in the smallest scripts. */
    private static final String BARE_COMMANDS = "bare-commands";

    private static final String BARE_LOOP = "bare-loop";

    private static final String STARTER_CPU = "starter: CPU until ready, s";
    private static final String FIRST_SECOND = "cold: jobs in the first second";

    private static final List<Goal> ALL = List.of(
            atLeast(
                            1,
                            Figure.ratioTo("sidekiq", FIRST_SECOND)
                                    .named("jobs in the first second of a JVM relative to Sidekiq"))
                    .boundedBy(BARE_LOOP),
            atLeast(
                    1,
                    Figure.ofDriver(FIRST_SECOND, "jobs-prepared")
                            .relativeTo(Figure.best(FIRST_SECOND, List.of("sidekiq")))
                            .named("the same of a prepared JVM")),
            atLeast(
                    1,
                    Figure.ofDriver(FIRST_SECOND, "jobs-prepared-c1")
                            .relativeTo(Figure.best(FIRST_SECOND, List.of("sidekiq")))
                            .named("the same of a prepared JVM without the optimizing compiler")),
            atMost(1, Ratios.IDLE_P50).boundedBy(BARE_CALLS),
            atMost(1.2, Ratios.IDLE_P99).boundedBy(BARE_CALLS),
            atMost(8, Figure.of("latency: Redis commands/job").named("commands for an idle job, also in scripts"))
                    .boundedBy(BARE_CALLS),
            atMost(150, Figure.of("latency: Redis time in scripts, µs/job").named("Redis time of an idle job, µs"))
                    .boundedBy(BARE_COMMANDS),
            atLeast(0.85, Ratios.SINGLE).boundedBy(BARE_CALLS),
            atMost(1.3, Ratios.SINGLE_REDIS).boundedBy(BARE_CALLS),
            atLeast(0.5, Ratios.BULK).boundedBy(BARE_CALLS),
            atLeast(0.75, Ratios.DRAIN),
            atLeast(8, Ratios.DRAIN_TO_SIDEKIQ_3),
            atLeast(
                    0.8,
                    Figure.of("batch: jobs/s", "in a batch")
                            .relativeTo(Figure.of("batch: jobs/s", "outside a batch"))
                            .named("drain in a batch relative to outside")),
            atMost(
                    6,
                    Figure.of("limits: Redis time in scripts, µs/job", "1,000,000 permits")
                            .less(Figure.of("limits: Redis time in scripts, µs/job", LimitMeasurements.PLAIN))
                            .named("Redis time of a limited job less a plain one, µs")),
            atMost(
                    25,
                    Figure.of("enqueue-unique: Redis time in scripts, µs/job")
                            .less(Figure.of("enqueue-single: Redis time in scripts, µs/job"))
                            .named("Redis time of a unique push less a plain one, µs")),
            atLeast(0.9, Ratios.WORK_OF_100).boundedBy(BARE_LOOP),
            atMost(
                    200,
                    Figure.of("due-at-once, 10,000 jobs: ms to the last").named("10,000 due at once: ms to the last")),
            atMost(10, Figure.of("rates: lateness p99, ms").named("lateness of starts by a rate, p99, ms")),
            atMost(0.6, more(STARTER_CPU, StarterMeasurement.WITHOUT).named("starter: CPU until ready, s more"))
                    .boundedBy(StarterMeasurement.WITH, StarterMeasurement.REDIS),
            atMost(
                            0.6,
                            more(STARTER_CPU, StarterMeasurement.REDIS)
                                    .named("starter: CPU until ready, s more than Redis alone"))
                    .boundedBy(StarterMeasurement.WITH, StarterMeasurement.LIBRARIES),
            atMost(10, more("starter: idle threads", StarterMeasurement.WITHOUT).named("starter: idle threads more"))
                    .boundedBy(StarterMeasurement.WITH, StarterMeasurement.REDIS),
            atMost(
                            160,
                            Figure.of("starter: resident, MiB", StarterMeasurement.WITH)
                                    .named("starter: resident, MiB"))
                    .boundedBy(StarterMeasurement.WITH, StarterMeasurement.LIBRARIES));

    private final Options options;
    private final Results results;

    Goals(Options options, Results results) {
        this.options = options;
        this.results = results;
    }

    /** What an application with the starter has more than another one. */
    private static Figure more(String title, String other) {
        return Figure.of(title, StarterMeasurement.WITH).less(Figure.of(title, other));
    }

    /** The name of the twin's row for a row of this library: of a driver, or of a variant in its own measurements. */
    static String twin(String who) {
        return isOwn(who) ? TWIN + who.substring(Figure.JOBS.length()) : who + ", " + TWIN;
    }

    /** Whether a driver runs this library as another one does, to show the noise. */
    static boolean isTwin(String driver) {
        return driver.startsWith(TWIN);
    }

    private static boolean isOwn(String driver) {
        return driver.equals(Figure.JOBS) || driver.startsWith(Figure.JOBS + "-");
    }

    private static Stream<Source> sources() {
        return ALL.stream().flatMap(goal -> Stream.concat(goal.figure().sources().stream(), ofBare(goal)));
    }

    /** What has to be measured of a driver that shows how far a goal can be reached. */
    private static Stream<Source> ofBare(Goal goal) {
        Bound bound = goal.bound();
        return bound == null || !bound.own().equals(Figure.JOBS)
                ? Stream.of()
                : goal.figure().sources().stream()
                        .filter(source -> source.driver().equals(bound.own()))
                        .map(source -> new Source(source.measurement(), bound.program()));
    }

    /** The measurements that the goals need. */
    static Set<String> measurements() {
        return sources().map(Source::measurement).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The drivers that the goals need, with the twins. */
    static Set<String> drivers() {
        return sources()
                .map(Source::driver)
                .flatMap(driver -> isOwn(driver) ? Stream.of(driver, twin(driver)) : Stream.of(driver))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A driver in no other measurements than the goals need of it; in all of them if they don't need it. */
    static RegisteredDriver narrowed(RegisteredDriver driver) {
        String who = isTwin(driver.name()) ? Figure.JOBS + driver.name().substring(TWIN.length()) : driver.name();
        Set<String> needed = sources()
                .filter(source -> source.driver().equals(who))
                .map(Source::measurement)
                .collect(Collectors.toSet());
        return needed.isEmpty() ? driver : driver.narrowedTo(needed);
    }

    /**
     * What this run says of a goal.
     *
     * @param why there is no figure; empty if there is one
     */
    private record Result(Goal goal, Row row, Row twin, Row bare, Verdict verdict, String why) {

        double noise() {
            return Goal.noise(row, twin);
        }
    }

    /** Without a source that wasn't selected, a figure would be another one than the goal's. */
    private Result result(Goal goal) {
        String notSelected = notSelected(goal);
        Row row = notSelected == null ? goal.figure().in(results, UnaryOperator.identity()) : new Row(Map.of());
        Row twin = goal.figure().in(results, Goals::twin);
        Bound bound = goal.bound();
        Row bare = bound == null ? new Row(Map.of()) : goal.figure().in(results, bound::side);
        Verdict verdict = goal.verdict(row, twin, bare, options.rounds());
        String why = verdict != Verdict.NOT_MEASURED ? "" : notSelected != null ? notSelected : reason(goal);
        return new Result(goal, row, twin, bare, verdict, why);
    }

    private @Nullable String notSelected(Goal goal) {
        for (Source source : goal.figure().sources()) {
            if (!options.wants(source.measurement())) {
                return source.measurement() + " wasn't selected";
            }
            if (Comparison.MEASUREMENTS.contains(source.measurement()) && !options.wantsDriver(source.driver())) {
                return source.driver() + " wasn't selected";
            }
        }
        return null;
    }

    private String reason(Goal goal) {
        return goal.figure().sources().stream()
                .flatMap(source -> Stream.ofNullable(results.reason(source.driver(), source.measurement()))
                        .map(reason -> source.driver() + ": " + reason))
                .findFirst()
                .orElse("no figure");
    }

    void print(PrintStream out) {
        String line = "%-60s %9s %9s %9s %9s  %-13s %9s %9s  %s%n";
        out.printf(
                "%n" + line, "Goals", "goal", "median", "least", "most", "twin", "noise", "bare", "verdict: by round");
        ALL.stream()
                .map(this::result)
                .forEach(each -> out.printf(
                        line,
                        "  " + each.goal().title(),
                        wanted(each.goal()),
                        shown(each.row().median()),
                        shown(each.row().least()),
                        shown(each.row().most()),
                        range(each.twin().ratioTo(each.row())),
                        shown(each.noise()),
                        shown(each.bare().median()),
                        each.verdict() + ": " + (each.why().isEmpty() ? byRound(each.row()) : each.why())));
    }

    private static String wanted(Goal goal) {
        return (goal.atLeast() ? "≥ " : "≤ ") + Results.shown(goal.threshold());
    }

    private static String shown(double value) {
        return Double.isNaN(value) ? "–" : Results.shown(value);
    }

    private static String range(Row row) {
        return row.byRound().isEmpty() ? "–" : shown(row.least()) + "–" + shown(row.most());
    }

    private String byRound(Row row) {
        return IntStream.rangeClosed(1, options.rounds())
                .mapToObj(round -> shown(row.byRound().getOrDefault(round, Double.NaN)))
                .collect(Collectors.joining(" "));
    }

    /** Writes all goals with what this run says of them, and what it ran on. */
    void write(Path file, Machine machine, Instant now) throws IOException {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.put("date", now.toString()).put("commit", machine.commit()).put("java", machine.java());
        all.put("redis", machine.redis())
                .put("processors", machine.processors())
                .put("system", machine.system());
        all.put("rounds", options.rounds()).put("quick", options.quick());
        ALL.stream().map(this::result).forEach(each -> all.withArray("goals")
                .add(json(each).put("shown", row(each))));
        Files.writeString(
                file, new JsonMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all) + "\n");
    }

    /** The row of a table in Markdown. */
    private static String row(Result each) {
        return "| "
                + String.join(
                        " | ",
                        each.goal().title(),
                        wanted(each.goal()),
                        spread(each.row()),
                        shown(each.noise()),
                        spread(each.bare()),
                        each.verdict().toString())
                + " |";
    }

    private static String spread(Row row) {
        return row.byRound().isEmpty() ? "–" : shown(row.median()) + " (" + range(row) + ")";
    }

    private static ObjectNode json(Result result) {
        Goal goal = result.goal();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("title", goal.title()).put(goal.atLeast() ? "at_least" : "at_most", goal.threshold());
        json.put("verdict", result.verdict().toString());
        if (!result.why().isEmpty()) {
            return json.put("why", result.why());
        }
        Row row = result.row();
        json.put("median", row.median()).put("least", row.least()).put("most", row.most());
        row.byRound().forEach((round, value) -> json.withObject("/by_round").put(round.toString(), value));
        if (!result.twin().byRound().isEmpty()) {
            json.put("noise", result.noise());
            result.twin().byRound().forEach((round, value) -> json.withObject("/twin_by_round")
                    .put(round.toString(), value));
        }
        result.bare().byRound().forEach((round, value) -> json.withObject("/bare_by_round")
                .put(round.toString(), value));
        return json;
    }
}
