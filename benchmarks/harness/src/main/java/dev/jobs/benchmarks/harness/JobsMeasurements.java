package dev.jobs.benchmarks.harness;

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
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** More measurements of this library alone. Each has its own processes and an empty store. */
final class JobsMeasurements {

    private static final int WARM_UP = 200_000;
    private static final int WARM_UPS = 5;
    private static final int DUE_JOBS = 200;
    private static final int LATE_WARM_UP = 100_000;
    private static final int BATCH = 500_000;
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(120).toNanos();

    private static final Map<String, Measurement> ALL = new LinkedHashMap<>();

    static {
        ALL.put("concurrency", JobsMeasurements::concurrency);
        ALL.put("short-jobs", JobsMeasurements::shortJobs);
        ALL.put("virtual-threads", JobsMeasurements::virtualThreads);
        ALL.put("due-at-once", JobsMeasurements::dueAtOnce);
        ALL.put("queues", JobsMeasurements::queues);
        ALL.put("backlog", JobsMeasurements::backlog);
        ALL.put("payload", JobsMeasurements::payload);
        ALL.put("latency-between-processes", JobsMeasurements::latencyBetweenProcesses);
        ALL.put("lateness-of-processes", JobsMeasurements::latenessOfProcesses);
        ALL.put("fairness", JobsMeasurements::fairness);
        ALL.put("scaling", JobsMeasurements::scaling);
        ALL.put("idle", JobsMeasurements::idle);
        ALL.put("footprint", JobsMeasurements::footprint);
        ALL.put("batch", JobsMeasurements::batch);
        ALL.put("batch-kill", JobsMeasurements::batchKill);
    }

    static final List<String> MEASUREMENTS = List.copyOf(ALL.keySet());

    private final Options options;
    private final String redis;
    private final RedisServer server;
    private final Results results;
    private int round;

