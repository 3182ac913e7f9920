package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.JobStore;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.ResultStore;
import dev.jobs.ends.Cancellations;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobResults;
import dev.jobs.results.KeptResult;
import dev.jobs.store.Check;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.JobPushes;
import dev.jobs.unique.JobLocks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Stores jobs in Redis, over its own connection, which the first job opens, if nobody did before. Thread-safe. */
@Internal
public final class RedisJobStore implements JobStore {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final JobPushes pushes;
    private final JobLocks locks;
    private final Cancellations cancellations;
    private final JobResults results;
    private final Duration timeout;

    /** Set once there was a job whose result is kept. */
    private volatile boolean keepsResults;

    /** With the default bounds of the dead set. */
    public RedisJobStore(RedisConnections redis) {
        this(redis, DeadSetBounds.defaults());
    }

    /**
     * @param redis opens the connection
     * @param dead the bounds of the set where rejected duplicates go
     */
    public RedisJobStore(RedisConnections redis, DeadSetBounds dead) {
        this.connection = redis.open("jobs-client");
        this.keys = redis.keys();
        this.pushes = new JobPushes(connection, keys, redis.timeout());
        this.locks = new JobLocks(connection, keys, dead);
        this.cancellations = new Cancellations(connection, keys);
        this.results = new JobResults(connection, redis.open("jobs-replies"), keys);
        this.timeout = redis.timeout();
    }

    /** With an exchange, which loads what sends commands and reads answers, and with the script of most pushes. */
    @Override
    public void open() {
        connection.run(commands -> commands.ping());
        JobPushes.prepare();
    }

    @Override
    public boolean waitsForServer() {
        return true;
    }

    @Override
    public boolean isSorted(String queue) {
        return keys.sortedForNew(queue) != null;
    }

    @Override
    public int callBytes() {
        return connection.bounds().bytes();
    }

    @Override
    public JobPushes.Sent send(List<ReadyJob> jobs) {
        List<List<Check>> checks = each(jobs, ReadyJob::checks);
        // What clears a queue looks for locks and results only if these notes are there: before the jobs are.
        for (List<Check> each : checks) {
            if (!each.isEmpty()) {
                locks.noteUse();
                break;
            }
        }
        if (keepsResults) {
            results.noteUse();
        }
        return jobs.get(0).at() != null
                ? pushes.sendSchedule(
                        each(jobs, job -> new JobPushes.Due(String.valueOf(job.at()), job.payload())), checks)
                : pushes.sendPush(jobs.get(0).queue(), each(jobs, ReadyJob::payload), checks);
    }

    /** A loop, since most calls carry a single job and a stream takes more steps for it. */
    private static <T> List<T> each(List<ReadyJob> jobs, Function<ReadyJob, T> part) {
        List<T> parts = new ArrayList<>(jobs.size());
        for (ReadyJob job : jobs) {
            parts.add(part.apply(job));
        }
        return parts;
    }

    @Override
    public List<Check> checks(Payload payload, JobRegistry registry, InstantSource clock) {
        if (payload.has(KeptResult.KEEP)) {
            keepsResults = true;
        }
        return locks.checks(payload, clock);
    }

    @Override
    public ResultStore results() {
        return results;
    }

    @Override
    public Instant cancel(String jid, Instant now) {
        return cancellations.cancel(jid, now);
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
        results.close();
        connection.close();
    }
}
