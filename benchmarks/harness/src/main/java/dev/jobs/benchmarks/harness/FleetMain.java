package dev.jobs.benchmarks.harness;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.CommandLoop;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Many workers in one JVM, as Redis sees them: each has an engine with its own identity, lease, connections and
 * threads. They share network threads and the compiled code. The argument is the address of Redis.
 */
final class FleetMain implements CommandLoop.Program {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Work work = new Work();
    private final JobRegistry registry = JobRegistry.of(work);
    private final ClientResources resources;
    private final RedisClient redis;
    private final List<JobEngine> engines = new ArrayList<>();
    private Tally tally = new Tally(0);

    private FleetMain(String uri) {
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(TIMEOUT);
        resources = RedisConnections.resources(DefaultClientResources.create());
        redis = new AsyncRedisClient(resources, address);
        redis.setOptions(RedisConnections.options(ClientOptions.create(), TIMEOUT));
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new FleetMain(arguments[0]));
    }

    @Override
    public Answer greeting() {
        return new Answer().with("pid", ProcessHandle.current().pid());
    }

    @Override
    public Answer perform(List<String> words) {
        return switch (words.get(0)) {
            case "start" -> start(Integer.parseInt(words.get(1)), Integer.parseInt(words.get(2)), words.get(3));
            case "restart" -> restart();
            case "count" -> count();
            case "ran" -> new Answer().with("ran", tally.count());
            case "waits" -> waits();
            case "threads" ->
                new Answer().with("threads", ManagementFactory.getThreadMXBean().getThreadCount());
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    private Answer start(int count, int threads, String queues) {
        count();
        EngineConfig config = EngineConfig.of(threads, queues.split(";"));
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            JobEngine engine = new JobEngine(
                    config,
                    new RedisConnections(() -> redis, new RedisKeys(""), TIMEOUT),
                    registry,
                    JobHooks.none(),
                    EngineEnvironment.system());
            engines.add(engine);
            engine.start();
        }
        engines.forEach(FleetMain::awaitReady);
        return new Answer().with("nanos", System.nanoTime() - begin);
    }

    private static void awaitReady(JobEngine engine) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (EngineHealth health = engine.health(); !(health.alive() && health.doorbell()); ) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("an engine is not ready: " + health);
            }
            LockSupport.parkNanos(1_000_000);
            health = engine.health();
        }
    }

    /** One after the other: each stops, starts again under a new identity, and is ready before the next one stops. */
    private Answer restart() {
        long begin = System.nanoTime();
        long longest = 0;
        for (JobEngine engine : engines) {
            long stop = System.nanoTime();
            engine.stop();
            longest = Math.max(longest, System.nanoTime() - stop);
            engine.start();
            awaitReady(engine);
        }
        return new Answer().with("nanos", System.nanoTime() - begin).with("longest_stop_nanos", longest);
    }

    /** Counts jobs from here on. */
    private Answer count() {
        tally = new Tally(Integer.MAX_VALUE);
        work.count(tally);
        return new Answer();
    }

    /** The waiting times of the timed jobs, whose number is the time from which they wait. */
    private Answer waits() {
        return new Answer()
                .with(
                        "waits",
                        tally.entered().entrySet().stream()
                                .map(each -> Long.toString(each.getValue() - each.getKey()))
                                .collect(Collectors.joining(",")));
    }

    @Override
    public void close() {
        engines.parallelStream().forEach(JobEngine::stop);
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
