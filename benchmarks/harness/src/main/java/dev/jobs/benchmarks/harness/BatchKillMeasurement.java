package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A batch of 10,000 jobs of 5 ms with a callback, for two workers of ten threads, one of which is killed after a third
 * of it. Workers record the ends of jobs in files, outside Redis. Each library has its default settings.
 */
final class BatchKillMeasurement {

    private static final int JOBS = 10_000;
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final RedisServer server;
    private final Results results;
    private final int round;
    private final Path directory;

    BatchKillMeasurement(RedisServer server, Results results, int round, Path directory) {
        this.server = server;
        this.results = results;
        this.round = round;
        this.directory = directory;
    }

    /** Starts one of the processes of a library. */
    interface Start {
        ChildProcess process(int number) throws IOException;
    }

    void take(String who, Start start) throws IOException {
        Files.createDirectories(directory);
        List<Path> files = List.of(record(who, 1), record(who, 2));
        try (ChildProcess filler = start.process(0)) {
            if (filler.greeting().has("unsupported")) {
                results.note(
                        who, "batch-kill", filler.greeting().path("unsupported").asString());
                return;
            }
            long before = memory();
            String id = filler.ask("flow", JOBS).path("id").asString();
            double bytes = (double) (memory() - before) / JOBS;
            try (ChildProcess victim = start.process(1);
                    ChildProcess other = start.process(2)) {
                long begin = System.nanoTime();
                victim.ask("work", files.get(0));
                other.ask("work", files.get(1));
                await(() -> lines(files).size() > JOBS / 3);
                ProcessHandle.of(victim.pid()).orElseThrow().destroyForcibly();
                boolean finished = await(
                        () -> filler.ask("flow-state", id).path("finished").asInt() == 1);
                report(who, files, finished ? (System.nanoTime() - begin) / 1e9 : Double.NaN, bytes);
            }
        }
    }

    private void report(String who, List<Path> files, double seconds, double bytes) throws IOException {
        Map<String, Integer> ends = new HashMap<>();
        lines(files).forEach(line -> ends.merge(line, 1, Integer::sum));
        Integer callbacks = ends.remove("callback");
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("jobs", JOBS)
                .put("never", JOBS - ends.size())
                .put("twice", ends.values().stream().filter(times -> times > 1).count())
                .put("callbacks", callbacks == null ? 0 : callbacks)
                .put("seconds", seconds)
                .put("bytes", bytes);
        results.line("batch-kill", who, round, line);
        line.propertyStream()
                .skip(1)
                .forEach(each -> results.value(
                        "batch-kill: " + each.getKey(),
                        who,
                        round,
                        each.getValue().asDouble()));
    }

    private interface Condition {
        boolean isMet() throws IOException;
    }

    private static boolean await(Condition condition) throws IOException {
        long begin = System.nanoTime();
        while (!condition.isMet()) {
            if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                return false;
            }
            Pauses.pause(STEP);
        }
        return true;
    }

    private Path record(String who, int number) throws IOException {
        Path file = directory.resolve("ends-" + who + "-" + number + ".txt");
        Files.writeString(file, "");
        return file;
    }

    private static List<String> lines(List<Path> files) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path file : files) {
            lines.addAll(Files.readAllLines(file));
        }
        return lines;
    }

    private long memory() {
        return server.ask("INFO memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }
}
