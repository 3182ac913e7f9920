package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All drivers in the same measurements, one after the other in each round, so that a noisy minute affects all of them.
 */
final class Comparison {

    /**
     * Sizes of the jobs' arguments.
     *
     * @param suffix of the names of measurements
     * @param most jobs of a measurement, since they all have to fit into Redis
     */
    private record Size(String suffix, int bytes, int most) {}

    private static final Size SMALL = new Size("", Arguments.STANDARD, 200_000);
    private static final List<Size> SIZES =
            List.of(SMALL, new Size("-1k", 1_000, 100_000), new Size("-10k", 10_000, 20_000));
    private static final List<String> OF_ALL_SIZES = List.of("drain", "enqueue-bulk", "enqueue-single");
    private static final List<String> OF_SMALL_SIZE = List.of(
            "drain-limited",
            "enqueue-single-8",
            "enqueue-unique",
            "enqueue-duplicate",
            "latency",
            "due",
            "lateness",
            "work",
            "cold");

    static final List<String> MEASUREMENTS = Stream.concat(
                    SIZES.stream().flatMap(size -> OF_ALL_SIZES.stream().map(each -> each + size.suffix())),
                    OF_SMALL_SIZE.stream())
            .toList();

    private static final int CONCURRENCY = 10;
    private static final int FIRST_DRAIN = 2_000;
    private static final int WARM_UP = 20_000;

    /** The JIT compiler is busy for about a million jobs, on a fast machine and on a slow one. */
    private static final int WARM_UP_JOBS = 1_000_000;

    /** Slow drivers have had enough then, at the latest. */
    private static final Duration WARM_UP_TIME = Duration.ofSeconds(20);

    private static final List<Integer> WORKERS = List.of(25, 100);

    /** As many as are never all held, and one, for which all other jobs wait. */
    private static final List<Integer> PERMITS = List.of(1_000_000, 1);

    private static final int LIMITED = 20_000;
    private static final int COLD_SECONDS = 10;

    private final Options options;
    private final String redis;
    private final Results results;

    /** Jobs per second by driver and measurement, from the warm-up. */
    private final Map<String, Double> paces = new HashMap<>();

    /** The drivers whose descriptions are among the results. */
    private final Set<String> greeted = new HashSet<>();

    Comparison(Options options, String redis, Results results) {
        this.options = options;
        this.redis = redis;
        this.results = results;
    }

    void run(List<RegisteredDriver> drivers) {
        if (MEASUREMENTS.stream().noneMatch(options::wants)) {
            return;
        }
        List<RegisteredDriver> ready =
                drivers.stream().flatMap(driver -> ready(driver).stream()).toList();
        Rounds.of(options, results, "comparison")
                .forEach(round -> inTurn(ready, round).forEach(driver -> turn(driver, round)));
    }

