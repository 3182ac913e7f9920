package dev.jobs.shards.spring;

import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.recurring.RecurringDeclarations;
import dev.jobs.recurring.RecurringJobStore;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import dev.jobs.threads.Loop;
import dev.jobs.threads.ThreadGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares the recurring jobs of this application in the shards that have no engine here, as each engine does in its
 * own: their queues, or those that they had, may be there. Does so once after each start, on a thread that ends with it; a
 * shard that is away is tried again until it is there. Thread-safe.
 */
final class DeclarationsElsewhere implements BackgroundLifecycle {

    private static final Logger log = LoggerFactory.getLogger(DeclarationsElsewhere.class);

    private static final String NAME = "jobs-declarations"; // of the thread and its connections

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How long a stop waits for the thread. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Map<String, RedisConnections> shards;
    private final ShardLayout layout;
    private final RecurringConfig config;
    private final JobRegistry registry;
    private final EngineEnvironment environment;

    private @Nullable Round round; // guarded by this

    /** @param shards those without an engine, by name */
    DeclarationsElsewhere(
            Map<String, RedisConnections> shards,
            ShardLayout layout,
            RecurringConfig config,
            JobRegistry registry,
            EngineEnvironment environment) {
        this.shards = shards;
        this.layout = layout;
        this.config = config;
        this.registry = registry;
        this.environment = environment;
    }

    @Override
    public synchronized void start() {
        if (round == null && config.enabled() && !shards.isEmpty()) {
            List<Shard> all = new ArrayList<>();
            shards.forEach((name, redis) -> all.add(shard(name, redis)));
            round = new Round(all, new ThreadGuard(environment.outOfMemory()));
            round.loop.start();
        }
    }

    private Shard shard(String name, RedisConnections redis) {
        RedisConnection connection = redis.open(NAME);
        RecurringJobStore store = new RecurringJobStore(connection, redis.keys(), config.namespace());
        return new Shard(
                name,
                connection,
                new RecurringDeclarations(store, registry, config.in(layout.shard(name)), environment.random()));
    }

    @Override
    public synchronized void stop() {
        if (round != null) {
            round.stop();
            round = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return round != null;
    }

    /** A connection that opens at its first use, and what is declared over it. */
    private record Shard(String name, RedisConnection connection, RecurringDeclarations declarations) {}

    /** From a start to the next stop. */
    private static final class Round {

        private final List<Shard> all;
        private final ThreadGuard guard;
        private final Loop loop;
        private volatile boolean stopped;

        // Confined to the thread.
        private final List<Shard> left;
        private final List<Shard> away = new ArrayList<>();

        Round(List<Shard> all, ThreadGuard guard) {
            this.all = List.copyOf(all);
            this.left = new ArrayList<>(all);
            this.guard = guard;
            this.loop = new Loop(NAME, guard, this::runOnce);
        }

        private Duration runOnce() {
            for (Shard shard : List.copyOf(left)) {
                guard.run(
                        "The declaration of recurring jobs in the shard '" + shard.name() + "'", () -> declare(shard));
            }
            if (left.isEmpty()) {
                loop.end();
            }
            return PAUSE;
        }

        private void declare(Shard shard) {
            if (stopped) {
                return;
            }
            try {
                shard.declarations().declare();
                shard.connection().close();
                left.remove(shard);
            } catch (JobStoreException e) {
                if (!stopped && !away.contains(shard)) {
                    away.add(shard);
                    log.warn(
                            "Recurring jobs are not stored in the shard '{}' so far, which is tried again until it is there: {}",
                            shard.name(),
                            e.getMessage());
                }
            }
        }

        /** A call that hangs ends when its connection is closed. */
        void stop() {
            stopped = true;
            loop.end();
            all.forEach(shard -> shard.connection().close());
            loop.stop(GRACE);
        }
    }
}
