package dev.jobs.limiters;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.limiters.LimiterStore.Answer;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.LimiterStore.Room;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.store.Effect;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets callers of all limiters of an application in, or waits, or refuses. Thread-safe. */
final class LimiterGate {

    private static final Logger log = LoggerFactory.getLogger(LimiterGate.class);

    /** A full Redis can't count uses; when there will be memory is unknown. */
    private static final Duration WHEN_FULL = Duration.ofSeconds(10);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
    private static final int NAME_BYTES = 9;

    private final LimiterStore store;
    private final CurrentDelivery current;
    private final JobHooks hooks;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;

    LimiterGate(
            LimiterStore store,
            CurrentDelivery current,
            JobHooks hooks,
            LongSupplier nanoTime,
            RandomGenerator random) {
        this.store = store;
        this.current = current;
        this.hooks = hooks;
        this.nanoTime = nanoTime;
        this.random = random;
    }

    /** Drawn for each permit: processes that are restored from one checkpoint begin with the same memory. */
    private String newName() {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** @throws OverLimitException if there is no room in time */
    void enter(LimiterRule rule, long points, Duration wait) {
        enter(rule, points, wait, null, current.get() != null);
    }

    private void enter(LimiterRule rule, long points, Duration wait, @Nullable Permit permit, boolean comesBack) {
        long begun = nanoTime.getAsLong();
        Duration pause = FIRST_PAUSE;
        boolean slept = false;
        while (true) {
            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - begun);
            Duration left = wait.minus(waited);
            Answer answer = take(rule, points, left.isNegative() ? Duration.ZERO : left, comesBack, permit);
            boolean asksAgain = answer.room() == Room.ASK_AGAIN;
            if (asksAgain) {
                Duration next = rule.kind() == Kind.CONCURRENT ? pause : answer.after();
                asksAgain = sleep(next.compareTo(left) < 0 ? next : left);
                pause = longer(pause);
                slept = true;
            }
            if (!asksAgain) {
                boolean refused = answer.room() != Room.GRANTED;
                if (refused || slept) {
                    Duration in = Duration.ofNanos(nanoTime.getAsLong() - begun);
                    hooks.tell(listener -> listener.limited(rule.name(), in, refused));
                }
                if (refused) {
                    throw new OverLimitException(rule.name(), answer.after());
                }
                return;
            }
        }
    }

    private Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable Permit permit) {
        try {
            return store.take(rule, points, patience, comesBack, permit);
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.FULL) {
                throw new OverLimitException(rule.name(), WHEN_FULL, e);
            }
            throw e;
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /** Returns false if the thread was interrupted; its flag is set then. */
    private static boolean sleep(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A permit that was taken. */
    record Held(
            LimiterRule rule,
            Permit permit,
            @Nullable ClaimedJob delivery,
            @Nullable Effect effect,
            long since) {}

    /**
     * Takes a permit. That of a job is noted before, so that the job's settlement gives it back if nothing else does.
     *
     * @param hold how long a permit outside a job is held; null if the caller has not said so
     * @throws OverLimitException if there is none in time
     */
    Held hold(LimiterRule rule, Duration wait, @Nullable Duration hold) {
        ClaimedJob delivery = current.get();
        if (delivery == null) {
            StoredLimiters.check(
                    hold != null,
                    rule.name(),
                    "this is not the thread of a job, so a permit that is taken here needs a time after which it ends: "
                            + "call holdAtMost");
            Permit permit = new Permit(newName(), hold);
            enter(rule, 1, wait, permit, false);
            return new Held(rule, permit, null, null, nanoTime.getAsLong());
        }
        Permit permit = new Permit(delivery.incarnation().id() + "\n" + delivery.token() + "\n" + newName(), null);
        Effect effect = store.freeing(rule, permit);
        Held held = new Held(rule, permit, delivery, effect, nanoTime.getAsLong());
        CurrentDelivery.leftovers(delivery).add(permit.name(), effect, () -> give(held));
        current.takes(delivery, rule.name(), nanoTime.getAsLong());
        try {
            enter(rule, 1, wait, permit, true);
        } catch (OverLimitException e) {
            CurrentDelivery.leftovers(delivery).remove(effect);
            throw e;
        }
        return new Held(rule, permit, delivery, effect, nanoTime.getAsLong());
    }

    void free(Held held) {
        boolean done = give(held);
        ClaimedJob delivery = held.delivery();
        Effect effect = held.effect();
        if (done && delivery != null && effect != null) {
            CurrentDelivery.leftovers(delivery).remove(effect);
        }
    }

    private boolean give(Held held) {
        Duration took = Duration.ofNanos(nanoTime.getAsLong() - held.since());
        return quietly(
                () -> store.free(held.rule(), held.permit(), took),
                "Could not give back a permit of the limiter '" + held.rule().name()
                        + "'; it is given back with the end of its job, or when its time is over");
    }

    void correct(LimiterRule rule, long more) {
        quietly(
                () -> store.correct(rule, more),
                "Could not tell the limiter '" + rule.name() + "' of " + more + " more points; its estimate stays");
    }

    /** Calls Redis even if the block left the thread interrupted. What the block did is done, whatever Redis says. */
    private static boolean quietly(Runnable call, String failure) {
        boolean interrupted = Thread.interrupted();
        try {
            call.run();
            return true;
        } catch (JobStoreException e) {
            log.warn("{}: {}", failure, e.getMessage());
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
