package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchCheck;
import dev.jobs.faults.RecoveryTimes.Life;
import dev.jobs.faults.RecoveryTimes.Recovery;
import dev.jobs.lists.Ledger;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import io.lettuce.core.Range;
import io.lettuce.core.ZAddArgs;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scenario: workers in separate processes, a producer, and at the end a verdict on the fate of every job,
 * from the workers' records outside Redis.
 */
final class Trial implements AutoCloseable {

    /** The file for the lines of all verdicts. */
    private static final Path VERDICTS = Path.of("target", "faults.jsonl");

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** After which a worker gives up an attempt to connect that Lettuce has forgotten. */
    private static final Duration FORGOTTEN_ATTEMPT = Duration.ofSeconds(90);

    /** For commands that no fault holds up, on any machine. */
    private static final Duration AMPLE = Duration.ofSeconds(30);

    final Dose dose = Dose.current();
    final Path directory;
    final Producer producer;

    /** Any command, for injecting faults and for inspection; waits while Redis is away. */
    final RedisClusterCommands<String, String> redis;

    private final String scenario;
    private final Instant begun = Instant.now();
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    final Machine machine = new Machine(workers);
    private final Set<String> queues = ConcurrentHashMap.newKeySet();
    private final Map<String, Object> more = new LinkedHashMap<>();
    private final Inspection inspection;
    private final RedisKeys keys;
    private final RedisConnection reading;
    private final Map<Worker, Usage> baseline = new HashMap<>();
    private Duration probe = Duration.ZERO;

    /** The resources that a worker uses. */
    private record Usage(int threads, int descriptors) {

        static Usage of(Worker worker) {
            return new Usage(worker.threads(), worker.descriptors());
        }

        /** With a margin, since the JVM starts and ends a few of its own threads, and sometimes opens a file. */
        boolean isNoMoreThan(Usage before) {
            return threads <= before.threads + 3 && descriptors <= before.descriptors + 3;
        }
    }

    /** @param uri the address of Redis for all */
    Trial(String scenario, String uri) {
        this(scenario, uri, AMPLE);
    }

    /** A trial with this command timeout for the producer. */
    Trial(String scenario, String uri, Duration producerTimeout) {
        this(scenario, uri, uri, producerTimeout);
    }

    /**
     * @param uri the address of Redis for this trial
     * @param producerUri the address of Redis for the producer
     * @param producerTimeout how long the producer's commands may take
     */
    Trial(String scenario, String uri, String producerUri, Duration producerTimeout) {
        this(scenario, uri, producerUri, producerTimeout, directory(scenario));
    }

    /** @param directory that of the trial that starts the workers */
    Trial(String scenario, String uri, String producerUri, Duration producerTimeout, Path directory) {
        this.scenario = scenario;
        this.directory = directory;
        this.producer = new Producer(producerUri, producerTimeout);
        RedisAddress address = new RedisAddress(uri);
        this.inspection = new Inspection(address);
        this.redis = inspection.commands();
        this.keys = address.keys();
        this.reading = inspection.connections().open("jobs-trial");
    }

    /** A new directory for the files of a scenario. It is kept for the analysis of failures. */
    static Path directory(String scenario) {
        Path directory = Path.of(
                "target",
                "faults",
                scenario + "-" + UUID.randomUUID().toString().substring(0, 8));
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a worker, and returns at once. */
    Worker start(WorkerSettings settings, String... jvmOptions) {
        List<String> jvm = new ArrayList<>(WorkerJvm.command());
        jvm.addAll(List.of(jvmOptions));
        Worker worker = Worker.start(workers.size() + 1, settings, directory, jvm);
        workers.add(worker);
        queues.addAll(settings.queues());
        return worker;
    }

    /** A worker that was started for a trial of another shard serves this one as well. */
    void join(Worker worker) {
        workers.add(worker);
        queues.addAll(worker.settings.queues());
    }

    /** How many executions of jobs of this trial have begun; workers may run those of others. */
    long begun() {
        Set<String> own = producer.accepted();
        return executions().stream()
                .filter(execution -> own.contains(execution.jid()))
                .count();
    }

    /** Starts workers, and returns when all of them are at work. */
    List<Worker> startAll(int count, WorkerSettings settings) {
        List<Worker> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(start(settings));
        }
        awaitAllRegistered();
        return started;
    }

