package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.Fetcher;
import dev.jobs.engine.NotifiedFetcher;
import dev.jobs.engine.RunContext;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the parts of a process of new work: keeps its capsules on call, and has the doorbell ring for the queues at
 * which no claim stands. Confined to one thread after construction, except for the methods that say otherwise.
 */
@Internal
public final class Notifications {

    private record Subscriber(CapsuleConfig capsule, OnCallDuty duty, NotifiedFetcher fetcher) {}

    private final RunContext context;
    private final Yielding yielding;
    private final OnCallRoster calls;
    private final Doorbell doorbell;
    private final ServerWatch watch;
    private final Doorbell.Listener timers;
    private final Runnable wake;
    private final List<Subscriber> subscribers = new ArrayList<>();

    /**
     * @param connection used for nothing else
     * @param watches creates the watch of the doorbell, which calls the given action once the doorbell works again
     * @param timers is notified of changes to other keys than queues: to the sets while this process leads, to others
     *     while its bells want it
     * @param wake makes the next run begin at once
     */
    public Notifications(
            RedisConnection connection,
            RedisKeys keys,
            RunContext context,
            BiFunction<Doorbell, Runnable, ServerWatch> watches,
            Doorbell.Listener timers,
            Runnable wake) {
        this.context = context;
        this.yielding = new Yielding(context.environment().nanoTime());
        this.calls = new OnCallRoster(connection, keys);
        this.timers = timers;
        this.doorbell = new Doorbell(connection, keys, this::queuesToRingFor, context.lease()::isLeader, listener());
        this.watch = watches.apply(doorbell, this::ringAll);
        this.wake = wake;
    }

    /** Whether the process lets others take jobs first. */
    public Yielding yielding() {
        return yielding;
    }

    /** @param index the capsule's number in the process */
    public OnCallDuty duty(CapsuleConfig capsule, int index) {
        return new OnCallDuty(capsule.queues(), index, calls, context, yielding, doorbell::ringsFor, wake);
    }

    /** Adds a capsule. Before the first run. */
    public void add(CapsuleConfig capsule, OnCallDuty duty, Fetcher fetcher) {
        subscribers.add(new Subscriber(capsule, duty, fetcher.notified()));
    }

    /** Does what is due. Returns how long until the next run. */
    public Duration runOnce() {
        for (Subscriber each : subscribers) {
            if (each.duty().renew(each.fetcher().load())) {
                each.fetcher().connect();
                each.fetcher().called();
            }
        }
        Duration pause = watch.runOnce();
        for (Subscriber each : subscribers) {
            each.fetcher().connect();
            Duration untilRenewal = each.duty().untilRenewal();
            pause = untilRenewal.compareTo(pause) < 0 ? untilRenewal : pause;
        }
        return pause;
    }

    /** A beat was answered: who leads decides what the doorbell rings for. Thread-safe. */
    public void beaten() {
        if (doorbell.isOutdated()) {
            wake.run();
        }
    }

    /** The process takes no more jobs. After the last run. */
    public void leave() {
        subscribers.forEach(each -> each.duty().leave());
    }

    public void close() {
        doorbell.close();
    }

    /** The server's {@code maxmemory-policy}, or null while it is unknown. Thread-safe. */
    @Nullable public String evictionPolicy() {
        return watch.evictionPolicy();
    }

    private Set<String> queuesToRingFor() {
        Set<String> names = new HashSet<>();
        subscribers.forEach(each -> names.addAll(each.fetcher().queuesToRingFor()));
        return names;
    }

    private Doorbell.Listener listener() {
        return new Doorbell.Listener() {
            @Override
            public void rang(@Nullable String queue) {
                context.guard().run("The doorbell", () -> Notifications.this.rang(queue));
            }

            @Override
            public void freed(String queue) {
                context.guard().run("The doorbell", () -> ringAt(queue));
            }

            @Override
            public List<Doorbell.Bell> bells() {
                return timers.bells().stream()
                        .map(each -> new Doorbell.Bell(
                                each.prefix(), each.counts(), each.wanted(), () -> ring(each.wanted(), each.rang())))
                        .toList();
            }
        };
    }

    private void rang(@Nullable String queue) {
        if (queue == null) {
            ring(context.lease()::isLeader, () -> timers.rang(null));
        } else if (!context.gate().isShut(queue)) {
            ringAt(queue);
        }
    }

    private static void ring(BooleanSupplier wanted, Runnable ring) {
        if (wanted.getAsBoolean()) {
            ring.run();
        }
    }

    private void ringAt(String queue) {
        subscribers.forEach(each -> each.fetcher().rang(queue));
    }

    private void ringAll() {
        for (Subscriber each : subscribers) {
            each.capsule().queues().forEach(each.fetcher()::rang);
        }
        timers.rang(null);
        timers.bells().forEach(each -> each.rang().run());
    }
}
