package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import dev.jobs.BatchAccess;
import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.RetryPolicy;
import dev.jobs.redis.CurrentDelivery;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.Ledger;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Engines under test, the calls of their hooks, and what is left in Redis. */
final class EngineTestBed implements AutoCloseable {

    /** One call of a death or error handler. */
    record Heard(Payload payload, Throwable failure) {}

    /** One end of an execution. */
    record Ended(String jid, JobListener.Ending ending, Throwable failure) {}

    final RedisFixture redis;
    volatile boolean hearsOfDeaths = true;
    final List<Heard> deaths = new CopyOnWriteArrayList<>();
    final List<Heard> errors = new CopyOnWriteArrayList<>();
    final List<Ended> ends = new CopyOnWriteArrayList<>();
    final List<Integer> recoveries = new CopyOnWriteArrayList<>();
    final List<JobMiddleware> middleware = new CopyOnWriteArrayList<>();
    final List<EnqueueMiddleware> enqueueMiddleware = new CopyOnWriteArrayList<>();
    final List<RetryPolicy> policies = new CopyOnWriteArrayList<>();
    final List<DeathHandler> deathHandlers = new CopyOnWriteArrayList<>();
    final List<Duration> lateness = new CopyOnWriteArrayList<>();
    final List<JobListener> listeners = new CopyOnWriteArrayList<>();
    final List<JobErrorHandler> errorHandlers = new CopyOnWriteArrayList<>();
    /** Unknown jobs fail at once, since most tests have no second version. */
    EngineConfig config = EngineConfig.of(10, "default").toBuilder()
            .unknownJobWait(Duration.ZERO)
            .build();

    EngineEnvironment environment = EngineEnvironment.system();
    EffectSource effects = EffectSource.NONE;
    BatchAccess batches = BatchAccess.NONE;
    final CurrentDelivery current = new CurrentDelivery();
    /** What its engines share; each has places of its own unless a test says otherwise. */
    PlacePool places;

    private final List<JobEngine> engines = new ArrayList<>();
    private final RedisConnections connections;
    private final RedisConnection reading;

    EngineTestBed(RedisFixture redis) {
        this(redis, Duration.ofSeconds(5));
    }

    EngineTestBed(RedisFixture redis, Duration commandTimeout) {
        this(
                redis,
                redis.connections("", commandTimeout),
                redis.connections("", Duration.ofSeconds(30)).open("jobs-test"));
    }

    /** @param connections those of the engines */
    EngineTestBed(RedisFixture redis, RedisConnections connections) {
        this(redis, connections, connections.open("jobs-test"));
    }

    private EngineTestBed(RedisFixture redis, RedisConnections connections, RedisConnection reading) {
        this.redis = redis;
        this.connections = connections;
        this.reading = reading;
    }

    RedisConnections connections() {
        return connections;
    }

    /** Starts an engine with all {@link Job} methods of an object, or with a registry. */
    JobEngine start(Object jobs) {
        JobEngine engine = engine(jobs);
        engine.start();
        return engine;
    }

    JobEngine engine(Object jobs) {
        return engine(jobs, connections);
    }

    /** An engine over connections that a test has prepared. */
    JobEngine engine(Object jobs, RedisConnections over) {
        JobRegistry registry = jobs instanceof JobRegistry known ? known : JobRegistry.of(jobs);
        JobEngine engine = new JobEngine(
                config,
                over,
                registry,
                hooks(),
                effects,
                environment,
                current,
                places == null ? new PlacePool() : places);
        engines.add(engine);
        return engine;
    }

    JobHooks hooks() {
        DeathHandler death = new DeathHandler() {
            @Override
            public void died(Payload payload, Throwable failure) {
                deaths.add(new Heard(payload, failure));
            }

            @Override
            public boolean isListening() {
                return hearsOfDeaths;
            }
        };
        JobErrorHandler error = (failure, context, payload) -> errors.add(new Heard(payload, failure));
        JobListener listener = new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
                ends.add(new Ended(job.jid(), ending, failure));
            }

            @Override
            public void recovered(int requeued, int poisoned) {
                recoveries.add(requeued);
            }

