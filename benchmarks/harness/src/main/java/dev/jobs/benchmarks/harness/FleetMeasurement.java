package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.Quantiles;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a job and an idle worker cost one Redis when 1 to 300 workers of 25 threads serve the same queue. Each
 * worker is an engine; a hundred of them share a JVM. What counts are Redis's calls and its processor time: the rates
 * are those of a machine that simulates all of them.
 */
final class FleetMeasurement {

    private static final int THREADS = 25;
    private static final int IN_ONE_JVM = 100;
    private static final String QUEUE = "default";
    private static final Duration CALM = Duration.ofSeconds(15);
    private static final Duration SETTLED = Duration.ofSeconds(1);
    private static final Duration SIGHT = Duration.ofMillis(200);

    private final JobsMeasurements wide;
    private final Options options;
    private final RedisServer server;

    FleetMeasurement(JobsMeasurements wide) {
        this.wide = wide;
        this.options = wide.options();
        this.server = wide.server();
    }

    void take() throws IOException {
        try (ChildProcess producer = wide.jobs("fleet-producer")) {
            wide.warmUpJobs(producer);
            for (int workers : wide.inTurn(options.quick() ? List.of(1, 2, 300) : List.of(1, 2, 10, 100, 300))) {
                server.clear();
                List<ChildProcess> jvms = new ArrayList<>();
                try {
                    for (int left = workers; left > 0; left -= IN_ONE_JVM) {
                        jvms.add(wide.fleet("fleet-" + workers + "-" + jvms.size()));
                    }
                    new Fleet(workers, producer, jvms).measure();
                } finally {
                    jvms.forEach(ChildProcess::close);
                }
            }
        }
    }

    /** Some workers, and who enqueues their jobs. */
    private final class Fleet {

        private final int workers;
        private final String who;
        private final ChildProcess producer;
        private final List<ChildProcess> jvms;
        private double idleCpuNanosPerSecond;
        private double idleCallsPerSecond;

        Fleet(int workers, ChildProcess producer, List<ChildProcess> jvms) {
            this.workers = workers;
            this.who = workers + (workers == 1 ? " worker" : " workers");
            this.producer = producer;
            this.jvms = jvms;
        }

        void measure() {
            start();
            warmUp();
            idle();
            Leaders leaders = new Leaders();
            latency();
            lateness();
            wide.value("fleet, idle: leaders seen", who, leaders.seen());
            leaders = new Leaders();
            steady();
            drain(options.dose(100_000), 0);
            drain(options.dose(50_000), 5);
            wide.value("fleet, with jobs: leaders seen", who, leaders.seen());
            rollingRestart();
        }

        private void start() {
            long begin = System.nanoTime();
            Map<String, Long> before = server.counters();
            for (int i = 0; i < jvms.size(); i++) {
                int share = Math.min(IN_ONE_JVM, workers - i * IN_ONE_JVM);
                ok(jvms.get(i).ask("start", share, THREADS, QUEUE));
            }
            ObjectNode line = line(before, System.nanoTime() - begin);
            line.put("connections", connections()).put("threads", threads());
            wide.line("fleet, start", who, line);
            wide.value(
                    "fleet: connections of a worker",
                    who,
                    line.path("connections").asDouble() / workers);
            wide.value(
                    "fleet, start: Redis CPU, ms per worker",
                    who,
                    line.path("redis_cpu_nanos").asDouble() / workers / 1e6);
        }

        private void warmUp() {
            for (int i = 0; i < 2; i++) {
                long before = wide.processed();
                int jobs = options.dose(100_000);
                producer.ask("fill", jobs, 1, Arguments.STANDARD);
                wide.awaitProcessed(before + jobs);
            }
            Pauses.pause(CALM);
        }

