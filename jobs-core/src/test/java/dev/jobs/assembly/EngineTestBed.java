package dev.jobs.assembly;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

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
import dev.jobs.RetryPolicy;
import dev.jobs.batches.BatchAccess;
import dev.jobs.client.ClientConfig;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.EngineFeature;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.ThreadPools;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.limits.LimitConfig;
import dev.jobs.limits.LimitedJobs;
import dev.jobs.lists.Ledger;
import dev.jobs.metrics.ExecutionCounts;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Engines under test, the calls of their hooks, and what is left in Redis. */
public final class EngineTestBed implements AutoCloseable {

    /** One call of a death or error handler. */
    public record Heard(Payload payload, Throwable failure) {}

    /** One end of an execution. */
    public record Ended(String jid, JobListener.Ending ending, Throwable failure) {}

    final RedisFixture redis;
    public volatile boolean hearsOfDeaths = true;
    public final List<Heard> deaths = new CopyOnWriteArrayList<>();
    public final List<Heard> errors = new CopyOnWriteArrayList<>();
    public final List<Ended> ends = new CopyOnWriteArrayList<>();
    public final List<Integer> recoveries = new CopyOnWriteArrayList<>();
    public final List<JobMiddleware> middleware = new CopyOnWriteArrayList<>();
    public final List<EnqueueMiddleware> enqueueMiddleware = new CopyOnWriteArrayList<>();
    public final List<RetryPolicy> policies = new CopyOnWriteArrayList<>();
    public final List<DeathHandler> deathHandlers = new CopyOnWriteArrayList<>();
    public final List<Duration> lateness = new CopyOnWriteArrayList<>();
    public final List<JobListener> listeners = new CopyOnWriteArrayList<>();
    public final List<JobErrorHandler> errorHandlers = new CopyOnWriteArrayList<>();
    /** Unknown jobs fail at once, since most tests have no second version. */
    public EngineConfig config = EngineConfig.of(10, "default").with(values -> values.unknownJobWait = Duration.ZERO);

    public EngineEnvironment environment = EngineEnvironment.system();
    public EffectSource effects = EffectSource.NONE;
    public BatchAccess batches = BatchAccess.NONE;
    public final CurrentDelivery current = new CurrentDelivery();
    /** What its engines share; each has threads of its own unless a test says otherwise. */
    public ThreadPools pools;

    private final List<JobEngine> engines = new ArrayList<>();
    private final List<RedisJobClient> clients = new ArrayList<>();
    private JobsAdmin admin;
    private final RedisConnections connections;
    private final RedisConnection reading;

    public EngineTestBed(RedisFixture redis) {
        this(redis, redis.connections(""));
    }

    /** @param commandTimeout of the engines, for tests in which no answer comes */
    public EngineTestBed(RedisFixture redis, Duration commandTimeout) {
        this(
                redis,
                redis.connections("", commandTimeout),
                redis.connections("", Duration.ofSeconds(30)).open("jobs-test"));
    }

    /** @param connections those of the engines */
    public EngineTestBed(RedisFixture redis, RedisConnections connections) {
        this(redis, connections, connections.open("jobs-test"));
    }

    private EngineTestBed(RedisFixture redis, RedisConnections connections, RedisConnection reading) {
        this.redis = redis;
        this.connections = connections;
        this.reading = reading;
    }

    public RedisConnections connections() {
        return connections;
    }

    /** Starts an engine with all {@link Job} methods of an object, or with a registry. */
    public JobEngine start(Object jobs) {
        JobEngine engine = engine(jobs);
        engine.start();
        return engine;
    }

    public JobEngine engine(Object jobs) {
        return engine(jobs, connections);
    }

    /** An engine over connections that a test has prepared. */
    public JobEngine engine(Object jobs, RedisConnections over) {
        JobRegistry registry = jobs instanceof JobRegistry known ? known : JobRegistry.of(jobs);
        JobEngine engine = new JobEngine(
                config.with(values -> values.features = features()),
                over,
                registry,
                hooks(),
                environment,
                current,
                pools == null ? new ThreadPools() : pools);
        engines.add(engine);
        return engine;
    }

    /** Those of the configuration, and one that gives all jobs the effects of this test. */
    public List<EngineFeature> features() {
        EffectSource source = effects;
        List<EngineFeature> all = new ArrayList<>(config.features());
        all.add(new EngineFeature() {
            @Override
            public List<JobEffects.Part> effects(RedisKeys keys) {
                return List.of((ended, job, outcome) -> ended.addAll(source.of(job.stored())));
            }

            @Override
            public EffectSource moved(RedisKeys keys) {
                return source;
            }
        });
        return all;
    }

