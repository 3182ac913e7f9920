package dev.jobs.faults;

import dev.jobs.JobHooks;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobEngine;
import dev.jobs.batches.BatchAccess;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.ThreadPools;
import dev.jobs.faults.Journal.Event;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.EffectSource;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;

/** The program of a worker process. It stops on request as an application does, and ends when the suite is gone. */
final class WorkerMain {

    /** The log line before the engine starts. */
    static final String STARTS = "The engine starts";

    private WorkerMain() {}

    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[0]);
        WorkerSettings settings = WorkerSettings.parse(List.of(arguments).subList(1, arguments.length));
        Thread orphan = new Thread(WorkerMain::endWithTheSuite, "end-with-the-suite");
        orphan.setDaemon(true);
        orphan.start();
        new Pulse(stall -> noteStall(Worker.stalls(journal), stall));
        switch (settings.program()) {
            case ENGINE, VERSION_ONE, VERSION_TWO ->
                runEngine(settings, journal, hooks(noting(new Journal(journal))), EffectSource.NONE);
            case ENGINE_WITH_EFFECTS ->
                runEngine(settings, journal, hooks(noting(new Journal(journal))), EndCounts.SOURCE);
            case ENGINE_WITH_THROWING_HOOKS ->
                runEngine(settings, journal, ThrowingHooks.with(noting(new Journal(journal))), EffectSource.NONE);
            case ENGINE_WITH_BATCHES ->
                runEngine(
                        settings,
                        journal,
                        hooks(noting(new Journal(journal)))
                                .withTool(
                                        BatchAccess.class,
                                        new Producer(settings.uri(), settings.commandTimeout()).batches()),
                        EffectSource.NONE);
            case BATCH_FILLER -> fillBatches(settings, journal.resolveSibling(BatchStorm.FILLED));
            case BATCH_CANCELLER ->
                CancelledFamilyIT.cancel(settings, journal.toAbsolutePath().getParent());
            case TRANSFER -> new Transferrer(settings, journal.resolveSibling(TransferStorm.ENOUGH)).run();
            case PLAIN -> new BrpopWorker(settings, new Journal(journal)).start();
        }
    }

    private static void endWithTheSuite() {
        try {
            while (System.in.read() >= 0) {
                // nothing is written to this stream; only its end matters
            }
        } catch (IOException e) {
            // counts as an end, too
        }
        Runtime.getRuntime().halt(1);
    }

    private static void noteStall(Path file, Pulse.Stall stall) {
        try {
            Files.writeString(file, stall + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void runEngine(WorkerSettings settings, Path journal, JobHooks hooks, EffectSource effects) {
        JobRegistry jobs = jobs(settings, journal.toAbsolutePath().getParent());
        EngineEnvironment system = EngineEnvironment.system();
        EngineEnvironment environment = new EngineEnvironment(
                Clock.offset(system.clock(), settings.clockOffset()),
                system.nanoTime(),
                system.random(),
                system.processorThreads(),
                system.outOfMemory());
        ClientResources resources = RedisConnections.resources(DefaultClientResources.create());
        ThreadPools pools = new ThreadPools();
        List<JobEngine> engines = settings.shards().stream()
                .map(RedisAddress::new)
                .map(address -> {
                    AbstractRedisClient client = address.client(resources, settings.commandTimeout());
                    return new JobEngine(
                            settings.engineConfig().with(values -> values.features = List.of(new EffectsOf(effects))),
                            new RedisConnections(() -> client, address.keys(), settings.commandTimeout()),
                            jobs,
                            hooks,
                            environment,
                            new CurrentDelivery(),
                            pools);
                })
                .toList();
        engines.forEach(engine -> Runtime.getRuntime().addShutdownHook(new Thread(engine::stop, "stop")));
        System.out.println(STARTS);
        engines.forEach(JobEngine::start);
    }

    private static JobRegistry jobs(WorkerSettings settings, Path directory) {
        FaultJobs always = new FaultJobs(directory);
        return switch (settings.program()) {
            case VERSION_ONE -> JobRegistry.of(always, new TwoVersions.One(new RanWith(directory)));
            case VERSION_TWO -> JobRegistry.of(always, new TwoVersions.Two(new RanWith(directory)));
            default -> JobRegistry.of(always, new ClientJobs(settings));
        };
    }

    private static void fillBatches(WorkerSettings settings, Path filled) {
        RedisCommands<String, String> redis =
                RedisClient.create(settings.uri()).connect().sync();
        new BatchFiller(
                        new Producer(settings.uri(), settings.commandTimeout()).batches(),
                        () -> settings.queues().stream()
                                .mapToLong(queue -> redis.llen("queue:" + queue))
                                .sum(),
                        filled)
                .run();
        Runtime.getRuntime().halt(0);
    }

    static RedisURI uri(WorkerSettings settings) {
        RedisURI uri = RedisURI.create(settings.uri());
        uri.setTimeout(settings.commandTimeout());
        return uri;
    }

    private static JobHooks hooks(JobMiddleware middleware) {
        return JobHooks.none().with(JobMiddleware.class, middleware);
    }

    private static JobMiddleware noting(Journal journal) {
        return (job, next) -> {
            journal.note(Event.START, job.jid(), job.attempt());
            boolean finished = false;
            try {
                next.proceed();
                finished = true;
            } finally {
                journal.note(finished ? Event.FINISH : Event.FAIL, job.jid(), job.attempt());
            }
        };
    }
}
