package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.contest.ContestantMain;
import dev.jobs.benchmarks.contest.RedisServer;
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
final class Wide {

    private static final int WARM_UP = 200_000;
    private static final int WARM_UPS = 5;
    private static final int DUE_JOBS = 200;
    private static final int LATE_WARM_UP = 100_000;
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(120).toNanos();

    private static final Map<String, Measurement> ALL = new LinkedHashMap<>();

    static {
        ALL.put("concurrency", Wide::concurrency);
        ALL.put("short-jobs", Wide::shortJobs);
        ALL.put("virtual-threads", Wide::virtualThreads);
        ALL.put("due-at-once", Wide::dueAtOnce);
        ALL.put("queues", Wide::queues);
        ALL.put("backlog", Wide::backlog);
        ALL.put("payload", Wide::payload);
        ALL.put("latency-between-processes", Wide::latencyBetweenProcesses);
        ALL.put("lateness-of-processes", Wide::latenessOfProcesses);
        ALL.put("fairness", Wide::fairness);
        ALL.put("scaling", Wide::scaling);
        ALL.put("idle", Wide::idle);
        ALL.put("footprint", Wide::footprint);
    }

    static final List<String> MEASUREMENTS = List.copyOf(ALL.keySet());

    private final Options options;
    private final String redis;
    private final RedisServer server;
    private final Results results;
    private int round;

    Wide(Options options, String redis, Results results) {
        this.options = options;
        this.redis = redis;
        this.server = new RedisServer(redis);
        this.results = results;
    }

    /** One measurement. */
    private interface Measurement {
        void take(Wide wide) throws IOException;
    }

