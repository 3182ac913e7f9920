package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.DriverMain;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** More measurements of this library alone. Each has its own processes and an empty store. */
final class JobsMeasurements {

    static final int WARM_UP = 200_000;
    private static final int WARM_UPS = 5;
    private static final int BATCH = 500_000;
    static final Duration LOOK = Duration.ofMillis(5);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(120).toNanos();

    private static final Map<String, Measurement> ALL = new LinkedHashMap<>();

    static {
        ALL.put("concurrency", wide -> new DrainMeasurements(wide).concurrency());
        ALL.put("short-jobs", wide -> new DrainMeasurements(wide).shortJobs());
        ALL.put("virtual-threads", wide -> new DrainMeasurements(wide).virtualThreads());
        ALL.put("due-at-once", wide -> new DrainMeasurements(wide).dueAtOnce());
        ALL.put("queues", wide -> new DrainMeasurements(wide).queues());
        ALL.put("backlog", wide -> new DrainMeasurements(wide).backlog());
        ALL.put("payload", wide -> new DrainMeasurements(wide).payload());
        ALL.put("capacity", wide -> new CapacityMeasurement(wide).take());
        ALL.put("volume", wide -> new VolumeMeasurement(wide).take());
        ALL.put("latency-between-processes", wide -> new ProcessesMeasurements(wide).latency());
        ALL.put("lateness-of-processes", wide -> new ProcessesMeasurements(wide).lateness());
        ALL.put("fairness", wide -> new ProcessesMeasurements(wide).fairness());
        ALL.put("scaling", wide -> new ProcessesMeasurements(wide).scaling());
        ALL.put("fleet", wide -> new FleetMeasurement(wide).take());
        ALL.put("shards", wide -> new ShardsMeasurement(wide).take());
        ALL.put("many-queues", wide -> new MassMeasurements(wide).queues());
        ALL.put("many-scheduled", wide -> new MassMeasurements(wide).scheduled());
        ALL.put("many-recurring", wide -> new MassMeasurements(wide).recurring());
        ALL.put("limits", wide -> new LimitMeasurements(wide).limits());
        ALL.put("rates", wide -> new LimitMeasurements(wide).rates());
        ALL.put("limiters", wide -> new LimitMeasurements(wide).limiters());
        ALL.put("ordered", wide -> new OrderMeasurements(wide).take());
        ALL.put("results", wide -> new LimitMeasurements(wide).results());
        ALL.put("idle", wide -> new FootprintMeasurements(wide).idle());
        ALL.put("footprint", wide -> new FootprintMeasurements(wide).footprint());
        ALL.put("starter", wide -> new StarterMeasurement(wide).take());
        ALL.put("batch", JobsMeasurements::batch);
        ALL.put("batch-kill", JobsMeasurements::batchKill);
        ALL.put("scripts", wide -> new ScriptMeasurement(wide).take());
    }

    static final List<String> MEASUREMENTS = List.copyOf(ALL.keySet());

    private final Options options;
    private final String redis;
    private final RedisServer server;
    private final Results results;
    private int round;
    private UnaryOperator<String> side = UnaryOperator.identity();

    JobsMeasurements(Options options, String redis, Results results) {
        this.options = options;
        this.redis = redis;
        this.server = new RedisServer(redis);
        this.results = results;
    }

    Options options() {
        return options;
    }

    RedisServer server() {
        return server;
    }

    /** The address of Redis. */
    String redis() {
        return redis;
    }

    /** Adds a value of this round to the table. */
    void value(String title, String who, double value) {
        results.value(title, side.apply(who), round, value);
    }

    /** One measurement. */
    private interface Measurement {
        void take(JobsMeasurements wide) throws IOException;
    }

    void measure() {
        Rounds.of(options, results, "jobs").forEach(number -> {
            round = number;
            ALL.forEach((name, measurement) -> {
                if (options.wants(name)) {
                    inTurn(sides()).forEach(each -> {
                        side = each;
                        take(name, measurement);
                    });
                }
            });
        });
        server.clear();
    }

    private List<UnaryOperator<String>> sides() {
        return options.drivers().contains(Goals.TWIN)
                ? List.of(UnaryOperator.identity(), Goals::twin)
                : List.of(UnaryOperator.identity());
    }

    private void take(String name, Measurement measurement) {
        try {
            server.clear();
            measurement.take(this);
        } catch (IOException | RuntimeException e) {
            results.note(side.apply("jobs"), name, String.valueOf(e.getMessage()));
        }
    }