        private void idle() {
            Map<String, Long> before = server.counters();
            long begin = System.nanoTime();
            Pauses.pause(Duration.ofSeconds(options.dose(20)));
            ObjectNode line = line(before, System.nanoTime() - begin);
            line.put("threads", threads());
            wide.line("fleet, idle", who, line);
            double seconds = line.path("nanos").asDouble() / 1e9;
            idleCpuNanosPerSecond = line.path("redis_cpu_nanos").asDouble() / seconds;
            idleCallsPerSecond = line.path("redis_script_calls").asDouble() / seconds;
            wide.value("fleet, idle: script calls/s of a worker", who, idleCallsPerSecond / workers);
            wide.value(
                    "fleet, idle: commands/s of a worker, also in scripts",
                    who,
                    line.path("redis_commands").asDouble() / seconds / workers);
            wide.value("fleet, idle: Redis CPU, µs/s of a worker", who, idleCpuNanosPerSecond / workers / 1e3);
            wide.value("fleet, idle: Redis CPU of all, share of a core", who, idleCpuNanosPerSecond / 1e9);
            wide.value("fleet, idle: threads of a worker", who, (double) threads() / workers);
        }

        private void latency() {
            jvms.forEach(jvm -> jvm.ask("count"));
            int jobs = options.dose(300);
            long before = wide.processed();
            producer.ask("send", jobs);
            wide.awaitProcessed(before + jobs);
            waits("latency");
        }

        private void lateness() {
            jvms.forEach(jvm -> jvm.ask("count"));
            int jobs = options.dose(200);
            long before = wide.processed();
            producer.ask("due", jobs, options.dose(10_000));
            wide.awaitProcessed(before + jobs);
            waits("lateness");
        }

        private void waits(String what) {
            Pauses.pause(JobsMeasurements.LOOK); // by now Redis and its process have counted the last job
            List<Long> waits = jvms.stream()
                    .flatMap(jvm ->
                            Stream.of(jvm.ask("waits").get("waits").asString().split(",")))
                    .filter(wait -> !wait.isEmpty())
                    .map(Long::valueOf)
                    .toList();
            Quantiles quantiles = new Quantiles(waits);
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("jobs", waits.size());
            Map.of("p50", 0.5, "p99", 0.99, "max", 1.0).forEach((name, share) -> {
                line.put(name + "_nanos", quantiles.at(share));
                wide.value("fleet, " + what + ": " + name + ", ms", who, quantiles.at(share) / 1e6);
            });
            wide.line("fleet, " + what, who, line);
        }

        /** The same rate for any number of workers, so that what a job costs can be compared. */
        private void steady() {
            int jobs = options.dose(4_000);
            long processed = wide.processed();
            Map<String, Long> before = server.counters();
            long begin = System.nanoTime();
            ok(producer.ask("steady", jobs, 200, 5));
            wide.awaitProcessed(processed + jobs);
            perJob("steady, 200/s of 5 ms", line(before, System.nanoTime() - begin), jobs);
        }

        private void drain(int jobs, int millis) {
            server.ask("SADD paused " + QUEUE);
            if (millis == 0) {
                producer.ask("fill", jobs, 1, Arguments.STANDARD);
            } else {
                producer.ask("fill-sleeping", jobs, millis);
            }
            Pauses.pause(SETTLED);
            long processed = wide.processed();
            Map<String, Long> before = server.counters();
            long begin = System.nanoTime();
            server.ask("SREM paused " + QUEUE);
            producer.ask("fill", 1, 1, Arguments.STANDARD); // rings
            wide.awaitProcessed(processed + jobs + 1);
            ObjectNode line = line(before, System.nanoTime() - begin);
            String what = "drain, " + millis + " ms each";
            perJob(what, line, jobs);
            wide.value(
                    "fleet, " + what + ": jobs/s",
                    who,
                    jobs * 1e9 / line.path("nanos").asDouble());
        }

        /** What idle workers cost is taken off, except from the totals. */
        private void perJob(String what, ObjectNode line, int jobs) {
            double seconds = line.path("nanos").asDouble() / 1e9;
            line.put("jobs", jobs);
            wide.line("fleet, " + what, who, line);
            double cpu = line.path("redis_cpu_nanos").asDouble();
            double calls = line.path("redis_script_calls").asDouble();
            String title = "fleet, " + what + ": ";
            wide.value(title + "script calls/job", who, calls / jobs);
            wide.value(title + "script calls/job beyond idle", who, (calls - seconds * idleCallsPerSecond) / jobs);
            wide.value(
                    title + "commands/job, also in scripts",
                    who,
                    line.path("redis_commands").asDouble() / jobs);
            wide.value(title + "Redis CPU, µs/job", who, cpu / jobs / 1e3);
            wide.value(
                    title + "Redis CPU beyond idle, µs/job", who, (cpu - seconds * idleCpuNanosPerSecond) / jobs / 1e3);
        }