    /** A client that knows the {@link Job} methods of these objects, or those of a registry. */
    public RedisJobClient client(Object... jobs) {
        RedisJobClient client = new RedisJobClient(
                connections,
                jobs.length == 1 && jobs[0] instanceof JobRegistry known ? known : JobRegistry.of(jobs),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
        clients.add(client);
        return client;
    }

    /** Administration, whose dead set has few jobs. */
    public JobsAdmin admin() {
        if (admin == null) {
            admin = new JobsAdmin(
                    connections, new DeadSetBounds(100, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());
        }
        return admin;
    }

    public JobHooks hooks() {
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
        return JobHooks.none()
                .with(EnqueueMiddleware.class, List.copyOf(enqueueMiddleware))
                .with(JobMiddleware.class, List.copyOf(middleware))
                .with(RetryPolicy.class, List.copyOf(policies))
                .with(
                        DeathHandler.class,
                        Stream.concat(deathHandlers.stream(), Stream.of(death)).toList())
                .with(
                        JobErrorHandler.class,
                        Stream.concat(errorHandlers.stream(), Stream.of(error)).toList())
                .with(
                        JobListener.class,
                        Stream.concat(listeners.stream(), Stream.of(listener)).toList())
                .withTool(BatchAccess.class, batches);
    }

    /** The same configuration with other times. */
    public void times(Duration shutdownTimeout, Duration lease) {
        config = config.with(values -> {
            values.shutdownTimeout = shutdownTimeout;
            values.lease = lease;
        });
    }

    public void capsules(CapsuleConfig... capsules) {
        config = config.with(values -> values.capsules = List.of(capsules));
    }

    public void clock(Clock clock) {
        environment = new EngineEnvironment(
                clock,
                environment.nanoTime(),
                environment.random(),
                environment.processorThreads(),
                environment.outOfMemory());
    }

    public void random(RandomGenerator random) {
        environment = new EngineEnvironment(
                environment.clock(),
                environment.nanoTime(),
                random,
                environment.processorThreads(),
                environment.outOfMemory());
    }

    public void push(String queue, String payload) {
        redis.bytes().lpush(("queue:" + queue).getBytes(UTF_8), payload.getBytes(UTF_8));
    }

    public static String payload(String name, String jid, String arguments, String... more) {
        StringBuilder json =
                new StringBuilder("{\"class\":\"" + name + "\",\"args\":" + arguments + ",\"jid\":\"" + jid + "\"");
        for (String member : more) {
            json.append(',').append(member);
        }
        return json.append('}').toString();
    }

    public Ledger.Totals books() {
        return new Ledger(reading, connections.keys()).read();
    }

    /** What a runner without Redis has. Its jobs use no limiters, and those that iterate do nothing. */
    public static List<JobPart> partsInMemory(
            JobRegistry registry, JobHooks hooks, FailureHandling failures, CancelledJobs cancelled) {
        List<JobPart> parts = new ArrayList<>();
        parts.add(new ExecutionCounts());
        parts.addAll(RunParts.inMemory(
                registry,
                hooks,
                failures,
                EngineEnvironment.system(),
                LimiterConfig.defaults(),
                new CurrentDelivery(),
                cancelled,
                payload -> true,
                (iteration, job) -> {}));
        return parts;
    }

    /** What a context without limited jobs needs. */
    public static LimitedJobs unlimited() {
        return new LimitedJobs(JobRegistry.of(), LimitConfig.defaults(), new RedisKeys(""), payload -> null);
    }

    /** Waits until nothing waits in the queues and nothing is in flight. */
    public void awaitDrained(String... queues) {
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

    public void awaitEnds(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> ends.size() >= count);
    }

    public long processed() {
        return number("stat:processed");
    }

    public long failed() {
        return number("stat:failed");
    }

    private long number(String key) {
        String text = redis.texts().get(key);
        return text == null ? 0 : Long.parseLong(text);
    }

    /** The only member of a set, parsed. */
    public Payload only(String set) {
        List<String> members = redis.texts().zrange(set, 0, -1);
        if (members.size() != 1) {
            throw new AssertionError(set + " holds " + members);
        }
        return Payload.parse(members.get(0).getBytes(UTF_8));
    }

    /** The heartbeats of the engines come at once, which hear of signals and cancellations then. */
    public void beat() {
        engines.forEach(JobEngine::showNow);
    }

    public void stopEngines() {
        engines.forEach(JobEngine::stop);
    }

    @Override
    public void close() {
        stopEngines();
        reading.close();
        clients.forEach(RedisJobClient::close);
        if (admin != null) {
            admin.close();
        }
    }
}
