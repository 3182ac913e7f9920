package dev.jobs.faults;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.redis.RedisConnections;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Enqueues jobs with the library's client and records the accepted ones. Thread-safe. */
final class Producer implements AutoCloseable {

    private final ClientResources shared = DefaultClientResources.create();
    private final ClientResources resources = RedisConnections.resources(shared);
    private final AbstractRedisClient redis;
    private final RedisConnections connections;
    private final RedisJobClient client;
    private final RedisBatches batches;
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();

    Producer(String uri, Duration commandTimeout) {
        RedisAddress address = new RedisAddress(uri);
        redis = address.client(resources, commandTimeout);
        connections = new RedisConnections(() -> redis, address.keys(), commandTimeout);
        client = another();
        batches = new RedisBatches(connections, client, new SecureRandom());
    }

    /** Another client, with a connection of its own. What it enqueues is not recorded. */
    RedisJobClient another() {
        return new RedisJobClient(
                connections,
                new JobRegistry(List.of()),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
    }

    /** Batches whose jobs this client makes. */
    RedisBatches batches() {
        return batches;
    }

    /** Enqueues a job. Returns its id. */
    String enqueue(String queue, String name, Object... arguments) {
        String jid = client.queue(queue).enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job with a lock, which a later one may replace until it begins. Returns its id. */
    String enqueueReplaceable(String queue, String name, Object... arguments) {
        String jid = client.queue(queue)
                .unique(name)
                .with("unique_conflict", "replace")
                .enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job that needs a permit of this limit. Returns its id. */
    String enqueueLimited(String queue, String limit, String name, Object... arguments) {
        String jid = client.queue(queue).limit(limit, "key").enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job that expires. Returns its id. */
    String enqueueExpiring(Duration after, String queue, String name, Object... arguments) {
        String jid = client.queue(queue).expiresIn(after).enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job that is not retried. Returns its id. */
    String enqueueOnce(String queue, String name, Object... arguments) {
        String jid = client.queue(queue).retry(0).enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job for later. Returns its id. */
    String enqueueIn(Duration delay, String queue, String name, Object... arguments) {
        String jid = client.queue(queue).in(delay).enqueue(name, arguments);
        accepted.add(jid);
        return jid;
    }

    /** Enqueues a job for each list of arguments. Returns their ids. */
    List<String> enqueueAll(String queue, String name, List<? extends List<?>> arguments) {
        List<String> jids = client.queue(queue).enqueueAll(name, arguments);
        accepted.addAll(jids);
        return jids;
    }

    /** Enqueues a job for later for each list of arguments. Returns their ids. */
    List<String> enqueueAllIn(Duration delay, String queue, String name, List<? extends List<?>> arguments) {
        List<String> jids = client.queue(queue).in(delay).enqueueAll(name, arguments);
        accepted.addAll(jids);
        return jids;
    }

    /** Records a job that was enqueued in another way. */
    void accepted(String jid) {
        accepted.add(jid);
    }

    /** The number of accepted jobs so far. */
    int count() {
        return accepted.size();
    }

    /** The ids of all accepted jobs. */
    Set<String> accepted() {
        return Set.copyOf(accepted);
    }

    @Override
    public void close() {
        batches.close();
        client.close();
        redis.shutdown(0, 2, TimeUnit.SECONDS);
        resources.shutdown(0, 2, TimeUnit.SECONDS);
        shared.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
