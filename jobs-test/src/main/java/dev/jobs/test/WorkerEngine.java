package dev.jobs.test;

import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Waits for the worker of the application context, and takes it through time. Used by one thread at a time. */
final class WorkerEngine implements TestEngine {

    /** How long one step of time may take: the jobs that become due, and those that they enqueue. */
    private static final Duration STEP = Duration.ofSeconds(30);

    /** How long a slot is waited for: the worker passes it over if an enqueue middleware refuses its job. */
    private static final Duration SLOT = Duration.ofSeconds(5);

    private static final int MOST_STEPS = 10_000;

    private record Slot(String name, Instant time) {}

    private final WorkerState redis;
    private final boolean advances;
    private final TestClock clock;
    private final ExecutionEnds executions;
    private final Supplier<RecurringJobs> recurring;
    private final IntSupplier untoldDeaths;
    private final LongSupplier outbox;

    /**
     * @param advances whether Redis is one whose time may be changed
     * @param untoldDeaths for how many jobs that died the worker still has to call death handlers
     * @param outbox how many rows of committed transactions are on their way to Redis
     */
    WorkerEngine(
            WorkerState redis,
            boolean advances,
            TestClock clock,
            ExecutionEnds executions,
            Supplier<RecurringJobs> recurring,
            IntSupplier untoldDeaths,
            LongSupplier outbox) {
        this.redis = redis;
        this.advances = advances;
        this.clock = clock;
        this.executions = executions;
        this.recurring = recurring;
        this.untoldDeaths = untoldDeaths;
        this.outbox = outbox;
    }

    @Override
    public void drain(Duration atMost) {
        if (!executions.await(() -> unfinished().isEmpty(), atMost)) {
            throw new AssertionError(
                    "Jobs are left after " + atMost + ": " + unfinished() + ". Does the worker serve their queues?");
        }
    }

    /**
     * In the order that jobs take: what has left one place is found in the next. What Redis no longer holds has begun
     * before, so it is found among those unheard of, and the worker knew of its death by then.
     */
    private List<String> unfinished() {
        long kept = inOutbox();
        if (kept > 0) {
            return List.of(kept + " in the outbox");
        }
        List<String> left = redis.unfinished(clock.instant());
        if (!left.isEmpty()) {
            return left;
        }
        int unheard = executions.unheard();
        if (unheard > 0) {
            return List.of(unheard + " still with the listeners");
        }
        int untold = untoldDeaths.getAsInt();
        return untold > 0 ? List.of(untold + " dead, still with the last words or death handlers") : left;
    }

    /** A database that has no table, or doesn't answer, says so wherever a job is enqueued. */
    private long inOutbox() {
        try {
            return outbox.getAsLong();
        } catch (DataAccessException e) {
            return 0;
        }
    }

    @Override
    public void advanceTo(Instant target) {
        if (!advances) {
            throw new IllegalStateException(
                    "The clock can't be advanced on a Redis of the application; leave out ownRedis = false");
        }
        drain(STEP);
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            List<Slot> slots = nextSlots();
            Instant due = redis.nextDue(clock.instant());
            Instant slot = slots.isEmpty() ? null : slots.get(0).time();
            Instant next = slot == null || due != null && due.isBefore(slot) ? due : slot;
            if (next == null || next.isAfter(target)) {
                moveTo(target);
                return;
            }
            moveTo(next);
            for (Slot each : slots) {
                if (each.time().equals(next)) {
                    executions.await(() -> redis.isTaken(each.name(), each.time()), SLOT);
                }
            }
            drain(STEP);
        }
        throw new IllegalStateException("More than " + MOST_STEPS + " times at which jobs became due until " + target
                + "; advance the clock by less, or pause a recurring job");
    }

    @Override
    public void outageUntil(Instant target) {
        throw new IllegalStateException(
                "A worker runs in this test, so there is no outage; use JobsMode.INLINE or JobsMode.RECORDING");
    }

    private void moveTo(Instant time) {
        Duration step = Duration.between(clock.instant(), time);
        clock.moveTo(time);
        redis.advance(step.isNegative() ? Duration.ZERO : step, clock.ahead());
    }

    /** The next slots of those recurring jobs that have the earliest. */
    private List<Slot> nextSlots() {
        Instant now = clock.instant();
        List<Slot> earliest = new ArrayList<>();
        for (RecurringJob job : recurring.get().list()) {
            CronSchedule schedule = job.schedule();
            if (schedule == null || !job.enabled()) {
                continue;
            }
            Instant slot = schedule.next(now);
            @Nullable Instant least = earliest.isEmpty() ? null : earliest.get(0).time();
            if (least != null && slot.isBefore(least)) {
                earliest.clear();
            }
            if (least == null || !slot.isAfter(least)) {
                earliest.add(new Slot(job.name(), slot));
            }
        }
        return earliest;
    }

    @Override
    public List<String> log(String jid) {
        return redis.log(jid);
    }

    @Override
    public void reset() {
        redis.removeJobs();
        drain(STEP);
        redis.removeJobs(); // what the running ones have scheduled, and their retries
        redis.forgetEffects();
    }
}
