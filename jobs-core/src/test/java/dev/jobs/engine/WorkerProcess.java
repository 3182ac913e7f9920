package dev.jobs.engine;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.iterations.Iteration;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.StoredLimiters;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A worker in its own JVM, to be killed, frozen or ended by its own jobs. It appends each start of a job to the list
 * {@code started}.
 */
public final class WorkerProcess implements AutoCloseable {

    private final Process process;

    private WorkerProcess(Process process) {
        this.process = process;
    }

    public static WorkerProcess start(int port, Duration lease) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerProcess.class.getName(),
                        Integer.toString(port),
                        lease.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new WorkerProcess(process);
    }

    /** Kills it without any warning. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }

    /** The worker itself. */
    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        Duration timeout = Duration.ofSeconds(5);
        ClientResources resources = RedisConnections.resources(DefaultClientResources.create());
        RedisURI address = RedisURI.create("127.0.0.1", port);
        RedisClient client = new AsyncRedisClient(resources, address);
        client.setOptions(RedisConnections.options(ClientOptions.create(), timeout));
        EngineConfig config = EngineConfig.of(10, "default").with(values -> {
            values.shutdownTimeout = Duration.ofSeconds(1);
            values.lease = Duration.parse(arguments[1]);
            values.dead = new DeadSetBounds(1_000, Duration.ofDays(1));
        });
        RedisCommands<String, String> notes =
                RedisClient.create(resources, address).connect().sync();
        AtomicLong ahead = new AtomicLong();
        EngineEnvironment system = EngineEnvironment.system();
        EngineEnvironment environment = new EngineEnvironment(
                system.clock(),
                () -> System.nanoTime() + ahead.get(),
                system.random(),
                system.processorThreads(),
                system.outOfMemory());
        RedisConnections redis = new RedisConnections(() -> client, new RedisKeys(""), timeout);
        CurrentDelivery current = new CurrentDelivery();
        Limiters limiters =
                new StoredLimiters(new JobLimiters(redis), current, JobHooks.none(), System::nanoTime, system.random());
        JobEngine engine = new JobEngine(
                config,
                redis,
                JobRegistry.of(new Jobs(notes, ahead, limiters)),
                JobHooks.none(),
                environment,
                current,
                new ThreadPools());
        Runtime.getRuntime().addShutdownHook(new Thread(engine::stop));
        engine.start();
    }

    /** The jobs of a worker in its own JVM. */
    record Jobs(RedisCommands<String, String> notes, AtomicLong ahead, Limiters limiters) {

        /** Lets six seconds pass after element 50, and stays at element 60. */
        @Job("Walk")
        Iteration<Integer> walk(int size) {
            return Iteration.over(IntStream.range(0, size).boxed().toList()).each(element -> {
                if (element == 50) {
                    ahead.addAndGet(SECONDS.toNanos(6));
                } else if (element == 60) {
                    hold("walked to 60");
                }
            });
        }

        @Job("Hold")
        void hold(String id) throws InterruptedException {
            notes.rpush("started", id);
            SECONDS.sleep(3_600);
        }

        @Job("HoldPermit")
        void holdPermit(String id) throws InterruptedException {
            limiters.concurrent("erp", 1).run(() -> hold(id));
        }

        @Job("Halt")
        void halt(String id) {
            notes.rpush("started", id);
            Runtime.getRuntime().halt(9);
        }

        @Job("Exit")
        void exit(String id) {
            notes.rpush("started", id);
            System.exit(3);
        }

        @Job("Fill")
        void fill(String id) {
            notes.rpush("started", id);
            List<byte[]> all = new ArrayList<>();
            while (true) {
                all.add(new byte[1_000_000]);
            }
        }

        @Job("Quick")
        void quick(String id) {
            notes.rpush("started", id);
        }
    }
}
