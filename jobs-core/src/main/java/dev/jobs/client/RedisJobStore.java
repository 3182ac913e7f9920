package dev.jobs.client;

import dev.jobs.redis.Check;
import dev.jobs.redis.IterationStore;
import dev.jobs.redis.JobPushes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Stores jobs in Redis, over its own connection, which the first job opens. Thread-safe. */
public final class RedisJobStore implements JobStore {

    private final RedisConnection connection;
    private final JobPushes pushes;
    private final IterationStore iterations;
    private final Duration timeout;

    /** @param redis opens the connection */
    public RedisJobStore(RedisConnections redis) {
        this.connection = redis.open("jobs-client");
        this.pushes = new JobPushes(connection, redis.keys(), redis.timeout());
        this.iterations = new IterationStore(connection, redis.keys());
        this.timeout = redis.timeout();
    }

    @Override
    public JobPushes.Sent send(List<ReadyJob> jobs) {
        List<List<Check>> checks = jobs.stream().map(ReadyJob::checks).toList();
        return jobs.get(0).at() != null
                ? pushes.sendSchedule(
                        jobs.stream()
                                .map(job -> new JobPushes.Due(String.valueOf(job.at()), job.payload()))
                                .toList(),
                        checks)
                : pushes.sendPush(
                        jobs.get(0).queue(),
                        jobs.stream().map(ReadyJob::payload).toList(),
                        checks);
    }

    @Override
    public Instant cancel(String jid, Instant now) {
        return iterations.cancel(jid, now);
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public void renewId() {
        pushes.renewId();
    }

    @Override
    public void close() {
        connection.close();
    }
}
