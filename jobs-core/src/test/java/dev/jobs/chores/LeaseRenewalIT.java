package dev.jobs.chores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class LeaseRenewalIT {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(20));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open("beat");

    private final AtomicLong nanos = new AtomicLong();
    private final Lease lease = new Lease(() -> "me", TIMING, nanos::get);
    private final RunContext context = context(EngineEnvironment.system());
    private final AtomicInteger fresh = new AtomicInteger();
    private final LeaseRenewal renewal = renewal(context);

    private RunContext context(EngineEnvironment environment) {
        return RunContext.of(
                environment,
                PayloadTimes.MILLISECONDS,
                JobHooks.none(),
                EngineTestBed.unlimited(),
                RunParts.effects(connections.keys(), EngineTestBed.unlimited(), List.of()),
                lease,
                3,
                new AtomicInteger());
    }

    private LeaseRenewal renewal(RunContext of) {
        return new LeaseRenewal(
                new ProcessLeases(
                        connection,
                        connections.keys(),
                        TIMING,
                        new DeadSetBounds(100, Duration.ofDays(1)),
                        3,
                        EffectSource.NONE),
                of,
                () -> false,
                () -> {},
                alive -> assertThat(lease.current().isFresh()).isTrue(),
                fresh::incrementAndGet);
    }

    @Test
    void fetchersHearAtOnceThatTheyMayClaimAndOnlyThen() {
        nanos.set(context.nanos());
        renewal.runOnce();
        assertThat(fresh).as("registered").hasValue(1);

        nanos.set(context.nanos());
        renewal.runOnce();
        assertThat(fresh).as("still fresh").hasValue(1);

        nanos.addAndGet(TIMING.fresh().toNanos());
        lease.renew(lease.current());
        renewal.runOnce();
        assertThat(fresh).as("a new incarnation").hasValue(2);
    }

    /** Redis may have taken a beat long before its answer came. */
    @Test
    void theLeaseCountsFromWhenABeatWasSent() {
        EngineEnvironment system = EngineEnvironment.system();
        LeaseRenewal beats = renewal(context(new EngineEnvironment(
                system.clock(),
                () -> nanos.addAndGet(1_000), // each look at the clock takes a while
                system.random(),
                system.processorThreads(),
                system.outOfMemory())));
        beats.runOnce();
        long before = nanos.get();
        beats.runOnce();

        assertThat(lease.current().lastBeat()).isEqualTo(before + 1_000);
    }
}
