package dev.jobs.shards;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.redis.RedisConnections;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Three Redis servers as the shards {@code home}, {@code east} and {@code west}, each behind a proxy that can be closed
 * while the server keeps its jobs.
 */
final class ShardsTestBed implements AutoCloseable {

    static final List<String> SHARDS = List.of("home", "east", "west");

    /** Each shard has the queue of its name; the others are spread. */
    static final ShardMap MAP = map();

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    final Map<String, RedisFixture> servers = new LinkedHashMap<>();
    final Map<String, RedisProxy> proxies = new LinkedHashMap<>();
    final Map<String, AtomicInteger> told = new LinkedHashMap<>();
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    ShardsTestBed() {
        SHARDS.forEach(shard -> servers.put(shard, RedisFixture.start()));
    }

    private static ShardMap map() {
        Map<String, Set<String>> queues = new LinkedHashMap<>();
        SHARDS.forEach(shard -> queues.put(shard, Set.of(shard)));
        return ShardMap.of(
                "home",
                queues,
                Map.of(
                        "orders", new Spread(SpreadBy.JID, Set.copyOf(SHARDS)),
                        "safe", new Spread(SpreadBy.JID, Set.copyOf(SHARDS), true),
                        "keyed", new Spread(SpreadBy.KEY, Set.copyOf(SHARDS))));
    }

    void open() {
        servers.forEach((shard, server) -> {
            server.flush();
            proxies.put(shard, new RedisProxy(server.port()));
        });
        told.clear();
    }

    RedisConnections connections(String shard) {
        return servers.get(shard).connections("", TIMEOUT, proxies.get(shard).port());
    }

    ShardedJobStore store() {
        Map<String, RedisJobStore> stores = new LinkedHashMap<>();
        SHARDS.forEach(shard -> stores.put(shard, new RedisJobStore(connections(shard))));
        return new ShardedJobStore(MAP, stores);
    }

    RedisJobClient client(Class<?>... jobs) {
        return client(Transactions.NONE, null, jobs);
    }

    RedisJobClient client(Transactions transactions, @Nullable Outbox outbox, Class<?>... jobs) {
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                told.computeIfAbsent(queue, none -> new AtomicInteger()).addAndGet(count);
            }
        };
        RedisJobClient client = new RedisJobClient(
                store(),
                ClientTestBed.registry(jobs),
                JobHooks.none().with(JobListener.class, listener),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new Random(42),
                transactions,
                outbox);
        open.add(client);
        return client;
    }

    RedisBatches batches(String shard, RedisJobClient client) {
        RedisBatches batches =
                new RedisBatches(connections(shard), client, new Random(7), null, new OneShard(MAP, shard));
        open.add(batches);
        return batches;
    }

    /** The jids in a queue of a shard, and those of its scheduled set. */
    List<String> jids(String shard, String queue) {
        List<String> jids = new ArrayList<>();
        servers.get(shard).texts().lrange("queue:" + queue, 0, -1).forEach(job -> jids.add(jid(job)));
        servers.get(shard).texts().zrange("schedule", 0, -1).forEach(job -> jids.add(jid(job)));
        return jids;
    }

    /** The jids in a queue, in all shards together. */
    List<String> jids(String queue) {
        return SHARDS.stream().flatMap(shard -> jids(shard, queue).stream()).toList();
    }

    static Payload payload(String stored) {
        return Payload.parse(stored.getBytes(UTF_8));
    }

    private static String jid(String stored) {
        return String.valueOf(payload(stored).jid());
    }

    /** Closes clients and proxies of a test. */
    void closeClients() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        open.clear();
        proxies.values().forEach(RedisProxy::close);
        proxies.clear();
    }

    @Override
    public void close() {
        servers.values().forEach(RedisFixture::close);
    }
}
