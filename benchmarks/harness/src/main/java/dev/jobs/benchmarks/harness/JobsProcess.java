package dev.jobs.benchmarks.harness;

import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.RedisBatches;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Arguments.Order;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.StoredLimiters;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** This library's client and engine in one process, wired as by the auto-configuration. */
final class JobsProcess implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The jobs. */
    static final class Work {

        static final String RUN = "Work.run";

        private volatile Tally tally = new Tally(0);

        /** Tells this tally of jobs from here on. */
        void count(Tally counting) {
            tally = counting;
        }

        @Job(RUN)
        void run(String text, long number, Order order) {
            tally.ran(number);
        }

        @Job("Work.timed")
        void timed(long id) {
            tally.ran(id);
        }

        @Job("Work.answer")
        int answer(int number) {
            return number;
        }

        @Job("Work.sleep")
        void sleep(long id, int millis) {
            tally.ran(id);
            Pauses.pause(Duration.ofMillis(millis));
        }
    }

    /** Jobs that record their ends in a file, outside Redis. */
    static final class Recorded {

        private volatile @Nullable OutputStream file;

        @Job("Recorded.run")
        void run(int number) throws IOException {
            Pauses.pause(Duration.ofMillis(5));
            write(Integer.toString(number));
        }

        @Job("Recorded.callback")
        void callback() throws IOException {
            write("callback");
        }

        /** A line is one write, so that a kill leaves no half of one. */
        private void write(String line) throws IOException {
            Objects.requireNonNull(file).write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** A queue in which keys take turns. */
    static final String FAIR = "fair";

    /** A queue that is ordered by priority. */
    static final String BY_PRIORITY = "by-priority";

    private static final OrderRules ORDERS =
            new OrderRules(Map.of(FAIR, OrderRule.fair(), BY_PRIORITY, OrderRule.priority(Duration.ofSeconds(1))));

    private final Work work = new Work();
    private final Recorded recorded = new Recorded();
    private final JobRegistry registry = JobRegistry.of(work, recorded);
    private final ClientResources resources;
    private final RedisClient redis;
    private final RedisConnections connections;
    private final RedisJobClient client;
    private final RedisBatches batches;
    private final StoredLimiters limiters;
    private @Nullable JobEngine engine;

    JobsProcess(String uri) {
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(TIMEOUT);
        resources = RedisConnections.resources(DefaultClientResources.create());
        redis = new AsyncRedisClient(resources, address);
        redis.setOptions(RedisConnections.options(ClientOptions.create(), TIMEOUT));
        connections = new RedisConnections(() -> redis, new RedisKeys("", ORDERS), TIMEOUT);
        client = new RedisJobClient(
                connections, registry, JobHooks.none(), ClientConfig.defaults(), Clock.systemUTC(), new SecureRandom());
        client.warmUp(); // as an application does during its start
        batches = new RedisBatches(connections, client, new SecureRandom());
        limiters = new StoredLimiters(
                new JobLimiters(connections),
                new CurrentDelivery(),
                JobHooks.none(),
                System::nanoTime,
                new SecureRandom());
    }

    RedisJobClient client() {
        return client;
    }

    RedisBatches batches() {
        return batches;
    }

    StoredLimiters limiters() {
        return limiters;
    }

    /** Opens a connection, which its user closes. */
    RedisRecurringJobs recurring() {
        return new RedisRecurringJobs(
                connections, registry, JobHooks.none(), ClientConfig.defaults(), new SecureRandom(), "default");
    }

    /** Opens a connection. */
    JobsAdmin admin() {
        DeadSetBounds dead = new DeadSetBounds(10_000, Duration.ofDays(180));
        return new JobsAdmin(connections, dead, JobHooks.none(), Clock.systemUTC());
    }

    /** Opens the file for the ends of jobs that are recorded. */
    void record(Path file) throws IOException {
        recorded.file = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /**
     * Returns when the engine can run a job immediately.
     *
     * @return how long the call took for which an application waits, in nanoseconds
     */
    long start(EngineConfig config, ThreadFactory threads, Tally tally) {
        work.count(tally);
        JobEngine starting = new JobEngine(
                config,
                connections,
                registry,
                JobHooks.none().withTool(BatchAccess.class, batches),
                EngineEnvironment.system().withProcessorThreads(threads));
        long begin = System.nanoTime();
        starting.start();
        long took = System.nanoTime() - begin;
        engine = starting;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (EngineHealth health = starting.health(); !(health.alive() && health.doorbell()); ) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the engine is not ready: " + health);
            }
            LockSupport.parkNanos(100_000);
            health = starting.health();
        }
        return took;
    }

    void stop() {
        if (engine != null) {
            engine.stop();
            engine = null;
        }
    }

    @Override
    public void close() {
        stop();
        limiters.close();
        batches.close();
        client.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, java.util.concurrent.TimeUnit.SECONDS);
    }

    /** Lists of arguments, created on demand. */
    static Iterable<List<Object>> times(int count, Arguments arguments) {
        return Collections.nCopies(count, list(arguments));
    }

    static List<Object> list(Arguments arguments) {
        return List.of(arguments.text(), arguments.number(), arguments.order());
    }
}
