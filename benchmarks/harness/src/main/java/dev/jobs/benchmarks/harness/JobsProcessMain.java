package dev.jobs.benchmarks.harness;

import dev.jobs.JobClient;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.CommandLoop;
import dev.jobs.benchmarks.driver.Footprint;
import dev.jobs.benchmarks.driver.ParallelCalls;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.Quantiles;
import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.engine.CapsuleConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A process of this library with more commands than a {@code BenchmarkDriver} needs. Its argument is the address of
 * Redis.
 */
final class JobsProcessMain implements CommandLoop.Program {

    private static final int KEYS = 100;
    private static final int SLICE = 100_000;
    private static final long PATIENCE_SECONDS = 120;
    private static final int NEVER = -1;
    private static final Duration LEAD = Duration.ofMillis(500);

    private final RedisServer redis;
    private final JobsProcess library;
    private final BatchCommands batches;
    private final LimitCommands limits;
    private final MassCommands masses;
    private Tally tally = new Tally(NEVER);

    private JobsProcessMain(String uri) {
        redis = new RedisServer(uri);
        library = new JobsProcess(uri);
        JobsAdmin admin = library.admin();
        batches = new BatchCommands(library.batches(), admin.batches(), redis);
        limits = new LimitCommands(library.client(), admin.limits(), library.limiters(), redis);
        masses = new MassCommands(library, admin, redis);
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new JobsProcessMain(arguments[0]));
    }

    @Override
    public Answer greeting() {
        return new Answer().with("pid", ProcessHandle.current().pid());
    }

    @Override
    public Answer perform(List<String> words) throws Exception {
        return switch (words.get(0)) {
            case "fill" -> fill(number(words, 1), number(words, 2), number(words, 3));
            case "fill-scheduled" -> fillScheduled(number(words, 1), number(words, 2));
            case "fill-queue" -> fillQueue(number(words, 1), words.get(2));
            case "fill-mixed" -> fillMixed(number(words, 1), number(words, 2), number(words, 3));
            case "fill-sleeping" -> fillSleeping(number(words, 1), number(words, 2));
            case "steady" -> steady(number(words, 1), number(words, 2), number(words, 3));
            case "create-batch" -> batches.create(number(words, 1), number(words, 2));
            case "fill-batch" -> batches.fill(number(words, 1), number(words, 2));
            case "fill-singly" -> fillSingly(number(words, 1), number(words, 2), number(words, 3));
            case "fill-recurring" -> masses.fillRecurring(number(words, 1), number(words, 2));
            case "page" -> masses.page(number(words, 1));
            case "page-of-queues" -> masses.pageOfQueues();
            case "singly" -> masses.singly(words.get(1), number(words, 2), number(words, 3));
            case "finish-batch" -> batches.finish(words.get(1));
            case "read-batch" -> batches.read(words.get(1), number(words, 2));
            case "flow" -> batches.flow(number(words, 1));
            case "flow-state" -> batches.flowState(words.get(1));
            case "fill-limited" -> limits.fill(number(words, 1), number(words, 2), number(words, 3));
            case "fill-rated" -> limits.fillRated(number(words, 1), number(words, 2));
            case "use-limiter" -> limits.use(words.get(1), words.get(2).equals("room"), number(words, 3));
            case "await" -> limits.await(number(words, 1));
            case "enqueue" -> limits.enqueue(number(words, 1));
            case "work" -> work(Path.of(words.get(1)));
            case "drain" -> drain(number(words, 1), number(words, 2), words.get(3));
            case "serve" -> serve(number(words, 1), words.get(2));
            case "stop" -> stop();
            case "idle" -> idle(number(words, 1));
            case "send" -> send(number(words, 1));
            case "arrivals" -> arrivals(number(words, 1));
            case "starts" -> starts();
            case "due" -> due(number(words, 1), number(words, 2));
            case "waits" -> waits(Long.parseLong(words.get(1)));
            case "footprint" -> footprint();
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    private static int number(List<String> words, int index) {
        return Integer.parseInt(words.get(index));
    }

    /** The names of queues, of which none begins with another: {@code default} if there is only one. */
    static List<String> queues(int count) {
        return count == 1
                ? List.of("default")
                : IntStream.range(0, count).mapToObj(JobsProcessMain::queue).toList();
    }

    static String queue(int number) {
        return "q%04d".formatted(number);
    }

    /** Jobs of a hundred keys and eleven priorities, a slice of each. */
    private Answer fillQueue(int jobs, String queue) {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        Arguments arguments = Arguments.ofSize(Arguments.STANDARD);
        for (int key = 0; key < KEYS; key++) {
            library.client()
                    .queue(queue)
                    .key("tenant-" + key)
                    .priority(key % 11 - 5)
                    .enqueueAll(Work.RUN, JobsProcess.times(jobs / KEYS, arguments));
        }
        return new Answer()
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(redis.since(before));
    }

    private Answer fill(int jobs, int queues, int bytes) {
        return fill(
                jobs,
                queues(queues).stream()
                        .map(queue -> library.client().queue(queue))
                        .toList(),
                bytes);
    }

    /** Jobs that are due in a day. */
    private Answer fillScheduled(int jobs, int bytes) {
        return fill(jobs, List.of(library.client().in(Duration.ofDays(1))), bytes);
    }

    private Answer fill(int jobs, List<JobClient> clients, int bytes) {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        Arguments arguments = Arguments.ofSize(bytes);
        for (JobClient client : clients) {
            for (int left = jobs / clients.size(); left > 0; left -= SLICE) {
                client.enqueueAll(Work.RUN, JobsProcess.times(Math.min(left, SLICE), arguments));
            }
        }
        return new Answer()
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(redis.since(before));
    }

    private Answer fillSingly(int jobs, int threads, int bytes) throws Exception {
        Arguments arguments = Arguments.ofSize(bytes);
        ParallelCalls calls = new ParallelCalls(threads);
        try {
            Map<String, Long> before = redis.counters();
            long begin = System.nanoTime();
            calls.forEach(Collections.nCopies(jobs, arguments), each -> library.client()
                    .enqueue(Work::run, each.text(), each.number(), each.order()));
            return new Answer()
                    .with("jobs", jobs)
                    .with("nanos", System.nanoTime() - begin)
                    .with(redis.since(before));
        } finally {
            calls.close();
        }
    }

    /** Short jobs and, among the first of them, one long job with the number 0. */
    private Answer fillMixed(int jobs, int shortMillis, int longMillis) {
        List<List<Object>> all = new ArrayList<>();
        for (long id = 1; id <= jobs; id++) {
            all.add(List.of(id, shortMillis));
        }
        all.add(Math.min(jobs, 10), List.of(0L, longMillis));
        library.client().enqueueAll("Work.sleep", all);
        return new Answer().with("jobs", jobs + 1);
    }

    private Answer fillSleeping(int jobs, int millis) {
        library.client().enqueueAll("Work.sleep", Collections.nCopies(jobs, List.of(Arguments.NOT_TIMED, millis)));
        return new Answer().with("jobs", jobs);
    }

    /** Enqueues jobs one at a time, so many a second; more at once where it fell behind. */
    private Answer steady(int jobs, int perSecond, int millis) {
        long begin = System.nanoTime();
        for (int i = 0; i < jobs; i++) {
            long ahead = begin + i * 1_000_000_000L / perSecond - System.nanoTime();
            if (ahead > 0) {
                Pauses.pause(Duration.ofNanos(ahead));
            }
            library.client().enqueue(Work::sleep, Arguments.NOT_TIMED, millis);
        }
        return new Answer().with("jobs", jobs).with("nanos", System.nanoTime() - begin);
    }

    private Answer drain(int jobs, int concurrency, String queues) throws InterruptedException {
        Map<String, Long> before = redis.counters();
        Tally drained = new Tally(jobs);
        start(concurrency, queues, drained);
        try {
            if (!drained.await(PATIENCE_SECONDS)) {
                throw new IllegalStateException("only " + drained.count() + " of " + jobs + " jobs were run");
            }
            return new Answer()
                    .with("jobs", jobs)
                    .with("concurrency", concurrency)
                    .with("nanos", drained.nanos())
                    .with("cpu_nanos", drained.cpuNanos())
                    .with(redis.since(before));
        } finally {
            library.stop();
        }
    }

    private Answer serve(int concurrency, String queues) {
        long begin = System.nanoTime();
        long call = start(concurrency, queues, new Tally(NEVER));
        return new Answer().with("call_nanos", call).with("start_nanos", System.nanoTime() - begin);
    }

    /** Serves jobs that record their ends in a file. */
    private Answer work(Path file) throws IOException {
        library.record(file);
        return serve(10, "default");
    }

    private long start(int concurrency, String queues, Tally counting) {
        tally = counting;
        return library.start(EngineConfig.of(concurrency, queues.split(";")), Thread::new, counting);
    }

    private Answer stop() {
        library.stop();
        return new Answer().with("ran", tally.count());
    }

    /** The cost of an idle engine. */
    private Answer idle(int seconds) {
        com.sun.management.OperatingSystemMXBean process =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, Long> before = redis.counters();
        long cpu = process.getProcessCpuTime();
        Pauses.pause(Duration.ofSeconds(seconds));
        return new Answer()
                .with("seconds", seconds)
                .with("cpu_nanos", process.getProcessCpuTime() - cpu)
                .with(redis.since(before));
    }

    /**
     * Enqueues jobs whose argument is the time of the call, for workers in other processes on this machine, which share
     * its clock.
     */
    private Answer send(int samples) {
        for (int i = 0; i < samples; i++) {
            Pauses.pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(5_000_000, 10_000_000)));
            library.client().enqueue(Work::timed, System.nanoTime());
        }
        return new Answer().with("samples", samples);
    }

    /** @param first the number of first samples to ignore */
    private Answer arrivals(int first) {
        List<Long> waits = tally.entered().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .skip(first)
                .map(each -> each.getValue() - each.getKey())
                .toList();
        return new Quantiles(waits).in(new Answer());
    }

    /**
     * Schedules jobs for separate instants within a period of this length that begins soon. Each has its instant as its
     * argument.
     */
    private Answer due(int jobs, int millis) {
        Instant begin = Instant.now().plus(LEAD);
        long beginNanos =
                System.nanoTime() + Duration.between(Instant.now(), begin).toNanos();
        ThreadLocalRandom.current()
                .longs(jobs, 0, Duration.ofMillis(millis).toNanos())
                .sorted()
                .forEach(later -> library.client()
                        .at(begin.plusNanos(later))
                        .enqueueAll(Work::timed, List.of(beginNanos + later)));
        return new Answer().with("since", beginNanos);
    }

    /** The waiting times of the jobs due since then. */
    private Answer waits(long since) {
        return new Answer()
                .with(
                        "waits",
                        tally.entered().entrySet().stream()
                                .filter(each -> each.getKey() - since >= 0)
                                .map(each -> Long.toString(each.getValue() - each.getKey()))
                                .collect(Collectors.joining(",")));
    }

    private Answer starts() {
        return new Answer()
                .with(
                        "starts",
                        tally.entered().values().stream().map(String::valueOf).collect(Collectors.joining(",")))
                .with("long", tally.entered().getOrDefault(0L, 0L));
    }

    private static Answer footprint() throws IOException {
        System.gc();
        System.gc();
        return Footprint.now();
    }

    @Override
    public void close() {
        library.close();
    }

    /** All queues with falling weights, as {@link CapsuleConfig} reads them. */
    static String weighted(int count) {
        List<String> queues = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queues.add(queue(i) + "," + (count - i));
        }
        return String.join(";", queues);
    }

    /** All queues in strict order. */
    static String strict(int count) {
        return String.join(";", Collections.unmodifiableList(queues(count)));
    }
}