    JobsMeasurements(Options options, String redis, Results results) {
        this.options = options;
        this.redis = redis;
        this.server = new RedisServer(redis);
        this.results = results;
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
                    take(name, measurement);
                }
            });
        });
        server.clear();
    }

    private void take(String name, Measurement measurement) {
        try {
            server.clear();
            measurement.take(this);
        } catch (IOException | RuntimeException e) {
            results.note("jobs", name, String.valueOf(e.getMessage()));
        }
    }

    /** Rotates the first variant with the rounds, since the first runs on a colder machine than the last. */
    <T> List<T> inTurn(List<T> variants) {
        List<T> turned = new ArrayList<>(variants);
        Collections.rotate(turned, -(round - 1));
        return turned;
    }

    private void concurrency() throws IOException {
        try (ChildProcess jobs = driver("concurrency", JobsDriver.class)) {
            warmUp(jobs);
            for (int concurrency : inTurn(List.of(10, 1, 50))) {
                JsonNode answer = jobs.ask(
                        "drain", options.dose(options.quick() && concurrency == 1 ? 50_000 : 200_000), concurrency);
                drained("concurrency", "concurrency " + concurrency, answer);
            }
        }
    }

    private void shortJobs() throws IOException {
        try (ChildProcess jobs = driver("short-jobs", JobsDriver.class)) {
            warmUp(jobs);
            for (int concurrency : inTurn(List.of(10, 25, 100))) {
                slept("short-jobs", "1 ms, " + concurrency, jobs, concurrency * options.dose(2_000), concurrency, 1);
            }
        }
    }

    private void virtualThreads() throws IOException {
        try (ChildProcess jobs = driver("virtual-threads", VirtualThreadsDriver.class)) {
            JsonNode first = jobs.ask("drain", WARM_UP, 1_000);
            if (first.has("unsupported")) {
                results.note("jobs", "virtual-threads", first.get("unsupported").asString());
                return;
            }
            slept("virtual-threads", "10 ms, 1,000 virtual", jobs, 100_000, 1_000, 10);
        }
    }

    /** Compares with the same jobs on bare threads and with the arithmetic limit: concurrency / duration. */
    private void slept(String measurement, String who, ChildProcess jobs, int count, int concurrency, int millis) {
        JsonNode answer = jobs.ask("work", count, concurrency, millis);
        line(measurement, who, answer);
        double nanos = answer.path("nanos").asDouble(Double.NaN);
        double least = (double) count / concurrency * millis * 1e6;
        results.value("sleeping jobs: jobs/s", who, round, Comparison.perSecond(answer));
        results.value("sleeping jobs: share of arithmetic limit", who, round, least / nanos);
        results.value(
                "sleeping jobs: share of bare threads",
                who,
                round,
                answer.path("bare_nanos").asDouble() / nanos);
        results.value(
                "bare threads: share of arithmetic limit",
                who,
                round,
                least / answer.path("bare_nanos").asDouble());
    }

    private void dueAtOnce() throws IOException {
        try (ChildProcess jobs = driver("due-at-once", JobsDriver.class)) {
            warmUp(jobs);
            for (int i = 0; i < warmUps(); i++) {
                jobs.ask("due", 10_000, 10);
            }
            JsonNode answer = jobs.ask("due", 10_000, 10);
            line("due-at-once", "jobs", answer);
            results.value("10,000 due at once: ms to the first", "jobs", round, millis(answer, "first_nanos"));
            results.value("10,000 due at once: ms to the last", "jobs", round, millis(answer, "nanos"));
        }
    }

    private void queues() throws IOException {
        Map<String, String> variants = new LinkedHashMap<>();
        variants.put("1 queue", JobsProcessMain.strict(1));
        variants.put("5 queues, strict", JobsProcessMain.strict(5));
        variants.put("5 queues, weighted", JobsProcessMain.weighted(5));
        variants.put("20 queues, strict", JobsProcessMain.strict(20));
        try (ChildProcess child = jobs("queues")) {
            warmUpJobs(child);
            for (Map.Entry<String, String> variant : inTurn(List.copyOf(variants.entrySet()))) {
                server.clear();
                int jobs = options.dose(100_000);
                child.ask("fill", jobs, variant.getValue().split(";").length, 0);
                drained("queues", variant.getKey(), child.ask("drain", jobs, 10, variant.getValue()));
            }
        }
    }

    /** The same number of jobs, taken from queues with more and more other jobs behind them. */
    private void backlog() throws IOException {
        try (ChildProcess child = jobs("backlog")) {
            warmUpJobs(child);
            int jobs = options.dose(50_000);
            for (int waiting : inTurn(List.of(1_000, 100_000, options.quick() ? 300_000 : 1_000_000))) {
                server.clear();
                child.ask("fill", waiting + jobs, 1, 0);
                drained(
                        "backlog",
                        String.format("%,d waiting behind", waiting),
                        child.ask("drain", jobs, 10, "default"));
            }
        }
    }

    private void payload() throws IOException {
        try (ChildProcess child = jobs("payload")) {
            warmUpJobs(child);
            for (int bytes : inTurn(List.of(100, 1_000, 100_000))) {
                server.clear();
                int jobs = bytes < 100_000 ? options.dose(50_000) : options.dose(5_000);
                child.ask("fill", jobs, 1, bytes);
                drained("payload", String.format("%,d bytes", bytes), child.ask("drain", jobs, 10, "default"));
            }
        }
    }

    private void latencyBetweenProcesses() throws IOException {
        int samples = options.dose(2_000);
        try (ChildProcess worker = jobs("latency-worker");
                ChildProcess producer = jobs("latency-producer")) {
            warmUpJobs(worker);
            worker.ask("serve", 10, "default");
            producer.ask("send", 100 + samples);
            awaitProcessed(100 + samples);
            JsonNode answer = worker.ask("arrivals", 100);
            line("latency-between-processes", "jobs", answer);
            results.value("latency between processes: p50, µs", "jobs", round, millis(answer, "p50_nanos") * 1e3);
            results.value("latency between processes: p99, µs", "jobs", round, millis(answer, "p99_nanos") * 1e3);
        }
    }

    /**
     * Single due jobs, each from its instant to its method, in the first ten seconds of all processes and when they are
     * warm.
     */
    private void latenessOfProcesses() throws IOException {
        try (ChildProcess producer = jobs("lateness-producer")) {
            warmUpJobs(producer);
            for (int processes : inTurn(List.of(1, 5, 20))) {
                server.clear();
                List<ChildProcess> children = new ArrayList<>();
                try {
                    for (int i = 0; i < processes; i++) {
                        children.add(jobs("lateness-" + i));
                    }
                    children.parallelStream().forEach(each -> each.ask("serve", 10, "default"));
                    String who = processes + (processes == 1 ? " process" : " processes");
                    late(who + ", just started", producer, children);
                    int warmUp = options.dose(LATE_WARM_UP) * processes;
                    long before = processed();
                    producer.ask("fill", warmUp, 1, 0);
                    awaitProcessed(before + warmUp);
                    late(who + ", warm", producer, children);
                } finally {
                    children.forEach(ChildProcess::close);
                }
            }
        }
    }

    private void late(String who, ChildProcess producer, List<ChildProcess> children) {
        int jobs = options.dose(DUE_JOBS);
        long before = processed();
        long since = producer.ask("due", jobs, 10_000).get("since").asLong();
        awaitProcessed(before + jobs);
        Pauses.pause(LOOK); // by now Redis and its process have counted the last job
        List<Long> waits = children.stream()
                .flatMap(each -> Stream.of(
                        each.ask("waits", since).get("waits").asString().split(",")))
                .filter(wait -> !wait.isEmpty())
                .map(Long::valueOf)
                .sorted()
                .toList();
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("jobs", waits.size());
        Map.of("p50", 0.5, "p99", 0.99, "max", 1.0).forEach((name, share) -> {
            long nanos = waits.get((int) Math.min(waits.size() - 1, Math.floor(share * waits.size())));
            line.put(name + "_nanos", nanos);
            results.value("lateness of processes: " + name + ", ms", who, round, nanos / 1e6);
        });
        results.line("lateness-of-processes", who, round, line);
    }

    /** One job of 5 s among 1,000 of 1 ms, two processes: no short job may wait for the long one. */
    private void fairness() throws IOException {
        for (int concurrency : inTurn(List.of(1, 10))) {
            server.clear();
            String who = "2 processes with " + concurrency;
            try (ChildProcess one = jobs("fairness-1");
                    ChildProcess other = jobs("fairness-2")) {
                one.ask("serve", concurrency, "default");
                other.ask("serve", concurrency, "default");
                one.ask("fill", 4_000, 1, 0);
                awaitProcessed(4_000);
                one.ask("fill-mixed", 1_000, 1, 5_000);
                awaitProcessed(4_000 + 1_001);
                JsonNode ofOne = one.ask("starts");
                JsonNode ofOther = other.ask("starts");
                long begun =
                        Math.max(ofOne.get("long").asLong(), ofOther.get("long").asLong());
                List<Long> starts = Stream.of(ofOne, ofOther)
                        .flatMap(answer ->
                                Stream.of(answer.get("starts").asString().split(",")))
                        .filter(start -> !start.isEmpty())
                        .map(Long::valueOf)
                        .sorted()
                        .toList();
                long longestGap = 0;
                for (int i = 1; i < starts.size(); i++) {
                    longestGap = Math.max(longestGap, starts.get(i) - starts.get(i - 1));
                }
                ObjectNode line = JsonNodeFactory.instance.objectNode();
                line.put("jobs", starts.size())
                        .put("last_start_nanos", starts.get(starts.size() - 1) - begun)
                        .put("longest_gap_nanos", longestGap);
                results.line("fairness", who, round, line);
                results.value(
                        "beside a job of 5 s: ms to the start of the last",
                        who,
                        round,
                        line.get("last_start_nanos").asDouble() / 1e6);
                results.value("beside a job of 5 s: longest ms without a start", who, round, longestGap / 1e6);
            }
        }
    }

    private void scaling() throws IOException {
        for (int processes : inTurn(List.of(1, 2, 4, 8))) {
            server.clear();
            List<ChildProcess> children = new ArrayList<>();
            try {
                for (int i = 0; i < processes; i++) {
                    children.add(jobs("scaling-" + i));
                }
                scale(children);
            } finally {
                children.forEach(ChildProcess::close);
            }
        }
    }

    /** The time for the middle part of the jobs, when all processes are certainly working. */
    private void scale(List<ChildProcess> children) {
        String who = children.size() + (children.size() == 1 ? " process" : " processes");
        int warmUp = WARM_UP * children.size();
        int jobs = options.dose(150_000);
        children.forEach(child -> child.ask("serve", 10, "default"));
        children.get(0).ask("fill", warmUp, 1, 0);
        awaitProcessed(warmUp);
        server.ask("SADD paused default");
        children.get(0).ask("fill", jobs, 1, 0);
        Map<String, Long> before = server.counters();
        server.ask("SREM paused default");
        children.get(0).ask("fill", 1, 1, 0);
        int from = warmUp + jobs / 10;
        int to = warmUp + jobs / 10 * 9;
        awaitProcessed(from);
        long begin = System.nanoTime();
        long first = processed();
        awaitProcessed(to);
        long last = processed();
        long nanos = System.nanoTime() - begin;
        awaitProcessed(warmUp + jobs + 1);
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("jobs", last - first).put("nanos", nanos);
        server.since(before).forEach(line::put);
        results.line("scaling", who, round, line);
        results.value("scaling: jobs/s", who, round, (last - first) * 1e9 / nanos);
        results.value(
                "scaling: Redis CPU, µs/job",
                who,
                round,
                line.get("redis_cpu_nanos").asDouble() / jobs / 1e3);
    }

    private void idle() throws IOException {
        try (ChildProcess child = jobs("idle")) {
            child.ask("serve", 10, "default");
            child.ask("fill", 100, 1, 0);
            awaitProcessed(100);
            child.ask("idle", 3);
            JsonNode answer = child.ask("idle", options.dose(10));
            line("idle", "jobs", answer);
            double seconds = answer.path("seconds").asDouble();
            results.value(
                    "idle: script calls/s",
                    "jobs",
                    round,
                    answer.path("redis_script_calls").asDouble() / seconds);
            results.value(
                    "idle: commands/s",
                    "jobs",
                    round,
                    answer.path("redis_commands").asDouble() / seconds);
            results.value(
                    "idle: worker CPU, ms/s",
                    "jobs",
                    round,
                    answer.path("cpu_nanos").asDouble() / 1e6 / seconds);
        }
    }

    private void batch() throws IOException {
        new BatchMeasurement(this, server, results, round, options.dose(BATCH)).take();
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

    private void footprint() throws IOException {
        try (ChildProcess child = jobs("footprint")) {
            footprint("client not used yet", child);
            started("first start", child);
            footprint("engine with 10 threads", child);
            child.ask("stop");
            warmUpJobs(child);
            started("later start", child);
            footprint("after 60,000 jobs (20,000 if quick)", child);
        }
    }

    private void started(String who, ChildProcess child) {
        JsonNode answer = child.ask("serve", 10, "default");
        line("footprint", who, answer);
        results.value("engine: ms to its start", who, round, millis(answer, "start_nanos"));
    }

    private void footprint(String who, ChildProcess child) {
        JsonNode answer = child.ask("footprint");
        line("footprint", who, answer);
        double mega = 1 << 20;
        results.value(
                "process: heap after GC, MiB",
                who,
                round,
                answer.path("heap_bytes").asDouble() / mega);
        results.value(
                "process: resident, MiB",
                who,
                round,
                answer.path("resident_bytes").asDouble(Double.NaN) / mega);
        results.value("process: threads", who, round, answer.path("threads").asDouble());
    }

    void drained(String measurement, String who, JsonNode answer) {
        line(measurement, who, answer);
        double jobs = answer.path("jobs").asDouble();
        results.value(measurement + ": jobs/s", who, round, Comparison.perSecond(answer));
        results.value(
                measurement + ": worker CPU, µs/job",
                who,
                round,
                answer.path("cpu_nanos").asDouble() / jobs / 1e3);
        results.value(
                measurement + ": Redis time in scripts, µs/job",
                who,
                round,
                answer.path("redis_script_nanos").asDouble() / jobs / 1e3);
        results.value(
                measurement + ": reads by Redis/job",
                who,
                round,
                answer.path("redis_reads").asDouble() / jobs);
        results.value(
                measurement + ": script calls/job",
                who,
                round,
                answer.path("redis_script_calls").asDouble() / jobs);
    }

    private static double millis(JsonNode answer, String field) {
        return answer.path(field).asDouble(Double.NaN) / 1e6;
    }

    /** Adds a line to the results; an answer without a figure is a failure. */
    void line(String measurement, String who, JsonNode answer) {
        if (answer.has("error") || answer.has("unsupported")) {
            throw new IllegalStateException(answer.toString());
        }
        results.line(measurement, who, round, (ObjectNode) answer);
    }

    private int warmUps() {
        return options.quick() ? 1 : WARM_UPS;
    }

    private void warmUp(ChildProcess jobs) {
        for (int i = 0; i < warmUps(); i++) {
            jobs.ask("drain", WARM_UP, 10);
        }
    }

    void warmUpJobs(ChildProcess child) {
        for (int i = 0; i < warmUps(); i++) {
            server.clear();
            child.ask("fill", WARM_UP, 1, 0);
            child.ask("drain", WARM_UP, 10, "default");
        }
        server.clear();
    }

    private ChildProcess driver(String log, Class<?> type) throws IOException {
        return child(log, "", DriverMain.class.getName(), type.getName());
    }

    private ChildProcess jobs(String log) throws IOException {
        return jobs(log, "");
    }

    /** @param javaOptions separated by spaces */
    ChildProcess jobs(String log, String javaOptions) throws IOException {
        return child(log, javaOptions, JobsProcessMain.class.getName());
    }

    private ChildProcess child(String log, String javaOptions, String... mainAndArguments) throws IOException {
        Path harness = options.home().resolve("harness");
        List<String> command = RegisteredDriver.java(harness, javaOptions, mainAndArguments);
        command.add(redis);
        return ChildProcess.start(command, harness.resolve("target/logs/jobs-" + log + ".log"));
    }

    private long processed() {
        String text = server.ask("GET stat:processed");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private void awaitProcessed(long jobs) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (long done = processed(); done < jobs; done = processed()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("only " + done + " of " + jobs + " jobs were run");
            }
            Pauses.pause(LOOK);
        }
    }
}
