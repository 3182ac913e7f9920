package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What a worker costs Redis that serves thousands of queues, or beside very many jobs that wait for their time. */
final class MassMeasurements {

    private static final int MILLION = 1_000_000;
    private static final int THREADS = 10;

    private final JobsMeasurements wide;
    private final Options options;
    private final RedisServer server;

    MassMeasurements(JobsMeasurements wide) {
        this.wide = wide;
        this.options = wide.options();
        this.server = wide.server();
    }

    /** One worker that serves all queues. */
    void queues() throws IOException {
        try (ChildProcess producer = wide.jobs("many-queues-producer")) {
            for (int count : wide.inTurn(List.of(1, 10, 100, 1_000, 5_000))) {
                server.clear();
                String who = String.format("%,d queues", count);
                try (ChildProcess worker = wide.jobs("many-queues")) {
                    String last = count == 1 ? "default" : JobsProcessMain.queue(count - 1);
                    worker.ask("serve", THREADS, JobsProcessMain.strict(count));
                    singly(producer, last, 200);
                    idle("many queues", who, worker);
                    int jobs = options.dose(500);
                    JsonNode one = singly(producer, last, jobs);
                    wide.line("many-queues, single jobs", who, one);
                    perJob("many queues, single jobs of the last queue", who, one);
                    wide.value("many queues: µs of a SET of another key", who, microsOfAnotherKey());
                    worker.ask("stop");
                    int most = options.dose(50_000) / count * count;
                    producer.ask("fill", most, count, Arguments.STANDARD);
                    JsonNode drained = worker.ask("drain", most, THREADS, JobsProcessMain.strict(count));
                    wide.line("many-queues, drain", who, drained);
                    perJob("many queues, drain of jobs in all", who, drained);
                    JsonNode page = producer.ask("page-of-queues");
                    wide.line("many-queues, page", who, page);
                    wide.value("many queues: Redis CPU of the page of queues, ms", who, cpuMillis(page));
                }
            }
        }
    }

    private JsonNode singly(ChildProcess producer, String queue, int jobs) {
        long before = wide.processed();
        JsonNode answer = producer.ask("singly", queue, jobs, 10);
        wide.awaitProcessed(before + jobs);
        return answer;
    }

    /** Each changed key is compared with what connections track. */
    private double microsOfAnotherKey() {
        server.ask("CONFIG RESETSTAT");
        for (int i = 0; i < 500; i++) {
            server.ask("SET unwatched 1");
        }
        String line = server.ask("INFO commandstats")
                .lines()
                .filter(each -> each.startsWith("cmdstat_set:"))
                .findFirst()
                .orElseThrow();
        return Double.parseDouble(line.replaceAll(".*usec_per_call=([\\d.]+).*", "$1"));
    }

    void scheduled() throws IOException {
        try (ChildProcess producer = wide.jobs("many-scheduled-producer");
                ChildProcess worker = wide.jobs("many-scheduled")) {
            worker.ask("serve", THREADS, "default");
            singly(producer, "default", 200); // loads the classes of both
            for (int millions = 0; millions <= 1; millions++) {
                String who = millions + " million scheduled";
                if (millions > 0) {
                    long before = server.memory();
                    producer.ask("fill-scheduled", millions * MILLION, Arguments.STANDARD);
                    wide.value("many scheduled: MB", who, (server.memory() - before) / 1e6);
                }
                idle("many scheduled", who, worker);
                late(who, producer, worker);
                for (int from : millions == 0 ? List.<Integer>of() : List.of(0, MILLION / 2)) {
                    producer.ask("page", from);
                    JsonNode page = producer.ask("page", from);
                    String title = String.format("page of 100 from %,d", from);
                    wide.line("many-scheduled, " + title, who, page);
                    wide.value("many scheduled: Redis CPU of a " + title + ", ms", who, cpuMillis(page));
                }
            }
        }
    }

    private void late(String who, ChildProcess producer, ChildProcess worker) {
        long first = wide.processed();
        producer.ask("due", 10, 100);
        wide.awaitProcessed(first + 10);
        int jobs = options.dose(200);
        long before = wide.processed();
        long since = producer.ask("due", jobs, 10_000).get("since").asLong();
        wide.awaitProcessed(before + jobs);
        List<Long> waits = java.util.stream.Stream.of(
                        worker.ask("waits", since).get("waits").asString().split(","))
                .filter(wait -> !wait.isEmpty())
                .map(Long::valueOf)
                .sorted()
                .toList();
        wide.value("many scheduled: p50 of lateness, ms", who, waits.get(waits.size() / 2) / 1e6);
    }

    void recurring() throws IOException {
        try (ChildProcess producer = wide.jobs("many-recurring-producer");
                ChildProcess worker = wide.jobs("many-recurring")) {
            worker.ask("serve", THREADS, "default");
            int stored = 0;
            for (int count : List.of(0, 1_000, 10_000)) {
                long before = server.memory();
                if (count > stored) {
                    wide.line(
                            "many-recurring, saving",
                            String.format("%,d recurring", count),
                            producer.ask("fill-recurring", stored, count - stored));
                }
                String who = String.format("%,d recurring", count);
                wide.value(
                        "many recurring: bytes of each",
                        who,
                        (double) (server.memory() - before) / Math.max(1, count - stored));
                stored = count;
                idle("many recurring", who, worker);
            }
        }
    }

    private void idle(String what, String who, ChildProcess worker) {
        worker.ask("idle", 3);
        JsonNode idle = worker.ask("idle", options.dose(20));
        wide.line(what + ", idle", who, idle);
        double seconds = idle.path("seconds").asDouble();
        wide.value(
                what + ", idle: script calls/s",
                who,
                idle.path("redis_script_calls").asDouble() / seconds);
        wide.value(what + ", idle: commands/s", who, idle.path("redis_commands").asDouble() / seconds);
        wide.value(
                what + ", idle: Redis CPU, ms/s",
                who,
                idle.path("redis_cpu_nanos").asDouble() / 1e6 / seconds);
        wide.value(
                what + ", idle: worker CPU, ms/s", who, idle.path("cpu_nanos").asDouble() / 1e6 / seconds);
    }

    private void perJob(String what, String who, JsonNode answer) {
        double jobs = answer.path("jobs").asDouble();
        wide.value(
                what + ": Redis CPU, µs/job",
                who,
                answer.path("redis_cpu_nanos").asDouble() / jobs / 1e3);
        wide.value(
                what + ": script calls/job",
                who,
                answer.path("redis_script_calls").asDouble() / jobs);
        wide.value(what + ": commands/job", who, answer.path("redis_commands").asDouble() / jobs);
    }

    private static double cpuMillis(JsonNode answer) {
        return answer.path("redis_cpu_nanos").asDouble() / 1e6;
    }
}
