package dev.jobs.benchmarks.peers;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.LibraryVersion;
import dev.jobs.benchmarks.driver.ParallelCalls;
import dev.jobs.benchmarks.driver.Tally;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RScheduledExecutorService;
import org.redisson.api.RedissonClient;
import org.redisson.api.WorkerOptions;
import org.redisson.config.Config;

/**
 * Redisson's executor service, with its workers in this JVM. Settings, after the chapters "Executor service" and
 * "Configuration" of its manual (docs/data-and-services/services.md and docs/configuration.md in its repository):
 *
 * <ul>
 *   <li>Defaults of the client: Kryo 5, pools of connections, Netty threads.
 *   <li>As many workers as concurrent jobs, on a pool of that many threads, since the default shared pool has 16.
 *   <li>{@code execute}, which returns no result, since no other driver keeps results; for bulk, its form with many
 *       tasks, which is sent as one batch.
 *   <li>Tasks that a dead worker had begun are repeated after five minutes, the default. Tasks of a batch don't enable
 *       this, single ones do, so the first task of a bulk is sent singly.
 *   <li>There is no bulk call for scheduling, so many threads schedule one task after the other.
 * </ul>
 */
final class RedissonDriver implements BenchmarkDriver {

    private static final String NAME = "benchmark";
    private static final int BATCH = 1_000;
    private static final int PRODUCERS = 16;

    private final ParallelCalls calls = new ParallelCalls(PRODUCERS);
    private final RedissonClient client;
    private final RScheduledExecutorService producer;
    private RScheduledExecutorService workers;
    private ExecutorService threads;

    RedissonDriver(String redisUri) {
        Config config = new Config();
        config.useSingleServer().setAddress(redisUri);
        client = Redisson.create(config);
        producer = client.getExecutorService(NAME);
    }

    @Override
    public String description() {
        return LibraryVersion.of(Redisson.class) + ": RScheduledExecutorService, execute(task) and execute(tasks...), "
                + "task retry interval 5 min, as many workers and threads as jobs at once";
    }

    @Override
    public void enqueueSingly(Arguments arguments, int jobs) {
        for (int i = 0; i < jobs; i++) {
            producer.execute(new RedissonTask(arguments));
        }
    }

    @Override
    public void enqueueInBulk(Arguments arguments, int jobs) {
        enqueueSingly(arguments, Math.min(jobs, 1));
        for (int left = jobs - 1; left > 0; left -= BATCH) {
            Runnable[] tasks = new Runnable[Math.min(left, BATCH)];
            Arrays.setAll(tasks, i -> new RedissonTask(arguments));
            producer.execute(tasks);
        }
    }

    @Override
    public void schedule(List<Arguments> jobs, Instant at) throws Exception {
        calls.forEach(jobs, arguments -> {
            long delay = Duration.between(Instant.now(), at).toMillis();
            producer.schedule(new RedissonTask(arguments), delay, TimeUnit.MILLISECONDS);
        });
    }

    @Override
    public void startWorkers(int concurrency, Tally tally) {
        threads = Executors.newFixedThreadPool(concurrency);
        workers = client.getExecutorService(NAME);
        workers.registerWorkers(WorkerOptions.defaults()
                .workers(concurrency)
                .executorService(threads)
                .tasksInjector(task -> ((RedissonTask) task).countIn(tally)));
    }

    @Override
    public void stopWorkers() throws InterruptedException {
        workers.deregisterWorkers();
        threads.shutdown();
        threads.awaitTermination(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        calls.close();
        client.shutdown();
    }
}
