package dev.jobs.assembly;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.jobs.DeathHandler;
import dev.jobs.JobContext;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.assembly.BadInputResults.Result;
import dev.jobs.assembly.BadInputResults.StoredEntry;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import dev.jobs.versions.ForeignJobs;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Thousands of invalid inputs: each has one outcome, and the worker continues. {@code -Djobs.fuzz.seed} and
 * {@code -Djobs.fuzz.count}, of the long test, try others.
 */
class FuzzIT {

    private static final long SEED = Long.getLong("jobs.fuzz.seed", 20260728);
    private static final int COUNT = 500;
    private static final int LONG_COUNT = Integer.getInteger("jobs.fuzz.count", 10_000);

    private static final int BATCH = 500;
    private static final int THREADS = 10;

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs");
    private final BadLines badLines = new BadLines();
    private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    private final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    private final Heard heard = new Heard();
    private final FuzzJobs jobs = new FuzzJobs(THREADS);
    private final JobRegistry registry = JobRegistry.of(jobs);
    private final List<String> queues = List.of("default", BadInputs.ODD_QUEUE);
    private final BadInputResults results = new BadInputResults(
            registry, queues.stream().map(queue -> "queue:" + queue).collect(Collectors.toSet()));

    private EngineTestBed bed;
    private JobEngine engine;

    /** Lines that would mislead or alarm a reader of the log. */
    private static final class BadLines extends AppenderBase<ILoggingEvent> {

        private static final int LONGEST = 1_000;