    /** Replaces a worker that is gone. */
    Worker replace(Worker gone) {
        return start(gone.settings);
    }

    List<Worker> alive() {
        return workers.stream().filter(Worker::isAlive).toList();
    }

    /** Waits until Redis considers exactly the living workers alive. */
    void awaitAllRegistered() {
        await().untilAsserted(() -> assertThat(registered())
                .containsExactlyInAnyOrderElementsOf(
                        alive().stream().map(Worker::pid).toList()));
    }

    /** The process ids of the workers that Redis considers alive. */
    private List<Long> registered() {
        return redis.zrangebyscore("jobs:beats", Range.create(1, Long.MAX_VALUE)).stream()
                .map(identity -> Long.valueOf(identity.split(":")[1]))
                .toList();
    }

    /** The identities under which Redis considers this worker alive: one, or none. */
    List<String> identities(Worker worker) {
        return redis.zrangebyscore("jobs:beats", Range.create(1, Long.MAX_VALUE)).stream()
                .filter(identity -> identity.contains(":" + worker.pid() + ":"))
                .toList();
    }

    /** The identity of a living worker. */
    String identity(Worker worker) {
        return await().until(() -> identities(worker), found -> found.size() == 1)
                .get(0);
    }

    /** Waits until Redis knows nothing more of a process: its jobs are elsewhere. */
    void awaitForgotten(String identity) {
        await("the end of " + identity)
                .until(() -> redis.zscore("jobs:beats", identity) == null && redis.exists("jobs:in:" + identity) == 0);
    }

    /** Waits until a worker has published itself so many times more. */
    void awaitHeartbeats(Worker worker, int count) {
        for (int i = 0; i < count; i++) {
            String identity = identity(worker);
            String last = redis.hget(identity, "beat");
            await().until(() -> !String.valueOf(last).equals(redis.hget(identity, "beat")));
        }
    }

    List<Execution> executions() {
        return workers.stream().flatMap(worker -> worker.executions().stream()).toList();
    }

    List<Execution> executions(String jid) {
        return executions().stream()
                .filter(execution -> execution.jid().equals(jid))
                .sorted(Comparator.comparing(Execution::started))
                .toList();
    }

    /** Waits until this number of executions of a job has begun. */
    void awaitStarts(String jid, int count) {
        await().until(() -> executions(jid).size() >= count);
    }

    /** Waits until this number of executions has begun. */
    void awaitStarts(int count) {
        await().until(() -> executions().size() >= count);
    }

    /** Waits until each of these jobs has begun. */
    void awaitStarts(Collection<String> jids) {
        await().until(() -> startedIds().containsAll(jids));
    }

    /** Waits until each of these jobs has finished. */
    void awaitFinished(Collection<String> jids) {
        await().until(() -> finishedIds().containsAll(jids));
    }

    /** Waits for the first start of a job after this time. Returns the time in between. */
    Duration awaitStartAfter(Instant time) {
        return await().pollInterval(Duration.ofMillis(10))
                .until(() -> firstStartAfter(time), Optional::isPresent)
                .map(start -> Duration.between(time, start))
                .orElseThrow();
    }

    private Optional<Instant> firstStartAfter(Instant time) {
        return executions().stream()
                .map(Execution::started)
                .filter(start -> start.isAfter(time))
                .min(Comparator.naturalOrder());
    }

    /** Lets a fault last for this time. */
    static void letPass(Duration time) {
        await().pollDelay(time).atMost(time.plus(PATIENCE)).until(() -> true);
    }

