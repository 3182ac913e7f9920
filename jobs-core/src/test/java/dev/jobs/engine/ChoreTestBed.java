package dev.jobs.engine;

import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobClaims.Claimed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** One process as its chores see it, which a test runs one by one. It leads, until told otherwise. */
public final class ChoreTestBed implements AutoCloseable {

    /** The monotonic clock of this process. */
    public final AtomicLong nanos = new AtomicLong();

    public final Lease lease;
    public final RedisConnection connection;
    public final RedisKeys keys;
    public final RunContext context;

    /** Those that it has while it leads. */
    public Set<String> roles = Set.of();

    /** @param hooks those of its engines are the hooks of this process */
    public ChoreTestBed(EngineTestBed hooks) {
        this(hooks, "me");
    }

    public ChoreTestBed(EngineTestBed hooks, String identity) {
        lease = new Lease(() -> identity, new Timing(Duration.ofSeconds(20)), nanos::get);
        connection = hooks.connections().open("jobs-chores");
        keys = hooks.connections().keys();
        context = RunContext.of(
                new EngineEnvironment(
                        hooks.environment.clock(),
                        nanos::get,
                        hooks.environment.random(),
                        hooks.environment.processorThreads(),
                        hooks.environment.outOfMemory()),
                PayloadTimes.MILLISECONDS,
                hooks.hooks(),
                EngineTestBed.unlimited(),
                RunParts.effects(keys, EngineTestBed.unlimited(), hooks.features()),
                lease,
                3,
                new AtomicInteger());
        follow(identity);
    }

    /** A job that this process has claimed and parsed. */
    public ClaimedJob claimed(String payload) {
        byte[] stored = payload.getBytes(StandardCharsets.UTF_8);
        ClaimedJob job = new ClaimedJob(
                new Claimed("0:1:1:default", "default", stored, 0), lease.current(), nanos.get(), () -> false);
        job.parsed(Payload.parse(stored), new ContextParts(List.of()));
        return job;
    }

    /** The answer to a beat: who leads now. The lease is fresh again. */
    public void follow(String leader) {
        beaten(leader, lease.processes());
    }

    /** The answer to a beat: who leads now, and how many there are. */
    public void beaten(String leader, int processes) {
        lease.beaten(
                lease.current(),
                nanos.get(),
                new Alive(
                        0,
                        Instant.EPOCH,
                        leader,
                        leader.equals(lease.current().id()) ? roles : Set.of(),
                        processes,
                        List.of(),
                        Duration.ofSeconds(3),
                        "1"));
    }

    /** Time passes, and the process keeps its lease. */
    public void pass(Duration time) {
        boolean leads = lease.isLeader();
        nanos.addAndGet(time.toNanos());
        follow(leads ? lease.current().id() : "another");
    }

    @Override
    public void close() {
        connection.close();
    }
}
