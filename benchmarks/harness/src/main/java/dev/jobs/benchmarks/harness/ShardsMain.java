package dev.jobs.benchmarks.harness;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.CommandLoop;
import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.ThreadPools;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.shards.ShardedJobStore;
import dev.jobs.transactions.Transactions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One process with a client and workers of several shards, each under a prefix of its own on one Redis: what a job
 * costs is seen there, and what several servers would gain is not. The argument is the address of Redis.
 */
final class ShardsMain implements CommandLoop.Program {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int PATIENCE_SECONDS = 120;
    private static final String QUEUE = "default";

    private final Work work = new Work();
    private final JobRegistry registry = JobRegistry.of(work);
    private final RedisServer server;
    private final ClientResources resources;
    private final RedisClient redis;

    private ShardsMain(String uri) {
        server = new RedisServer(uri);
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(TIMEOUT);
        resources = RedisConnections.resources(DefaultClientResources.create());
        redis = new AsyncRedisClient(resources, address);
        redis.setOptions(RedisConnections.options(ClientOptions.create(), TIMEOUT));
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new ShardsMain(arguments[0]));
    }

    @Override
    public Answer greeting() {
        return new Answer().with("pid", ProcessHandle.current().pid());
    }

    @Override
    public Answer perform(List<String> words) throws InterruptedException {
        int shards = Integer.parseInt(words.get(1));
        int jobs = Integer.parseInt(words.get(2));
        return switch (words.get(0)) {
            case "fill" -> push(shards, jobs, true);
            case "singly" -> push(shards, jobs, false);
            case "drain" -> drain(shards, jobs, Integer.parseInt(words.get(3)));
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    private Map<String, RedisConnections> connections(int shards) {
        Map<String, RedisConnections> all = new LinkedHashMap<>();
        for (int i = 0; i < shards; i++) {
            String prefix = shards == 1 ? "" : "s" + i + ":";
            all.put("s" + i, new RedisConnections(() -> redis, new RedisKeys(prefix), TIMEOUT));
        }
        return all;
    }

    private static JobStore store(Map<String, RedisConnections> connections) {
        Map<String, JobStore> stores = new LinkedHashMap<>();
        connections.forEach((name, each) -> stores.put(name, new RedisJobStore(each)));
        if (stores.size() == 1) {
            return stores.values().iterator().next();
        }
        Map<String, Set<String>> queues = new LinkedHashMap<>();
        stores.keySet().forEach(name -> queues.put(name, Set.of()));
        return new ShardedJobStore(
                ShardMap.of("s0", queues, Map.of(QUEUE, new Spread(SpreadBy.JID, stores.keySet()))), stores);
    }

    private Answer push(int shards, int jobs, boolean inBulk) {
        Map<String, Long> before = server.counters();
        long begin = System.nanoTime();
        try (RedisJobClient client = new RedisJobClient(
                store(connections(shards)),
                registry,
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom(),
                Transactions.NONE,
                null)) {
            Arguments arguments = Arguments.ofSize(Arguments.STANDARD);
            if (inBulk) {
                client.enqueueAll(Work.RUN, JobsProcess.times(jobs, arguments));
            } else {
                for (int i = 0; i < jobs; i++) {
                    client.enqueue(Work.RUN, arguments.text(), arguments.number(), arguments.order());
                }
            }
        }
        return new Answer()
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(server.since(before));
    }

    private Answer drain(int shards, int jobs, int threads) throws InterruptedException {
        Map<String, Long> before = server.counters();
        Tally drained = new Tally(jobs);
        work.count(drained);
        ThreadPools pools = new ThreadPools();
        List<JobEngine> engines = connections(shards).values().stream()
                .map(each -> new JobEngine(
                        EngineConfig.of(threads, QUEUE),
                        each,
                        registry,
                        JobHooks.none(),
                        EngineEnvironment.system(),
                        new CurrentDelivery(),
                        pools))
                .toList();
        engines.forEach(JobEngine::start);
        try {
            if (!drained.await(PATIENCE_SECONDS)) {
                throw new IllegalStateException("only " + drained.count() + " of " + jobs + " jobs were run");
            }
            return new Answer()
                    .with("jobs", jobs)
                    .with("nanos", drained.nanos())
                    .with("cpu_nanos", drained.cpuNanos())
                    .with(server.since(before));
        } finally {
            engines.parallelStream().forEach(JobEngine::stop);
        }
    }

    @Override
    public void close() {
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