    /** Releases the jobs that wait for this file. */
    void release(String file) {
        try {
            Files.createFile(directory.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a person at the dashboard would do. */
    JobsAdmin admin() {
        return new JobsAdmin(
                inspection.connections(),
                new DeadSetBounds(10_000, Duration.ofDays(180)),
                JobHooks.none(),
                Clock.systemUTC());
    }

    Ledger.Totals books() {
        return new Ledger(reading, keys).read();
    }

    /** By how much the counters of a batch differ from the states of its jobs. */
    long batchError(String id) {
        return new BatchCheck(reading, keys).error(id);
    }

    /** When a worker died or was frozen past its lease; null if it was not. */
    @Nullable Instant diedAt(int worker) {
        return workers.get(worker - 1).diedAt();
    }

    /** Waits until no job waits at a limit. */
    void awaitParkedJobs() {
        await().until(() -> redis.keys("jobs:parked:*").isEmpty());
    }

    /** The number of jobs in queues, without scheduled jobs and retries. */
    long queued() {
        return queues.stream()
                .mapToLong(queue -> redis.llen("queue:" + queue) + redis.zcard("jobs:order:" + queue))
                .sum();
    }

    private long waiting() {
        return queued() + redis.zcard("schedule") + redis.zcard("retry");
    }

    /** Adds a figure that only this scenario has. */
    void note(String name, Object value) {
        more.put(name, value);
    }

    /**
     * Waits until no job waits or is in progress. Retries are made due at once.
     *
     * @param patience the longest time without any progress
     */
    void awaitDone(Duration patience) {
        Progress progress = new Progress(patience);
        await().atMost(Duration.ofHours(1)).ignoreExceptions().until(() -> {
            for (String member : redis.zrange("retry", 0, 999)) {
                redis.zadd("retry", ZAddArgs.Builder.xx(), 0.0, member);
            }
            Ledger.Totals books = books();
            long left = waiting() + books.inFlight();
            return left == 0 || progress.hasStoppedAt(books.claimed() + left);
        });
    }

    /** Detects a lack of progress. */
    private static final class Progress {

        private final Duration patience;
        private long mark = -1;
        private Instant since = Instant.now();

        Progress(Duration patience) {
            this.patience = patience;
        }

        boolean hasStoppedAt(long now) {
            if (now != mark) {
                mark = now;
                since = Instant.now();
            }
            return since.plus(patience).isBefore(Instant.now());
        }
    }

    /**
     * Sends every living worker as many jobs as it has threads, and waits until all of them run at once, which shows
     * that no worker is connected but deaf, and that no thread was lost. Returns the time that this took.
     */
    Duration probe() {
        String file = "probe-" + UUID.randomUUID();
        Instant sent = Instant.now();
        Set<String> probes = new HashSet<>();
        Map<String, Integer> threads = new HashMap<>();
        alive().forEach(worker -> worker.settings
                .capsuleConfigs()
                .forEach(capsule -> threads.merge(capsule.queues().get(0), capsule.concurrency(), Integer::sum)));
        threads.forEach((queue, count) -> probes.addAll(producer.enqueueAll(
                queue,
                "Until",
                Stream.generate(() -> List.of(file)).limit(count).toList())));
        await("all threads to be taken").pollInterval(Duration.ofMillis(10)).until(() -> startedIds()
                .containsAll(probes));
        Instant last = executions().stream()
                .filter(execution -> probes.contains(execution.jid()))
                .map(Execution::started)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        release(file);
        probe = Duration.between(sent, last);
        return probe;
    }

    private Set<String> startedIds() {
        return executions().stream().map(Execution::jid).collect(Collectors.toSet());
    }

    private Set<String> finishedIds() {
        return executions().stream()
                .filter(Execution::finished)
                .map(Execution::jid)
                .collect(Collectors.toSet());
    }

    /**
     * Records the resources that the living workers use when busy: at the end they must not use more. To be called
     * before the faults.
     */
    void takeBaseline() {
        awaitAllRegistered();
        probe();
        alive().forEach(worker -> baseline.put(worker, Usage.of(worker)));
    }

    /**
     * Waits until all jobs are done, probes the living workers, waits until no trace of the faults is left, judges, and
     * writes the line.
     */
    Verdict end() {
        awaitAllRegistered();
        awaitDone(PATIENCE);
        if (!alive().isEmpty()) {
            probe();
        }
        awaitDone(PATIENCE);
        await().atMost(PATIENCE.plus(FORGOTTEN_ATTEMPT)).untilAsserted(this::assertNothingLeaked);
        return judge();
    }

    private void assertNothingLeaked() {
        List<String> clients = inspection.clients();
        assertThat(clients.stream().filter(line -> line.matches(".* name=jobs-(work|chores|beat|doorbell) .*")))
                .as("connections of %s workers", alive().size())
                .hasSize(4 * alive().size());
        assertThat(clients.stream().filter(line -> line.matches(".* name=jobs-standing .*")))
                .as("connections at which claims of %s workers may stand", alive().size())
                .hasSizeLessThanOrEqualTo(alive().stream()
                        .mapToInt(worker -> worker.settings.capsuleConfigs().size())
                        .sum());
        baseline.forEach((worker, before) -> {
            if (worker.isAlive()) {
                Usage now = Usage.of(worker);
                assertThat(now).as("%s used %s before", worker, before).matches(usage -> usage.isNoMoreThan(before));
            }
        });
    }

    /**
     * Judges, and writes the line.
     *
     * @param others trials with a Redis of their own, between which and this one jobs went: all are judged as one
     */
    Verdict judge(Trial... others) {
        List<Trial> all = new ArrayList<>(List.of(this));
        all.addAll(List.of(others));
        List<Ledger.Totals> books = all.stream().map(Trial::books).toList();
        List<Execution> executions =
                all.stream().flatMap(trial -> trial.executions().stream()).toList();
        Set<String> enqueued = ids(all, trial -> trial.producer.accepted());
        Set<String> finished = executions.stream()
                .filter(Execution::finished)
                .map(Execution::jid)
                .collect(Collectors.toSet());
        Set<String> stored = ids(all, Trial::stored);
        Set<String> unfinished = new HashSet<>(enqueued);
        unfinished.removeAll(finished);
        Set<String> lost = new HashSet<>(unfinished);
        lost.removeAll(stored);
        long attempts = executions.stream().map(Trial::attempt).distinct().count();
        Verdict verdict = new Verdict(
                scenario,
                dose,
                enqueued.size(),
                enqueued.size() - unfinished.size(),
                unfinished.size() - lost.size(),
                lost.size(),
                Math.toIntExact(executions.size() - attempts),
                sum(books, totals -> totals.recovered() + totals.poisoned()),
                sum(books, Ledger.Totals::requeued),
                others.length == 0 ? recoveries(executions) : List.of(),
                sum(books, Ledger.Totals::inFlight),
                sum(books, totals -> Math.abs(totals.conservationError())),
                probe,
                Duration.between(begun, Instant.now()),
                more);
        write(verdict);
        return verdict;
    }

    private static Set<String> ids(List<Trial> trials, Function<Trial, Set<String>> of) {
        return trials.stream().flatMap(trial -> of.apply(trial).stream()).collect(Collectors.toSet());
    }

    private static long sum(List<Ledger.Totals> books, ToLongFunction<Ledger.Totals> number) {
        return books.stream().mapToLong(number).sum();
    }

    /** The ids of the jobs in the dead set. */
    Set<String> buried() {
        return ids(redis.zrange("dead", 0, -1));
    }

    /** The ids of the jobs that are in Redis. */
    private Set<String> stored() {
        List<String> payloads = new ArrayList<>(redis.zrange("dead", 0, -1));
        payloads.addAll(redis.zrange("retry", 0, -1));
        payloads.addAll(redis.zrange("schedule", 0, -1));
        queues.forEach(queue -> {
            payloads.addAll(redis.lrange("queue:" + queue, 0, -1));
            payloads.addAll(redis.zrange("jobs:order:" + queue, 0, -1));
        });
        return ids(payloads);
    }

    private static Set<String> ids(List<String> payloads) {
        return payloads.stream()
                .map(payload ->
                        Payload.parse(payload.getBytes(StandardCharsets.UTF_8)).jid())
                .collect(Collectors.toSet());
    }

    private List<Recovery> recoveries(List<Execution> executions) {
        Map<Integer, Instant> firstStarts = new HashMap<>();
        executions.forEach(execution -> firstStarts.merge(
                execution.worker(), execution.started(), (one, other) -> one.isBefore(other) ? one : other));
        return new RecoveryTimes(workers.stream()
                        .filter(worker -> firstStarts.containsKey(worker.number))
                        .map(worker -> new Life(worker.number, firstStarts.get(worker.number), worker.diedAt()))
                        .toList())
                .of(executions);
    }

    private static synchronized void write(Verdict verdict) {
        String line = verdict.toJson();
        System.out.println(line);
        try {
            Files.writeString(VERDICTS, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Must hold in any case: no job is lost, none is left in progress, the books balance, and no worker had an
     * unexpected exception.
     */
    void assertSound(Verdict verdict) {
        assertThat(verdict.lost()).as("lost, see %s", directory).isZero();
        assertThat(verdict.leftInProgress()).as("left in progress").isZero();
        assertThat(verdict.conservationError()).as("conservation error").isZero();
        assertThat(workers.stream().flatMap(worker -> worker.said().stream()))
                .as("what the workers said, see %s", directory)
                .noneMatch(line -> line.contains("Exception in thread"));
    }

    /** Must hold if nothing but what {@link #end} has seen happened to any worker: none was taken for dead. */
    void assertUnharmed(Verdict verdict) {
        assertRecovered(verdict, 0, 0);
    }

    /**
     * Must hold with exactly these numbers, unless the machine kept a worker from running for so long that it was
     * rightly taken for dead: its jobs were recovered as well, and each may have run twice.
     */
    void assertRecovered(Verdict verdict, long recovered, long duplicates) {
        assertRecovered(verdict.recovered(), recovered);
        if (machine.keptFromRunning().isEmpty()) {
            assertThat(verdict.duplicates()).as("jobs that ran twice").isEqualTo((int) duplicates);
        } else {
            assertThat(verdict.duplicates() - duplicates)
                    .as("jobs that ran twice, of those that were recovered")
                    .isLessThanOrEqualTo(verdict.recovered() - recovered);
        }
    }

    /** The same, for jobs that may have run twice for another reason. */
    void assertRecovered(long actual, long expected) {
        List<Worker> excused = machine.keptFromRunning();
        if (excused.isEmpty()) {
            assertThat(actual).as("recovered jobs, see %s", directory).isEqualTo(expected);
        } else {
            System.out.println(scenario + ": the machine kept from running " + excused);
            assertThat(workers.stream().filter(worker -> worker.said().stream().anyMatch(Trial::tellsThatItWasGivenUp)))
                    .as("taken for dead, though only %s were kept from running", excused)
                    .isSubsetOf(excused);
            assertThat(actual).as("recovered jobs").isGreaterThanOrEqualTo(expected);
        }
    }

    private static boolean tellsThatItWasGivenUp(String line) {
        return line.contains("was given up, because it did not beat");
    }

    /**
     * Must hold if no job was buried: each attempt was settled with effect exactly once, however often it ran. To be
     * called when all jobs are done.
     */
    void assertCountedOnce() {
        List<Execution> executions = executions();
        assertThat(counter("stat:processed"))
                .as("attempts by Redis' counter")
                .isEqualTo(executions.stream().map(Trial::attempt).distinct().count());
        assertThat(counter("stat:failed"))
                .as("failures by Redis' counter")
                .isEqualTo(executions.stream()
                        .filter(execution -> execution.attempt() > 1)
                        .map(Trial::attempt)
                        .distinct()
                        .count());
    }

    /**
     * Must hold if there were no iterations, which count as processed when they are interrupted: each attempt of which
     * an execution ended was settled with effect exactly once, so no job was stored twice. Nothing settles the last
     * attempt of a job that outlived its workers too often: it may have ended right before a kill. To be called when
     * all jobs are done.
     *
     * @param skipped jobs whose batch was cancelled before they were settled
     */
    void assertSettledOnce(Set<String> skipped) {
        List<Execution> executions = executions();
        Set<String> unsettled = redis.zrange("dead", 0, -1).stream()
                .map(payload -> Payload.parse(payload.getBytes(StandardCharsets.UTF_8)))
                .map(Trial::nextAttempt)
                .collect(Collectors.toSet());
        assertThat(counter("stat:processed"))
                .as("attempts by Redis' counter")
                .isEqualTo(executions.stream()
                        .filter(execution -> execution.ended() != null && !skipped.contains(execution.jid()))
                        .map(Trial::attempt)
                        .filter(attempt -> !unsettled.contains(attempt))
                        .distinct()
                        .count());
    }

    /** Names the attempt after those whose failures a payload knows: of a job that died of a failure there was none. */
    private static String nextAttempt(Payload payload) {
        Long retries = payload.integer("retry_count");
        return payload.jid() + " " + (retries == null ? 1 : retries + 2);
    }

    /** The value of a counter in Redis. */
    long counter(String key) {
        String value = redis.get(key);
        return value == null ? 0 : Long.parseLong(value);
    }

    /** Names an attempt of a job, however often it was executed. */
    static String attempt(Execution execution) {
        return execution.jid() + " " + execution.attempt();
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        machine.close();
        producer.close();
        reading.close();
        inspection.close();
    }
}