    /** The driver as it will be started; empty if its preparation failed. */
    private Optional<RegisteredDriver> ready(RegisteredDriver driver) {
        if (!driver.prepared() || MEASUREMENTS.stream().noneMatch(each -> wants(driver, each))) {
            return Optional.of(driver);
        }
        try {
            PreparedJava java = new PreparedJava(driver.name(), options.home().resolve("harness/target/prepared"));
            return Optional.of(
                    driver.by(java.prepare(driver.command(), redis, "cold", COLD_SECONDS, CONCURRENCY, SMALL.bytes())));
        } catch (IOException | RuntimeException e) {
            results.note(driver.name(), "all", String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Every other round goes backwards, so that of two drivers neither comes first in all rounds. */
    private static List<RegisteredDriver> inTurn(List<RegisteredDriver> drivers, int round) {
        List<RegisteredDriver> turned = new ArrayList<>(drivers);
        if (round % 2 == 0) {
            Collections.reverse(turned);
        }
        return turned;
    }

    private void turn(RegisteredDriver driver, int round) {
        if (options.wants("cold") && driver.takesPartIn("cold")) {
            inProcess(driver, round, Turn::cold);
        }
        if (MEASUREMENTS.stream().anyMatch(each -> !each.equals("cold") && wants(driver, each))) {
            inProcess(driver, round, Turn::run);
        }
    }

    private boolean wants(RegisteredDriver driver, String measurement) {
        return options.wants(measurement) && driver.takesPartIn(measurement);
    }

    private void inProcess(RegisteredDriver driver, int round, Consumer<Turn> measurements) {
        Path log = options.home().resolve("harness/target/logs/" + driver.name() + "-" + round + ".log");
        List<String> command = new ArrayList<>(driver.command());
        command.add(redis);
        try (ChildProcess child = ChildProcess.start(command, log)) {
            if (child.greeting().has("unsupported")) {
                results.note(
                        driver.name(),
                        "all",
                        child.greeting().get("unsupported").asString());
                return;
            }
            if (greeted.add(driver.name())) {
                results.line("driver", driver.name(), round, (ObjectNode) child.greeting());
            }
            measurements.accept(new Turn(driver, round, child));
        } catch (IOException | RuntimeException e) {
            results.note(driver.name(), "round " + round, String.valueOf(e.getMessage()));
        }
    }

    static String shareOfThreads(int concurrency) {
        return "work, 1 ms each, " + concurrency + " at once: share of what bare threads do";
    }

    static double perSecond(@Nullable JsonNode answer) {
        return answer == null || !answer.has("nanos")
                ? Double.NaN
                : answer.path("jobs").asDouble() / answer.path("nanos").asDouble() * 1e9;
    }

    /** One driver's turn in one round. */
    private final class Turn {

        private final RegisteredDriver driver;
        private final String who;
        private final int round;
        private final ChildProcess child;

        Turn(RegisteredDriver driver, int round, ChildProcess child) {
            this.driver = driver;
            this.who = driver.name();
            this.round = round;
            this.child = child;
        }

        /** In a fresh process. */
        void cold() {
            JsonNode answer = measure("cold", "cold", options.dose(COLD_SECONDS), CONCURRENCY, SMALL.bytes());
            value("cold: jobs/s in the first 10 s", perSecond(answer));
            value(
                    "cold: jobs in the first second",
                    answer == null ? Double.NaN : answer.path("first_second").asDouble());
        }

        void run() {
            if (wants("drain") || wants("drain-1k") || wants("drain-10k") || wants("work")) {
                warmUpDrain();
            }
            SIZES.forEach(this::drain);
            limited();
            SIZES.forEach(this::bulk);
            SIZES.forEach(size -> single("enqueue-single" + size.suffix(), size.bytes(), 1));
            single("enqueue-single-8", SMALL.bytes(), 8);
            unique("enqueue-unique", false);
            unique("enqueue-duplicate", true);
            latency();
            due();
            lateness();
            work();
        }

        private boolean wants(String measurement) {
            return Comparison.this.wants(driver, measurement);
        }

        private void warmUpDrain() {
            paced("drain", child.ask("drain", FIRST_DRAIN, CONCURRENCY, SMALL.bytes()));
            int all = options.dose(WARM_UP_JOBS);
            long end = System.nanoTime() + WARM_UP_TIME.toNanos();
            for (int ran = 0; ran < all && System.nanoTime() < end; ) {
                int some = jobs("drain", 2, 500, SMALL.most());
                paced("drain", child.ask("drain", some, CONCURRENCY, SMALL.bytes()));
                ran += some;
            }
        }

        private void drain(Size size) {
            String name = "drain" + size.suffix();
            if (!wants(name)) {
                return;
            }
            if (!size.equals(SMALL)) {
                paced(name, child.ask("drain", jobs("drain", 0.5, 500, size.most()), CONCURRENCY, size.bytes()));
                paced(name, child.ask("drain", jobs(name, 1, 500, size.most()), CONCURRENCY, size.bytes()));
            }
            int jobs = jobs(name, options.quick() ? 2 : 4, 500, size.most());
            JsonNode answer = measure(name, "drain", jobs, CONCURRENCY, size.bytes());
            if (answer != null) {
                value(name + ": jobs/s", perSecond(answer));
                value(name + ": worker CPU, µs/job", each(answer, "cpu_nanos") / 1e3);
                redisTime(name, answer);
                value(name + ": reads by Redis/job", each(answer, "redis_reads"));
                value(name + ": Redis commands/job, also in scripts", each(answer, "redis_commands"));
            }
        }

        private void limited() {
            for (int permits : wants("drain-limited") ? PERMITS : List.<Integer>of()) {
                String name = "drain-limited, " + (permits == 1 ? "one at once" : "a limit that is never full");
                int jobs = options.dose(LIMITED);
                for (int i = 0; i < 2; i++) {
                    paced("drain-limited", child.ask("drain-limited", jobs, CONCURRENCY, permits, SMALL.bytes()));
                }
                JsonNode answer = measure("drain-limited", "drain-limited", jobs, CONCURRENCY, permits, SMALL.bytes());
                value(name + ": jobs/s", perSecond(answer));
                redisTime(name, answer);
            }
        }

        private void bulk(Size size) {
            String name = "enqueue-bulk" + size.suffix();
            if (wants(name)) {
                paced(name, child.ask("enqueue-bulk", FIRST_DRAIN, size.bytes()));
                paced(name, child.ask("enqueue-bulk", jobs(name, 1, 1_000, size.most()), size.bytes()));
                JsonNode answer = measure(name, "enqueue-bulk", jobs(name, 1, 1_000, size.most()), size.bytes());
                value(name + ": jobs/s", perSecond(answer));
                redisTime(name, answer);
            }
        }

        private void single(String name, int bytes, int threads) {
            if (wants(name)) {
                paced(name, child.ask("enqueue-single", 200, threads, bytes));
                paced(name, child.ask("enqueue-single", jobs(name, 0.5, 200, WARM_UP), threads, bytes));
                paced(name, child.ask("enqueue-single", jobs(name, 0.5, 200, WARM_UP), threads, bytes));
                int jobs = jobs(name, options.quick() ? 0.5 : 1.5, 200, 50_000);
                JsonNode answer = measure(name, "enqueue-single", jobs, threads, bytes);
                value(name + ": jobs/s", perSecond(answer));
                redisTime(name, answer);
            }
        }

        /** All jobs have one key, so that nearly all are refused, or each has its own. */
        private void unique(String name, boolean duplicates) {
            if (wants(name)) {
                for (int i = 0; i < 3; i++) {
                    int jobs = i == 0 ? 200 : jobs(name, 0.5, 200, WARM_UP);
                    paced(name, child.ask("enqueue-unique", jobs, duplicates ? 1 : jobs, SMALL.bytes()));
                }
                int jobs = jobs(name, options.quick() ? 0.5 : 1.5, 200, 50_000);
                JsonNode answer = measure(name, "enqueue-unique", jobs, duplicates ? 1 : jobs, SMALL.bytes());
                value(name + ": calls/s", perSecond(answer));
                redisTime(name, answer);
            }
        }

        private void redisTime(String name, @Nullable JsonNode answer) {
            value(name + ": Redis CPU, µs/job", each(answer, "redis_cpu_nanos") / 1e3);
            value(name + ": Redis time in scripts, µs/job", each(answer, "redis_script_nanos") / 1e3);
        }

        private void latency() {
            if (wants("latency")) {
                JsonNode answer = measure("latency", "latency", options.dose(1_000), CONCURRENCY, SMALL.bytes());
                value("latency: p50, µs", micros(answer, "p50_nanos"));
                value("latency: p99, µs", micros(answer, "p99_nanos"));
                value("latency: Redis commands/job", each(answer, "redis_commands"));
                redisTime("latency", answer);
            }
        }

        private void due() {
            if (wants("due")) {
                JsonNode answer = measure("due", "due", 1_000, CONCURRENCY, SMALL.bytes());
                value("due, 1,000 at one instant: ms to the last", micros(answer, "nanos") / 1e3);
            }
        }

        private void lateness() {
            if (wants("lateness")) {
                JsonNode answer = measure("lateness", "lateness", options.dose(20), CONCURRENCY, SMALL.bytes());
                value("lateness: p50, ms", micros(answer, "p50_nanos") / 1e3);
                value("lateness: max, ms", micros(answer, "max_nanos") / 1e3);
            }
        }

        private void work() {
            for (int concurrency : wants("work") ? WORKERS : List.<Integer>of()) {
                int jobs = jobs("drain", 1, 500, options.dose(1_000) * concurrency);
                JsonNode answer = measure("work", "work", jobs, concurrency, 1, SMALL.bytes());
                if (answer != null) {
                    value(
                            shareOfThreads(concurrency),
                            answer.path("bare_nanos").asDouble()
                                    / answer.path("nanos").asDouble());
                }
            }
        }

        private void paced(String measurement, JsonNode answer) {
            double pace = perSecond(answer);
            if (Double.isFinite(pace)) {
                paces.put(who + "/" + measurement, pace);
            }
        }

        /** The number of jobs that this driver probably runs in this time. */
        private int jobs(String measurement, double seconds, int least, int most) {
            double pace = paces.getOrDefault(who + "/" + measurement, 0.0);
            return (int) Math.max(least, Math.min(most, pace * seconds));
        }

        private @Nullable JsonNode measure(String name, Object... command) {
            JsonNode answer = child.ask(command);
            if (answer.has("unsupported") || answer.has("error")) {
                results.note(
                        who,
                        name,
                        answer.path("unsupported").asString(answer.path("error").asString("")));
                return null;
            }
            int ran = answer.path("ran").asInt(-1);
            if (ran >= 0 && ran != answer.path("jobs").asInt()) {
                results.note(
                        who,
                        name + " (counted)",
                        ran + " runs of " + answer.path("jobs").asInt() + " jobs");
            }
            results.line(name, who, round, (ObjectNode) answer);
            return answer;
        }

        private void value(String title, double value) {
            results.value(title, who, round, value);
        }
    }

    /** A figure of an answer for each of its jobs. */
    private static double each(@Nullable JsonNode answer, String field) {
        return answer == null
                ? Double.NaN
                : answer.path(field).asDouble(Double.NaN) / answer.path("jobs").asDouble();
    }

    private static double micros(@Nullable JsonNode answer, String field) {
        return answer == null ? Double.NaN : answer.path(field).asDouble(Double.NaN) / 1e3;
    }
}
