package dev.jobs.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.OnCall.Load;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which capsule listens, on a clock that the test sets. */
class OnCallDutyIT {

    private static final Timing TIMING = new Timing(Duration.ofHours(1));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open("duties");

    private final AtomicLong passed = new AtomicLong();

    private void pass(Duration time) {
        passed.addAndGet(time.toNanos());
    }

    private OnCallDuty duty(String process) {
        EngineEnvironment system = EngineEnvironment.system();
        EngineEnvironment environment = new EngineEnvironment(
                system.clock(), passed::get, system.random(), system.processorThreads(), system.outOfMemory());
        Lease lease = new Lease(() -> process, TIMING, environment.nanoTime());
        ProcessLeases leases = new ProcessLeases(
                connection,
                connections.keys(),
                TIMING,
                new DeadSetBounds(100, Duration.ofDays(1)),
                3,
                EffectSource.NONE);
        lease.beaten(lease.current(), passed.get(), (Alive) leases.register(process, Duration.ofHours(1)));
        RunContext context = RunContext.of(
                environment,
                PayloadTimes.MILLISECONDS,
                JobHooks.none(),
                EngineTestBed.unlimited(),
                RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
                lease,
                3,
                new AtomicInteger());
        return new OnCallDuty(
                List.of("default", "low"),
                0,
                new OnCallRoster(connection, connections.keys()),
                context,
                new Yielding(environment.nanoTime()),
                queue -> true,
                () -> {});
    }

    /** So that a capsule with one thread is notified of the next job when its job ends. */
    @Test
    void aCapsuleThatIsFullForAMomentGoesOnListening() {
        List<OnCallDuty> duties = new ArrayList<>();
        for (String process : List.of("one", "two", "spare")) {
            duties.add(duty(process));
            duties.get(duties.size() - 1).renew(Load.FREE);
        }
        OnCallDuty duty = duties.get(0);
        pass(Duration.ofMillis(900));
        duty.note(Load.FULL);
        pass(Duration.ofMillis(200));
        duty.renew(Load.FULL); // it is time to ask anyway
        assertThat(duty.isListening()).isTrue();
        assertThat(duty.note(Load.FREE)).as("worth a notification").isFalse();
    }

    @Test
    void aCapsuleThatStaysFullGoesOffCallForOthersAndComesBackAtOnce() {
        OnCallDuty duty = duty("one");
        OnCallDuty other = duty("two");
        OnCallDuty spare = duty("spare");
        List.of(duty, other, spare).forEach(each -> each.renew(Load.FREE));
        assertThat(spare.isOnCall()).isFalse();

        duty.note(Load.FULL);
        pass(Duration.ofSeconds(1));
        duty.renew(Load.FULL);
        assertThat(duty.isListening()).isFalse();
        spare.renew(Load.FREE);
        assertThat(spare.isListening()).isTrue();

        assertThat(duty.note(Load.FREE)).as("worth a notification").isTrue();
    }

    @Test
    void aCapsuleThatNoOtherCouldStandInForListensHoweverLongItIsFull() {
        OnCallDuty duty = duty("one");
        duty.renew(Load.FREE);
        duty.note(Load.FULL);
        pass(Duration.ofMinutes(1));
        duty.renew(Load.FULL);
        assertThat(duty.isListening()).isTrue();
    }
}
