package dev.jobs.benchmarks.harness;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.OpenBatch;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Quantiles;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** How long each script takes in Redis, by its slow log, while jobs do everything that moves many of them. */
final class ScriptMeasurement {

    private static final int JOBS = 10_000;
    private static final int SINGLE = 500;
    private static final int PAGE = 100;
    private static final int MOST_ENTRIES = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final JobsMeasurements wide;
    private final ScriptNames names;
    private final SortedMap<String, List<Long>> nanos = new TreeMap<>();

    ScriptMeasurement(JobsMeasurements wide) throws IOException {
        this.wide = wide;
        this.names = new ScriptNames();
    }

    void take() {
        RedisClient client = RedisClient.create(wide.redis());
        try (JobsProcess library = new JobsProcess(wide.redis());
                StatefulRedisConnection<String, String> log = client.connect()) {
            Map<String, String> settings = log.sync().configGet("slowlog-*");
            try {
                log.sync().configSet("slowlog-max-len", Integer.toString(MOST_ENTRIES));
                log.sync().configSet("slowlog-log-slower-than", "0");
                log.sync().slowlogReset();
                for (Runnable step : steps(library)) {
                    step.run();
                    read(log);
                }
            } finally {
                settings.forEach(log.sync()::configSet);
            }
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        nanos.forEach(this::row);
    }

    private void row(String script, List<Long> times) {
        Quantiles all = new Quantiles(times);
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("calls", times.size())
                .put("p50_nanos", all.at(0.5))
                .put("p99_nanos", all.at(0.99))
                .put("max_nanos", all.at(1));
        wide.line("scripts", script, line);
        wide.value("scripts: calls", script, times.size());
        wide.value("scripts: median, µs", script, all.at(0.5) / 1e3);
        wide.value("scripts: p99, µs", script, all.at(0.99) / 1e3);
        wide.value("scripts: longest, ms", script, all.at(1) / 1e6);
    }

    private void read(StatefulRedisConnection<String, String> log) {
        for (Object entry : log.sync().slowlogGet(MOST_ENTRIES)) {
            List<?> parts = (List<?>) entry;
            String name = names.of(
                    ((List<?>) parts.get(3)).stream().map(String::valueOf).toList());
            if (name != null) {
                nanos.computeIfAbsent(name, script -> new ArrayList<>()).add((Long) parts.get(2) * 1_000);
            }
        }
        log.sync().slowlogReset();
    }

    private List<Runnable> steps(JobsProcess library) {
        int jobs = wide.options().dose(JOBS);
        JobClient client = library.client();
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> push(client, jobs));
        steps.add(() -> push(client.limit("scripts", ""), jobs));
        steps.add(() -> push(client.queue(JobsProcess.FAIR).key("a"), jobs));
        steps.add(() -> push(client.queue(JobsProcess.BY_PRIORITY).priority(3), jobs));
        steps.add(() -> singly(client));
        steps.add(() -> batch(library, jobs));
        steps.add(() -> {
            long before = wide.processed();
            library.start(
                    EngineConfig.of(10, "default", JobsProcess.FAIR, JobsProcess.BY_PRIORITY),
                    Thread::new,
                    new Tally(Integer.MAX_VALUE));
            wide.awaitProcessed(before + 5L * jobs + SINGLE);
        });
        steps.add(() -> {
            long before = wide.processed();
            push(client.at(Instant.now().plusSeconds(1)), jobs);
            wide.awaitProcessed(before + jobs);
            library.stop();
        });
        steps.add(() -> administer(library, jobs));
        return steps;
    }

    private static void push(JobClient client, int jobs) {
        client.enqueueAll(Work.RUN, JobsProcess.times(jobs, Arguments.ofSize(Arguments.STANDARD)));
    }

    private void singly(JobClient client) {
        Arguments arguments = Arguments.ofSize(Arguments.STANDARD);
        for (int i = 0; i < SINGLE; i++) {
            client.unique("key-" + i).enqueue(Work::run, arguments.text(), arguments.number(), arguments.order());
        }
    }

    private static void batch(JobsProcess library, int jobs) {
        List<Object> arguments = JobsProcess.list(Arguments.ofSize(Arguments.STANDARD));
        try (OpenBatch batch = library.batches().open("scripts")) {
            batch.addAll(Stream.generate(() -> JobCall.named(Work.RUN, arguments.toArray()))
                    .limit(jobs));
            batch.commit();
        }
    }

    /** What people do with all jobs of a set or a queue. */
    private static void administer(JobsProcess library, int jobs) {
        Predicate<Object> all = job -> true;
        JobClient client = library.client();
        try (JobsAdmin admin = library.admin()) {
            push(client.in(Duration.ofDays(1)), jobs);
            admin.sets().count(JobSet.SCHEDULED, all, ScanBudget.standard());
            admin.sets().all(JobSet.SCHEDULED).reschedule(Instant.now().plus(Duration.ofDays(2)));
            admin.sets().all(JobSet.SCHEDULED).trash("first");
            admin.trash().restoreBatch("first", PATIENCE);
            admin.sets().all(JobSet.SCHEDULED).kill();
            admin.sets().all(JobSet.DEAD).run();
            admin.queues().moveAll("default", "other", null, PATIENCE);
            admin.queues().count("other", all, ScanBudget.standard());
            List<ListedJob> page = admin.queues()
                    .jobs("other", Order.OLDEST_FIRST, all, 0, PAGE, ScanBudget.standard())
                    .items();
            admin.trash().delete("other", page, "second", deleted -> {});
            admin.queues().clear("other");
        }
    }
}