            @Override
            public void promoted(String name, String queue, Duration late) {
                lateness.add(late);
            }
        };
        return new JobHooks(
                        List.copyOf(enqueueMiddleware),
                        List.copyOf(middleware),
                        List.copyOf(policies),
                        Stream.concat(deathHandlers.stream(), Stream.of(death)).toList(),
                        Stream.concat(errorHandlers.stream(), Stream.of(error)).toList(),
                        Stream.concat(listeners.stream(), Stream.of(listener)).toList())
                .withBatches(batches);
    }

    /** The same configuration with other times. */
    void times(Duration shutdownTimeout, Duration lease) {
        config =
                config.toBuilder().shutdownTimeout(shutdownTimeout).lease(lease).build();
    }

    void capsules(CapsuleConfig... capsules) {
        config = config.toBuilder().capsules(List.of(capsules)).build();
    }

    void clock(Clock clock) {
        environment = new EngineEnvironment(
                clock,
                environment.nanoTime(),
                environment.random(),
                environment.processorThreads(),
                environment.outOfMemory());
    }

    void random(RandomGenerator random) {
        environment = new EngineEnvironment(
                environment.clock(),
                environment.nanoTime(),
                random,
                environment.processorThreads(),
                environment.outOfMemory());
    }

    void push(String queue, String payload) {
        redis.bytes().lpush(("queue:" + queue).getBytes(UTF_8), payload.getBytes(UTF_8));
    }

    static String payload(String name, String jid, String arguments, String... more) {
        StringBuilder json =
                new StringBuilder("{\"class\":\"" + name + "\",\"args\":" + arguments + ",\"jid\":\"" + jid + "\"");
        for (String member : more) {
            json.append(',').append(member);
        }
        return json.append('}').toString();
    }

    Ledger.Totals books() {
        return new Ledger(reading, connections.keys()).read();
    }

    /** For a runner whose jobs use no limiters. */
    static OverLimits noLimits() {
        return new OverLimits(
                LimiterConfig.defaults(),
                new CurrentDelivery(),
                EngineEnvironment.system().random());
    }

    /** What a runner without Redis needs: no job waits for another version. */
    static ForeignJobs noOtherVersion() {
        EngineEnvironment environment = EngineEnvironment.system();
        FailureHandling payloads = new FailureHandling(
                JobHooks.none(), 25, PayloadTimes.MILLISECONDS, environment.clock(), environment.random());
        return new ForeignJobs(
                (queue, job, own) -> false,
                payloads,
                Duration.ZERO,
                new Yielding(environment.nanoTime()),
                environment,
                JobRegistry.of());
    }

    /** What a context without limited jobs needs. */
    static LimitedJobs unlimited() {
        return new LimitedJobs(JobRegistry.of(), LimitConfig.defaults(), new RedisKeys(""));
    }

    /** Waits until nothing waits in the queues and nothing is in flight. */
    void awaitDrained(String... queues) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            Ledger.Totals before = books();
            long waiting = 0;
            for (String queue : queues) {
                waiting += redis.texts().llen("queue:" + queue);
            }
            // a job that comes back may have been claimed while its queue was read, and be there again now
            return waiting == 0 && before.inFlight() == 0 && books().equals(before);
        });
    }

    void awaitEnds(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> ends.size() >= count);
    }

    long processed() {
        return number("stat:processed");
    }

    long failed() {
        return number("stat:failed");
    }

    private long number(String key) {
        String text = redis.texts().get(key);
        return text == null ? 0 : Long.parseLong(text);
    }

    /** The only member of a set, parsed. */
    Payload only(String set) {
        List<String> members = redis.texts().zrange(set, 0, -1);
        if (members.size() != 1) {
            throw new AssertionError(set + " holds " + members);
        }
        return Payload.parse(members.get(0).getBytes(UTF_8));
    }

    /** The heartbeats of the engines come at once, which hear of signals and cancellations then. */
    void beat() {
        engines.forEach(JobEngine::showNow);
    }

    void stopEngines() {
        engines.forEach(JobEngine::stop);
    }

    @Override
    public void close() {
        stopEngines();
        reading.close();
    }
}