    /** Rotates the first variant with the rounds, since the first runs on a colder machine than the last. */
    <T> List<T> inTurn(List<T> variants) {
        List<T> turned = new ArrayList<>(variants);
        Collections.rotate(turned, -(round - 1));
        return turned;
    }

    private void batch() throws IOException {
        new BatchMeasurement(this, server, options.dose(BATCH)).take();
    }

    private void batchKill() throws IOException {
        BatchKillMeasurement kill =
                new BatchKillMeasurement(server, results, round, options.home().resolve("harness/target/logs"));
        kill.take("jobs", number -> jobs("batch-kill-" + number));
        if (options.drivers().isEmpty()) { // it is no driver, since it takes part in nothing else
            server.clear();
            kill.take("bullmq", this::bullmq);
        }
    }

    private ChildProcess bullmq(int number) throws IOException {
        return ChildProcess.start(
                List.of("node", options.home().resolve("bullmq/driver.js").toString(), redis),
                options.home().resolve("harness/target/logs/bullmq-" + number + ".log"));
    }

    void drained(String measurement, String who, JsonNode answer) {
        line(measurement, who, answer);
        double jobs = answer.path("jobs").asDouble();
        value(measurement + ": jobs/s", who, Comparison.perSecond(answer));
        value(
                measurement + ": worker CPU, µs/job",
                who,
                answer.path("cpu_nanos").asDouble() / jobs / 1e3);
        value(
                measurement + ": Redis time in scripts, µs/job",
                who,
                answer.path("redis_script_nanos").asDouble() / jobs / 1e3);
        value(
                measurement + ": reads by Redis/job",
                who,
                answer.path("redis_reads").asDouble() / jobs);
        value(
                measurement + ": script calls/job",
                who,
                answer.path("redis_script_calls").asDouble() / jobs);
    }

    static double millis(JsonNode answer, String field) {
        return answer.path(field).asDouble(Double.NaN) / 1e6;
    }

    /** Adds a line to the results; an answer without a figure is a failure. */
    void line(String measurement, String who, JsonNode answer) {
        if (answer.has("error") || answer.has("unsupported")) {
            throw new IllegalStateException(answer.toString());
        }
        results.line(measurement, side.apply(who), round, (ObjectNode) answer);
    }

    int warmUps() {
        return options.quick() ? 1 : WARM_UPS;
    }

    void warmUp(ChildProcess jobs) {
        for (int i = 0; i < warmUps(); i++) {
            jobs.ask("drain", WARM_UP, 10, Arguments.STANDARD);
        }
    }

    void warmUpJobs(ChildProcess child) {
        for (int i = 0; i < warmUps(); i++) {
            server.clear();
            child.ask("fill", WARM_UP, 1, Arguments.STANDARD);
            child.ask("drain", WARM_UP, 10, "default");
        }
        server.clear();
    }

    ChildProcess driver(String log, Class<?> type) throws IOException {
        return child(log, "", DriverMain.class.getName(), type.getName());
    }

    ChildProcess jobs(String log) throws IOException {
        return jobs(log, "");
    }

    /** @param javaOptions separated by spaces */
    ChildProcess jobs(String log, String javaOptions) throws IOException {
        return child(log, javaOptions, JobsProcessMain.class.getName());
    }

    /** A JVM with several shards. */
    ChildProcess shards(String log) throws IOException {
        return child(log, "", ShardsMain.class.getName());
    }

    /** A JVM for many engines. */
    ChildProcess fleet(String log) throws IOException {
        return child(log, "-Xss256k -Xmx2g", FleetMain.class.getName());
    }

    private ChildProcess child(String log, String javaOptions, String... mainAndArguments) throws IOException {
        return child(options.home().resolve("harness"), log, javaOptions, mainAndArguments);
    }

    /** A JVM with the class path of a module. The address of Redis is its last argument. */
    ChildProcess child(Path module, String log, String javaOptions, String... mainAndArguments) throws IOException {
        List<String> command = RegisteredDriver.java(module, javaOptions, mainAndArguments);
        command.add(redis);
        return ChildProcess.start(command, options.home().resolve("harness/target/logs/jobs-" + log + ".log"));
    }

    long processed() {
        String text = server.ask("GET stat:processed");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    void awaitProcessed(long jobs) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (long done = processed(); done < jobs; done = processed()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("only " + done + " of " + jobs + " jobs were run");
            }
            Pauses.pause(LOOK);
        }
    }
}