        /** All workers restart, one after the other in each JVM, while jobs of 50 ms come. */
        private void rollingRestart() {
            int perSecond = 100;
            int jobs = options.dose(5_000);
            jvms.forEach(jvm -> jvm.ask("count"));
            long processed = wide.processed();
            long handedBack = booked("requeued");
            long recovered = booked("recovered");
            Leaders leaders = new Leaders();
            Map<String, Long> before = server.counters();
            long begin = System.nanoTime();
            CompletableFuture<JsonNode> load =
                    CompletableFuture.supplyAsync(() -> producer.ask("steady", jobs, perSecond, 50));
            List<CompletableFuture<JsonNode>> restarts = jvms.stream()
                    .map(jvm -> CompletableFuture.supplyAsync(() -> jvm.ask("restart")))
                    .toList();
            long longest = restarts.stream()
                    .mapToLong(
                            each -> ok(each.join()).path("longest_stop_nanos").asLong())
                    .max()
                    .orElseThrow();
            long restarted = System.nanoTime() - begin;
            ok(load.join());
            wide.awaitProcessed(processed + jobs);
            ObjectNode line = line(before, System.nanoTime() - begin);
            int runs = jvms.stream()
                    .mapToInt(jvm -> jvm.ask("ran").path("ran").asInt())
                    .sum();
            line.put("jobs", jobs)
                    .put("runs", runs)
                    .put("waiting", server.ask("LLEN queue:" + QUEUE))
                    .put("processed", wide.processed() - processed)
                    .put("handed_back", booked("requeued") - handedBack)
                    .put("recovered", booked("recovered") - recovered)
                    .put("restarted_nanos", restarted)
                    .put("longest_stop_nanos", longest)
                    .put("leaders", leaders.seen());
            wide.line("fleet, rolling restart", who, line);
            wide.value("fleet, rolling restart: seconds", who, restarted / 1e9);
            wide.value("fleet, rolling restart: ms for the longest stop", who, longest / 1e6);
            wide.value(
                    "fleet, rolling restart: jobs handed back",
                    who,
                    line.path("handed_back").asDouble());
            wide.value(
                    "fleet, rolling restart: jobs recovered",
                    who,
                    line.path("recovered").asDouble());
            wide.value("fleet, rolling restart: jobs that never ran", who, Math.max(0, jobs - runs));
            wide.value("fleet, rolling restart: leaders seen", who, leaders.count());
            wide.value(
                    "fleet, rolling restart: Redis CPU, share of a core",
                    who,
                    line.path("redis_cpu_nanos").asDouble() / line.path("nanos").asDouble());
        }

        private ObjectNode line(Map<String, Long> before, long nanos) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("nanos", nanos);
            server.since(before).forEach(line::put);
            return line;
        }

        private long threads() {
            return jvms.stream()
                    .mapToLong(jvm -> jvm.ask("threads").path("threads").asLong())
                    .sum();
        }
    }

    /** Watches which worker leads, until it is asked. */
    private final class Leaders {

        private final List<String> leaders = new ArrayList<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private final Thread watching = new Thread(this::watch, "leaders");

        Leaders() {
            watching.start();
        }

        private void watch() {
            while (!over.get()) {
                String leader = server.ask("GET dear-leader");
                if (!leader.isEmpty()
                        && (leaders.isEmpty()
                                || !leaders.get(leaders.size() - 1).equals(leader))) {
                    leaders.add(leader);
                }
                Pauses.pause(SIGHT);
            }
        }

        int seen() {
            over.set(true);
            try {
                watching.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return leaders.size();
        }

        int count() {
            return leaders.size();
        }
    }

    private long booked(String entry) {
        String text = server.ask("HGET jobs:ledger " + entry);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private long connections() {
        return server.ask("INFO clients")
                .lines()
                .filter(each -> each.startsWith("connected_clients:"))
                .mapToLong(each ->
                        Long.parseLong(each.substring(each.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0);
    }

    private static JsonNode ok(JsonNode answer) {
        if (answer.has("error")) {
            throw new IllegalStateException(answer.toString());
        }
        return answer;
    }
}
