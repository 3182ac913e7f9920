package dev.jobs.interop;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.RetryPolicy;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.recurring.RedisRecurringJobs;
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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** One Redis for a test class, with Ruby on one side and Java on the other. Closes everything started through it. */
final class InteropTestBed implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** How long workers of both sides wait for running jobs when they stop. */
    static final Duration SHUTDOWN = Duration.ofSeconds(1);

    /** Shown by our processes. */
    static final String TAG = "our tag";

    /** Ample: the tests check the exchange between both sides, on any machine. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** More than the administration needs on any machine. */
    static final ScanBudget AMPLE = new ScanBudget(100_000, Duration.ofSeconds(10));

    private static final DeadSetBounds DEAD = new DeadSetBounds(10_000, Duration.ofDays(180));

    final Ruby ruby = Ruby.search().ruby().orElseThrow();
    final JavaJobs jobs = new JavaJobs();
    final RedisCommands<String, String> redis;
    final RedisJobClient client;

    /** Of an application without the jobs, which compares no arguments with their parameters. */
    final RedisJobClient elsewhere;

    final JobsAdmin admin;

    private final Path directory;
    private final EmbeddedRedis server;
    private final RedisConnections connections;
    private final JobRegistry registry = JobRegistry.of(jobs);
    private final Deque<Runnable> closings = new ArrayDeque<>();

    /** @param name of the folder in {@code target} for logs and journals */
    InteropTestBed(String name) {
        directory = freshDirectory(name);
        server = EmbeddedRedis.start();
        closings.push(server::close);
        ClientResources shared = DefaultClientResources.create();
        closings.push(() -> shared.shutdown(0, 2, TimeUnit.SECONDS).syncUninterruptibly());
        ClientResources resources = RedisConnections.resources(shared);
        closings.push(() -> resources.shutdown(0, 2, TimeUnit.SECONDS).syncUninterruptibly());
        RedisURI uri = RedisURI.create(server.uri());
        uri.setTimeout(TIMEOUT);
        RedisClient tests = RedisClient.create(resources, uri);
        closings.push(() -> tests.shutdown(0, 2, TimeUnit.SECONDS));
        redis = tests.connect().sync();
        RedisClient lettuce = new AsyncRedisClient(resources, uri);
        lettuce.setOptions(RedisConnections.options(ClientOptions.create(), TIMEOUT));
        closings.push(() -> lettuce.shutdown(0, 2, TimeUnit.SECONDS));
        connections = new RedisConnections(() -> lettuce, new RedisKeys(""), TIMEOUT);
        client = client(registry, PayloadTimes.MILLISECONDS);
        elsewhere = client(JobRegistry.of(), PayloadTimes.MILLISECONDS);
        admin = new JobsAdmin(connections, DEAD, JobHooks.none(), Clock.systemUTC());
        closings.push(admin::close);
    }

    private static Path freshDirectory(String name) {
        Path directory = Path.of("target", "interop", name);
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> before = Files.newDirectoryStream(directory)) {
                for (Path old : before) {
                    Files.delete(old);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return directory;
    }

    /** A file that jobs may wait for, by its name on both sides. */
    Path file(String name) {
        return directory.resolve(name);
    }

    /** Opens one more client. */
    RedisJobClient client(PayloadTimes times) {
        return client(registry, times);
    }

    private RedisJobClient client(JobRegistry registry, PayloadTimes times) {
        ClientConfig defaults = ClientConfig.defaults();
        RedisJobClient opened = new RedisJobClient(
                connections,
                registry,
                JobHooks.none(),
                new ClientConfig(defaults.maxPayload(), defaults.bulkSlice(), times),
                Clock.systemUTC(),
                new SecureRandom());
        closings.push(opened::close);
        return opened;
    }

    private Map<String, String> environment() {
        return Map.of("REDIS_URL", server.uri() + "/0");
    }

    RubyApi api() {
        RubyApi api = new RubyApi(ruby, directory.resolve("api.log"), environment());
        closings.push(api::close);
        return api;
    }

    /** As {@link #api}, with sidekiq-cron's API added. */
    RubyApi cronApi() {
        RubyApi api = new RubyApi(ruby, directory.resolve("api.log"), environment(), "cron_api.rb");
        closings.push(api::close);
        return api;
    }

    RedisRecurringJobs recurring() {
        RedisRecurringJobs recurring = new RedisRecurringJobs(
                connections, registry, JobHooks.none(), ClientConfig.defaults(), new SecureRandom(), "default");
        closings.push(recurring::close);
        return recurring;
    }

    RedisBatches batches() {
        RedisBatches batches = new RedisBatches(connections, client, new SecureRandom());
        closings.push(batches::close);
        return batches;
    }

    RubyWeb web() {
        RubyWeb web = new RubyWeb(ruby, directory.resolve("web.log"), environment());
        closings.push(web::close);
        return web;
    }

    /**
     * Starts a Ruby worker that polls for due jobs twice a second.
     *
     * @param name of its files
     * @param options of Sidekiq's command line
     */
    RubyWorker rubyWorker(String name, String... options) {
        RubyWorker worker = new RubyWorker(ruby, directory, name, environment(), options);
        closings.push(worker::close);
        return worker;
    }

    /** Starts a Java worker that runs five jobs at once from these queues. */
    JobEngine engine(String... queues) {
        return engine(JobHooks.none(), five(queues));
    }

    private static CapsuleConfig five(String... queues) {
        return CapsuleConfig.of("default", 5, List.of(queues));
    }

    /** Starts a Java worker whose failed jobs wait for an hour. */
    JobEngine patientEngine(String... queues) {
        return patientEngine(PayloadTimes.MILLISECONDS, queues);
    }

    /** The same, with another format of times. */
    JobEngine patientEngine(PayloadTimes times, String... queues) {
        RetryPolicy patient = (payload, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofHours(1));
        JobHooks hooks = JobHooks.none().with(RetryPolicy.class, patient);
        return engine(times, hooks, five(queues));
    }

    JobEngine engine(JobHooks hooks, CapsuleConfig... capsules) {
        return engine(PayloadTimes.MILLISECONDS, hooks, capsules);
    }

    private JobEngine engine(PayloadTimes times, JobHooks hooks, CapsuleConfig... capsules) {
        EngineConfig config = EngineConfig.of(List.of(capsules)).with(values -> {
            values.unknownJobWait = Duration.ZERO; // fails at once, as in Ruby
            values.shutdownTimeout = SHUTDOWN;
            values.pollInterval = Duration.ofSeconds(1);
            values.dead = DEAD;
            values.tag = TAG;
            values.times = times;
        });
        JobEngine engine = new JobEngine(config, connections, registry, hooks, EngineEnvironment.system());
        closings.push(engine::stop);
        engine.start();
        return engine;
    }

    /** Waits until a condition holds; checks at once, then often. */
    static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    /** Waits until a Java worker has performed a job. Returns the job's note. */
    JavaJobs.Performed awaitPerformed(String jid) {
        await("Java to perform " + jid, () -> jobs.performed(jid) > 0);
        return jobs.performed.stream()
                .filter(each -> each.jid().equals(jid))
                .findFirst()
                .orElseThrow();
    }

    /** Waits until a set has a job with this id. Returns its text. */
    String awaitIn(String set, String jid) {
        await(set + " to have " + jid, () -> !in(set, jid).isEmpty());
        return in(set, jid).get(0);
    }

    /** The texts of the jobs with this id in a set. */
    List<String> in(String set, String jid) {
        return redis.zrange(set, 0, -1).stream()
                .filter(each -> jid.equals(payload(each).jid()))
                .toList();
    }

    /** The texts of the jobs with this id in a queue. */
    List<String> queued(String queue, String jid) {
        return redis.lrange("queue:" + queue, 0, -1).stream()
                .filter(each -> jid.equals(payload(each).jid()))
                .toList();
    }

    static Payload payload(String text) {
        return Payload.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        while (!closings.isEmpty()) {
            closings.pop().run();
        }
    }
}