    void measure() {
        Rounds.of(options, results, "wide").forEach(number -> {
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
    private <T> List<T> inTurn(List<T> variants) {
        List<T> turned = new ArrayList<>(variants);
        Collections.rotate(turned, -(round - 1));
        return turned;
    }

    private void concurrency() throws IOException {
        try (Child jobs = contestant("concurrency", JobsContestant.class)) {
            warmUp(jobs);
            for (int concurrency : inTurn(List.of(10, 1, 50))) {
                JsonNode answer = jobs.ask(
                        "drain", options.dose(options.quick() && concurrency == 1 ? 50_000 : 200_000), concurrency);
                drained("concurrency", "concurrency " + concurrency, answer);
            }
        }
    }

    private void shortJobs() throws IOException {
        try (Child jobs = contestant("short-jobs", JobsContestant.class)) {
            warmUp(jobs);
            for (int concurrency : inTurn(List.of(10, 25, 100))) {
                slept("short-jobs", "1 ms, " + concurrency, jobs, concurrency * options.dose(2_000), concurrency, 1);
            }
        }
    }

    private void virtualThreads() throws IOException {
        try (Child jobs = contestant("virtual-threads", VirtualJobsContestant.class)) {
            JsonNode first = jobs.ask("drain", WARM_UP, 1_000);
            if (first.has("unsupported")) {
                results.note("jobs", "virtual-threads", first.get("unsupported").asString());
                return;
            }
            slept("virtual-threads", "10 ms, 1,000 virtual", jobs, 100_000, 1_000, 10);
        }
    }

    /** Compares with the same jobs on bare threads and with the arithmetic limit: concurrency / duration. */
    private void slept(String measurement, String who, Child jobs, int count, int concurrency, int millis) {
        JsonNode answer = jobs.ask("work", count, concurrency, millis);
        line(measurement, who, answer);
        double nanos = answer.path("nanos").asDouble(Double.NaN);
        double least = (double) count / concurrency * millis * 1e6;
        results.value("sleeping jobs: jobs/s", who, round, Contest.perSecond(answer));
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
        try (Child jobs = contestant("due-at-once", JobsContestant.class)) {
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
        variants.put("1 queue", NodeMain.strict(1));
        variants.put("5 queues, strict", NodeMain.strict(5));
        variants.put("5 queues, weighted", NodeMain.weighted(5));
        variants.put("20 queues, strict", NodeMain.strict(20));
        try (Child node = node("queues")) {
            warmUpNode(node);
            for (Map.Entry<String, String> variant : inTurn(List.copyOf(variants.entrySet()))) {
                server.clear();
                int jobs = options.dose(100_000);
                node.ask("fill", jobs, variant.getValue().split(";").length, 0);
                drained("queues", variant.getKey(), node.ask("drain", jobs, 10, variant.getValue()));
            }
        }
    }

    /** The same number of jobs, taken from queues with more and more other jobs behind them. */
    private void backlog() throws IOException {
        try (Child node = node("backlog")) {
            warmUpNode(node);
            int jobs = options.dose(50_000);
            for (int waiting : inTurn(List.of(1_000, 100_000, options.quick() ? 300_000 : 1_000_000))) {
                server.clear();
                node.ask("fill", waiting + jobs, 1, 0);
                drained(
                        "backlog",
                        String.format("%,d waiting behind", waiting),
                        node.ask("drain", jobs, 10, "default"));
            }
        }
    }

    private void payload() throws IOException {
        try (Child node = node("payload")) {
            warmUpNode(node);
            for (int bytes : inTurn(List.of(100, 1_000, 100_000))) {
                server.clear();
                int jobs = bytes < 100_000 ? options.dose(50_000) : options.dose(5_000);
                node.ask("fill", jobs, 1, bytes);
                drained("payload", String.format("%,d bytes", bytes), node.ask("drain", jobs, 10, "default"));
            }
        }
    }

    private void latencyBetweenProcesses() throws IOException {
        int samples = options.dose(2_000);
        try (Child worker = node("latency-worker");
                Child producer = node("latency-producer")) {
            warmUpNode(worker);
            worker.ask("serve", 10, "default");
            producer.ask("send", 100 + samples);
            awaitProcessed(100 + samples);
            JsonNode answer = worker.ask("arrivals", 100);
            line("latency-between-processes", "jobs", answer);
            results.value("latency between processes: p50, µs", "jobs", round, millis(answer, "p50_nanos") * 1e3);
            results.value("latency between processes: p99, µs", "jobs", round, millis(answer, "p99_nanos") * 1e3);
        }
    }

    /** Single due jobs, each from its instant to its method, in the first ten seconds of all processes and when they are warm. */
    private void latenessOfProcesses() throws IOException {
        try (Child producer = node("lateness-producer")) {
            warmUpNode(producer);
            for (int processes : inTurn(List.of(1, 5, 20))) {
                server.clear();
                List<Child> nodes = new ArrayList<>();
                try {
                    for (int i = 0; i < processes; i++) {
                        nodes.add(node("lateness-" + i));
                    }
                    nodes.parallelStream().forEach(each -> each.ask("serve", 10, "default"));
                    String who = processes + (processes == 1 ? " process" : " processes");
                    late(who + ", just started", producer, nodes);
                    int warmUp = options.dose(LATE_WARM_UP) * processes;
                    long before = processed();
                    producer.ask("fill", warmUp, 1, 0);
                    awaitProcessed(before + warmUp);
                    late(who + ", warm", producer, nodes);
                } finally {
                    nodes.forEach(Child::close);
                }
            }
        }
    }

    private void late(String who, Child producer, List<Child> nodes) {
        int jobs = options.dose(DUE_JOBS);
        long before = processed();
        long since = producer.ask("due", jobs, 10_000).get("since").asLong();
        awaitProcessed(before + jobs);
        Pauses.pause(LOOK); // by now Redis and its process have counted the last job
        List<Long> waits = nodes.stream()
                .flatMap(each ->
                        Stream.of(each.ask("waits", since).get("waits").asString().split(",")))
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
            try (Child one = node("fairness-1");
                    Child other = node("fairness-2")) {
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
            List<Child> nodes = new ArrayList<>();
            try {
                for (int i = 0; i < processes; i++) {
                    nodes.add(node("scaling-" + i));
                }
                scale(nodes);
            } finally {
                nodes.forEach(Child::close);
            }
        }
    }

    /** The time for the middle part of the jobs, when all processes are certainly working. */
    private void scale(List<Child> nodes) {
        String who = nodes.size() + (nodes.size() == 1 ? " process" : " processes");
        int warmUp = WARM_UP * nodes.size();
        int jobs = options.dose(150_000);
        nodes.forEach(node -> node.ask("serve", 10, "default"));
        nodes.get(0).ask("fill", warmUp, 1, 0);
        awaitProcessed(warmUp);
        server.ask("SADD paused default");
        nodes.get(0).ask("fill", jobs, 1, 0);
        Map<String, Long> before = server.counters();
        server.ask("SREM paused default");
        nodes.get(0).ask("fill", 1, 1, 0);
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
        try (Child node = node("idle")) {
            node.ask("serve", 10, "default");
            node.ask("fill", 100, 1, 0);
            awaitProcessed(100);
            node.ask("idle", 3);
            JsonNode answer = node.ask("idle", options.dose(10));
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

    private void footprint() throws IOException {
        try (Child node = node("footprint")) {
            footprint("client not used yet", node);
            started("first start", node);
            footprint("engine with 10 threads", node);
            node.ask("stop");
            warmUpNode(node);
            started("later start", node);
            footprint("after 60,000 jobs (20,000 if quick)", node);
        }
    }

    private void started(String who, Child node) {
        JsonNode answer = node.ask("serve", 10, "default");
        line("footprint", who, answer);
        results.value("engine: ms to its start", who, round, millis(answer, "start_nanos"));
    }

    private void footprint(String who, Child node) {
        JsonNode answer = node.ask("footprint");
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

    private void drained(String measurement, String who, JsonNode answer) {
        line(measurement, who, answer);
        double jobs = answer.path("jobs").asDouble();
        results.value(measurement + ": jobs/s", who, round, Contest.perSecond(answer));
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
    private void line(String measurement, String who, JsonNode answer) {
        if (answer.has("error") || answer.has("unsupported")) {
            throw new IllegalStateException(answer.toString());
        }
        results.line(measurement, who, round, (ObjectNode) answer);
    }

    private int warmUps() {
        return options.quick() ? 1 : WARM_UPS;
    }

    private void warmUp(Child jobs) {
        for (int i = 0; i < warmUps(); i++) {
            jobs.ask("drain", WARM_UP, 10);
        }
    }

    private void warmUpNode(Child node) {
        for (int i = 0; i < warmUps(); i++) {
            server.clear();
            node.ask("fill", WARM_UP, 1, 0);
            node.ask("drain", WARM_UP, 10, "default");
        }
        server.clear();
    }

    private Child contestant(String log, Class<?> type) throws IOException {
        return child(log, ContestantMain.class.getName(), type.getName());
    }

    private Child node(String log) throws IOException {
        return child(log, NodeMain.class.getName());
    }

    private Child child(String log, String... mainAndArguments) throws IOException {
        Path harness = options.home().resolve("harness");
        List<String> command = Entrant.java(harness, "", mainAndArguments);
        command.add(redis);
        return Child.start(command, harness.resolve("target/logs/wide-" + log + ".log"));
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
