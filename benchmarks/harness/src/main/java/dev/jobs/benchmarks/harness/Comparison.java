package dev.jobs.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All drivers in the same measurements, one after the other in each round, so that a noisy minute affects all of them.
 */
final class Comparison {

    static final List<String> MEASUREMENTS = List.of(
            "drain", "enqueue-bulk", "enqueue-single", "enqueue-single-8", "latency", "due", "lateness", "work");

    private static final int CONCURRENCY = 10;
    private static final int FIRST_DRAIN = 2_000;
    private static final int WARM_UP = 20_000;

    /**
     * The number of warm-up drains, of two seconds each or of {@link #MOST} jobs: the JIT compiler is busy for about a
     * million jobs.
     */
    private static final int WARM_UP_DRAINS = 5;

    private static final int MOST = 200_000;

    private final Options options;
    private final String redis;
    private final Results results;

    /** Jobs per second by driver and measurement, from the warm-up. */
    private final Map<String, Double> paces = new HashMap<>();

    Comparison(Options options, String redis, Results results) {
        this.options = options;
        this.redis = redis;
        this.results = results;
    }

    void run(List<RegisteredDriver> drivers) {
        if (MEASUREMENTS.stream().noneMatch(options::wants)) {
            return;
        }
        Rounds.of(options, results, "comparison").forEach(round -> drivers.forEach(driver -> turn(driver, round)));
    }

    private void turn(RegisteredDriver driver, int round) {
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
            if (round == 1) {
                results.line("driver", driver.name(), round, (ObjectNode) child.greeting());
            }
            new Turn(driver, round, child).run();
        } catch (IOException | RuntimeException e) {
            results.note(driver.name(), "round " + round, String.valueOf(e.getMessage()));
        }
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

        void run() {
            if (wants("drain") || wants("work")) {
                warmUpDrain();
            }
            drain();
            bulk();
            single("enqueue-single", 1);
            single("enqueue-single-8", 8);
            latency();
            due();
            lateness();
            work();
        }

        private boolean wants(String measurement) {
            return options.wants(measurement) && driver.takesPartIn(measurement);
        }

        private void warmUpDrain() {
            paced("drain", child.ask("drain", FIRST_DRAIN, CONCURRENCY));
            for (int i = 0; i < (options.quick() ? 2 : WARM_UP_DRAINS); i++) {
                paced("drain", child.ask("drain", jobs("drain", 2, 500, MOST), CONCURRENCY));
            }
        }

        private void drain() {
            if (!wants("drain")) {
                return;
            }
            JsonNode answer = measure("drain", "drain", jobs("drain", options.quick() ? 2 : 4, 500, MOST), CONCURRENCY);
            if (answer != null) {
                double jobs = answer.path("jobs").asDouble();
                value("drain: jobs/s", perSecond(answer));
                value("drain: worker CPU, µs/job", answer.path("cpu_nanos").asDouble() / jobs / 1e3);
                value("drain: Redis CPU, µs/job", answer.path("redis_cpu_nanos").asDouble() / jobs / 1e3);
                value("drain: reads by Redis/job", answer.path("redis_reads").asDouble() / jobs);
                value(
                        "drain: Redis commands/job, also in scripts",
                        answer.path("redis_commands").asDouble() / jobs);
            }
        }

        private void bulk() {
            if (wants("enqueue-bulk")) {
                paced("enqueue-bulk", child.ask("enqueue-bulk", FIRST_DRAIN));
                paced("enqueue-bulk", child.ask("enqueue-bulk", jobs("enqueue-bulk", 1, 1_000, MOST)));
                JsonNode answer = measure("enqueue-bulk", "enqueue-bulk", jobs("enqueue-bulk", 1, 1_000, MOST));
                value("enqueue-bulk: jobs/s", perSecond(answer));
            }
        }

        private void single(String name, int threads) {
            if (wants(name)) {
                paced(name, child.ask("enqueue-single", 200, threads));
                paced(name, child.ask("enqueue-single", jobs(name, 0.5, 200, WARM_UP), threads));
                paced(name, child.ask("enqueue-single", jobs(name, 0.5, 200, WARM_UP), threads));
                JsonNode answer =
                        measure(name, "enqueue-single", jobs(name, options.quick() ? 0.5 : 1.5, 200, 50_000), threads);
                value(name + ": jobs/s", perSecond(answer));
            }
        }

        private void latency() {
            if (wants("latency")) {
                JsonNode answer = measure("latency", "latency", options.dose(2_000), CONCURRENCY);
                value("latency: p50, µs", micros(answer, "p50_nanos"));
                value("latency: p99, µs", micros(answer, "p99_nanos"));
            }
        }

        private void due() {
            if (wants("due")) {
                JsonNode answer = measure("due", "due", 1_000, CONCURRENCY);
                value("due, 1,000 at one instant: ms to the last", micros(answer, "nanos") / 1e3);
            }
        }

        private void lateness() {
            if (wants("lateness")) {
                JsonNode answer = measure("lateness", "lateness", options.dose(20), CONCURRENCY);
                value("lateness: p50, ms", micros(answer, "p50_nanos") / 1e3);
                value("lateness: max, ms", micros(answer, "max_nanos") / 1e3);
            }
        }

        private void work() {
            if (wants("work")) {
                JsonNode answer = measure("work", "work", jobs("drain", 1, 500, 5_000), CONCURRENCY, 1);
                if (answer != null) {
                    value(
                            "work, 1 ms each: share of what bare threads do",
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

    private static double micros(@Nullable JsonNode answer, String field) {
        return answer == null ? Double.NaN : answer.path(field).asDouble(Double.NaN) / 1e3;
    }
}