        final Queue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            String line = event.getLevel() + " " + event.getFormattedMessage();
            boolean bad = event.getLevel() == Level.ERROR
                    || line.length() > LONGEST
                    || line.chars().anyMatch(Character::isISOControl)
                    || event.getMDCPropertyMap().values().stream()
                            .anyMatch(value ->
                                    value.length() > LONGEST || value.chars().anyMatch(Character::isISOControl));
            if (bad) {
                lines.add(BadInput.shown(line.getBytes(UTF_8)) + " "
                        + event.getMDCPropertyMap().keySet()
                        + (event.getThrowableProxy() == null
                                ? ""
                                : " " + event.getThrowableProxy().getClassName() + ": "
                                        + event.getThrowableProxy().getMessage()));
            }
        }
    }

    /** What the engine reported about jobs, by their essence, and errors while they were inspected. */
    private static final class Heard implements JobListener {

        final Map<String, List<Ending>> endings = new ConcurrentHashMap<>();
        final LongAdder ends = new LongAdder();
        final LongAdder errors = new LongAdder();
        final LongAdder deaths = new LongAdder();
        final List<Throwable> surprises = new CopyOnWriteArrayList<>();

        @Override
        public void started(JobContext job) {
            try {
                assertThat(List.of(
                                job.jid(), job.name(), job.queue(), job.attempt(), job.recoveries(), job.holdsLease()))
                        .doesNotContainNull();
                Long retries = job.payload().integer("retry_count");
                assertThat((long) job.attempt())
                        .isGreaterThanOrEqualTo(retries == null ? 1 : Math.min(retries, Integer.MAX_VALUE - 2) + 2);
                assertThat(job.toString() + job.payload()).isNotEmpty();
                assertThat(job.payload().asMap().keySet())
                        .isEqualTo(job.payload().names());
                for (String name : job.payload().names()) {
                    job.payload().time(name);
                    job.payload().integer(name);
                }
            } catch (Throwable e) {
                surprises.add(e);
            }
        }

        @Override
        public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
            String essence = BadInput.essence(((ClaimedJob) job).stored());
            endings.computeIfAbsent(essence, key -> new CopyOnWriteArrayList<>())
                    .add(ending);
            ends.increment();
        }
    }

    @BeforeEach
    void start() {
        redis.flush();
        badLines.start();
        logger.addAppender(badLines);
        logger.setAdditive(false);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
        bed = new EngineTestBed(redis);
        start(Duration.ZERO); // an unknown name is one of the bad inputs
    }

    /** @param wait how long jobs wait for another version */
    private void start(Duration wait) {
        EngineConfig config = EngineConfig.of(List.of(new CapsuleConfig("default", THREADS, weights())))
                .with(values -> {
                    values.unknownJobWait = wait;
                    values.shutdownTimeout = Duration.ofSeconds(5);
                    values.dead = new DeadSetBounds(Math.max(COUNT, LONG_COUNT) + 1, Duration.ofDays(1));
                });
        EngineEnvironment environment = new EngineEnvironment(
                Clock.systemUTC(), System::nanoTime, new java.util.Random(SEED), Thread::new, error -> {});
        engine = new JobEngine(config, redis.connections(""), registry, hooks(), environment);
        engine.start();
        await().until(() -> engine.health().alive() && engine.health().leader());
    }

    private Map<String, Integer> weights() {
        Map<String, Integer> weights = new LinkedHashMap<>();
        queues.forEach(queue -> weights.put(queue, 0));
        return weights;
    }

    private JobHooks hooks() {
        // First retries are due too late to be seen here, however slow the machine is; later ones are anyway.
        RetryPolicy late = (payload, count, failure) -> count < 8 ? Decision.retryIn(Duration.ofDays(1)) : null;
        return JobHooks.none()
                .with(RetryPolicy.class, late)
                .with(DeathHandler.class, (payload, failure) -> heard.deaths.increment())
                .with(JobErrorHandler.class, (failure, context, payload) -> heard.errors.increment())
                .with(JobListener.class, heard);
    }

    @AfterEach
    void stop() {
        engine.stop();
        bed.close();
        Thread.setDefaultUncaughtExceptionHandler(before);
        logger.detachAppender(badLines);
        logger.setAdditive(true);
    }

    @Test
    @Timeout(600)
    @Tag("sidekiq-10")
    @Tag("sidekiq-20.2")
    void everyBadInputHasOneOutcomeAndTheWorkerGoesOn() {
        tryInputs(COUNT);
    }

    @LongTest
    @Test
    @Timeout(600)
    void everyOneOfManyBadInputsHasOneOutcomeAndTheWorkerGoesOn() {
        tryInputs(LONG_COUNT);
    }

    private void tryInputs(int count) {
        Set<Thread> threads = threads();
        BadInputs inputs = new BadInputs(SEED);
        for (int from = 0; from < count; from += BATCH) {
            Map<String, BadInput> batch = batch(inputs, Math.min(BATCH, count - from));
            push(batch.values());
            awaitWorkedOff();
            judge(batch);
            nothingIsWrong();
        }
        Set<Thread> later = threads();
        assertThat(later).as("threads").containsAll(threads);
        assertThat(later).extracting(Thread::getName).doesNotHaveDuplicates();
        later.removeAll(threads);
        assertThat(later).as("those that jobs needed").allMatch(thread -> thread.getName()
                .matches("jobs-default-\\d+"));
        theBooksAreExact(count);
        theNextGoodJobsRun();
    }

    @Test
    @Timeout(600)
    void everyInputForAnotherVersionWaitsForIt() {
        engine.stop();
        start(Duration.ofHours(1));
        BadInputs inputs = new BadInputs(SEED);
        // So long that none is due again before it is looked at.
        long since = System.currentTimeMillis() - Duration.ofMinutes(1).toMillis();
        Map<String, BadInput> batch = new LinkedHashMap<>();
        while (batch.size() < BATCH) {
            BadInput input = inputs.nextOfAnotherVersion(since);
            batch.putIfAbsent(BadInput.essence(input.bytes()), input);
        }
        push(batch.values());
        awaitWorkedOff();
        List<StoredEntry> found = takeEverything();
        assertThat(found).as(replay()).hasSameSizeAs(batch.values()).allSatisfy(entry -> {
            assertThat(entry.key()).isEqualTo("schedule");
            assertThat(entry.score()).isBetween(now(), now() + 23);
            String essence = BadInput.essence(entry.bytes());
            assertThat(batch).containsKey(essence);
            Payload before = batch.get(essence).payload();
            Payload after = Payload.parse(entry.bytes());
            assertThat(after.queue()).isEqualTo("default");
            assertThat(after.get("retry_count")).isEqualTo(before.get("retry_count"));
            assertThat(after.has("enqueued_at")).isFalse();
            assertThat(after.integer(ForeignJobs.SINCE)).isEqualTo(since);
        });
        assertThat(heard.endings.values())
                .allSatisfy(endings -> assertThat(endings).containsExactly(JobListener.Ending.POSTPONED));
        nothingIsWrong();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(List.<Number>of(bed.processed(), bed.failed(), heard.errors.sum(), heard.deaths.sum()))
                .containsOnly(0L);
    }

    private static String replay() {
        return "-Djobs.fuzz.seed=" + SEED + " -Djobs.fuzz.count=" + LONG_COUNT;
    }

    /** All but the reaper's, which comes and goes. */
    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("jobs-")
                        && !thread.getName().equals("jobs-reaper"))
                .collect(Collectors.toSet());
    }

    /** Distinguishable inputs by their essence. */
    private static Map<String, BadInput> batch(BadInputs inputs, int count) {
        Map<String, BadInput> batch = new LinkedHashMap<>();
        while (batch.size() < count) {
            BadInput input = inputs.next();
            batch.putIfAbsent(BadInput.essence(input.bytes()), input);
        }
        return batch;
    }

    private static void push(Iterable<BadInput> inputs) {
        Map<String, List<BadInput>> byKey = new HashMap<>();
        inputs.forEach(input ->
                byKey.computeIfAbsent(input.key(), key -> new ArrayList<>()).add(input));
        byKey.forEach((key, all) -> {
            if (all.get(0).inSet()) {
                redis.bytes().zadd(key.getBytes(UTF_8), scored(all));
            } else {
                redis.bytes()
                        .lpush(
                                key.getBytes(UTF_8),
                                all.stream().map(BadInput::bytes).toArray(byte[][]::new));
            }
        });
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static ScoredValue<byte[]>[] scored(List<BadInput> inputs) {
        return inputs.stream()
                .map(input -> ScoredValue.just(input.score(), input.bytes()))
                .toArray(ScoredValue[]::new);
    }

    private void awaitWorkedOff() {
        try {
            await().dontCatchUncaughtExceptions() // they are reported with the seed
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(10))
                    .until(this::isWorkedOff);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    replay() + " stands still. Uncaught: " + uncaught + "\nIn flight: " + inFlight() + "\nLog: "
                            + badLines.lines,
                    e);
        }
    }

    /**
     * Looks in the order in which jobs move, so that none slips through. Jobs that were read ahead and went back are
     * claimed once more.
     */
    private boolean isWorkedOff() {
        if (due("schedule") + due("retry") > 0
                || !queues.stream().allMatch(queue -> redis.texts().llen("queue:" + queue) == 0)) {
            return false;
        }
        Ledger.Totals books = bed.books();
        return books.inFlight() == 0 && books.claimed() - books.requeued() == heard.ends.sum();
    }

    private static long due(String set) {
        return redis.texts().zcount(set, Range.create(Double.NEGATIVE_INFINITY, now()));
    }

    private static double now() {
        return System.currentTimeMillis() / 1_000.0;
    }

    private void judge(Map<String, BadInput> batch) {
        Map<String, List<StoredEntry>> found = new HashMap<>();
        for (StoredEntry each : takeEverything()) {
            found.computeIfAbsent(BadInput.essence(each.bytes()), key -> new ArrayList<>())
                    .add(each);
        }
        batch.forEach((essence, input) -> {
            List<JobListener.Ending> endings = heard.endings.remove(essence);
            List<StoredEntry> there = found.remove(essence);
            results.judge(input, endings == null ? List.of() : endings, there == null ? List.of() : there, now());
        });
        assertThat(found.values()).as("unexpected entries").isEmpty();
        assertThat(heard.endings.keySet())
                .as("executions of unexpected entries")
                .isEmpty();
    }

    /** Takes everything left of a batch, which makes room for the next one. */
    private static List<StoredEntry> takeEverything() {
        List<StoredEntry> all = new ArrayList<>();
        for (String set : List.of("schedule", "retry", "dead")) {
            redis.bytes()
                    .zrangeWithScores(set.getBytes(UTF_8), 0, -1)
                    .forEach(entry -> all.add(new StoredEntry(set, entry.getScore(), entry.getValue())));
            redis.texts().del(set);
        }
        for (String key : redis.texts().keys("queue:*")) {
            redis.bytes().lrange(key.getBytes(UTF_8), 0, -1).forEach(bytes -> all.add(new StoredEntry(key, 0, bytes)));
            redis.texts().del(key);
        }
        return all;
    }

    private static List<String> inFlight() {
        return redis.texts().keys("jobs:in:*").stream()
                .flatMap(key -> redis.bytes().hvals(key.getBytes(UTF_8)).stream())
                .map(BadInput::shown)
                .toList();
    }

    private void theBooksAreExact(int count) {
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        assertThat(bed.processed()).isEqualTo(results.executed());
        assertThat(bed.failed()).isEqualTo(results.failed());
        assertThat(heard.errors.sum()).isEqualTo(results.reported());
        assertThat(heard.deaths.sum()).isEqualTo(results.died());
        assertThat(jobs.done.sum()).isEqualTo(results.count(Result.DONE));
        for (Result result : Result.values()) {
            assertThat(results.count(result)).as(results + " " + replay()).isGreaterThan(count / 1_000);
        }
    }

    private void nothingIsWrong() {
        assertThat(results.failures()).as(replay()).isEmpty();
        assertThat(badLines.lines).as("log of " + replay()).isEmpty();
        assertThat(heard.surprises).as("thrown by a job's context, " + replay()).isEmpty();
        assertThat(uncaught).as("uncaught, " + replay()).isEmpty();
    }

    private void theNextGoodJobsRun() {
        long before = jobs.done.sum();
        for (int i = 0; i < THREADS; i++) {
            bed.push(queues.get(i % 2), payload("Fuzz::Together", "j" + i, "[]"));
        }
        await().atMost(Duration.ofSeconds(40)).until(() -> jobs.done.sum() == before + THREADS);
        redis.texts().zadd("schedule", 1, payload("Fuzz::None", "j", "[]"));
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.done.sum() == before + THREADS + 1);
        bed.awaitDrained(queues.toArray(String[]::new));
        EngineHealth health = engine.health();
        assertThat(health.state()).isEqualTo(EngineHealth.State.RUNNING);
        assertThat(health.alive()).isTrue();
        assertThat(health.redisError()).isNull();
    }
}
