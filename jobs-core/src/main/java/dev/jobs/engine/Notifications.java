package dev.jobs.engine;

import dev.jobs.redis.Doorbell;
import dev.jobs.redis.OnCallRoster;
import dev.jobs.redis.OnCallRoster.Load;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a process hears of at once: keeps its capsules' places on call, and has the doorbell rung for what no claim that stands would notice.
 * Confined to one thread after it was put together, except for the methods that say so.
 */
final class Notifications {

    private record Post(CapsuleConfig capsule, OnCallDuty duty, Fetcher fetcher) {}

    private final RunContext context;
    private final OnCallRoster calls;
    private final Doorbell doorbell;
    private final ServerWatch watch;
    private final Doorbell.Listener timers;
    private final Runnable wake;
    private final List<Post> posts = new ArrayList<>();

    /**
     * @param connection for nothing else
     * @param watches makes what watches the doorbell and rings for everything once it is heard again
     * @param timers hears of what isn't a queue, while this process leads
     * @param wake makes the next run begin at once
     */
    Notifications(
            RedisConnection connection,
            RedisKeys keys,
            RunContext context,
            BiFunction<Doorbell, Runnable, ServerWatch> watches,
            Doorbell.Listener timers,
            Runnable wake) {
        this.context = context;
        this.calls = new OnCallRoster(connection, keys);
        this.doorbell = new Doorbell(connection, keys, this::queuesToRingFor, context.lease()::isLeader, listener());
        this.watch = watches.apply(doorbell, this::ringAll);
        this.timers = timers;
        this.wake = wake;
    }

    /** @param index its number among the capsules of the process */
    OnCallDuty duty(CapsuleConfig capsule, int index) {
        return new OnCallDuty(capsule.queues(), index, calls, context);
    }

    /** What a fetcher is to know of its place. */
    Bell bell(OnCallDuty duty) {
        return new Bell() {
            @Override
            public boolean ringsFor(String queue) {
                return doorbell.ringsFor(queue);
            }

            @Override
            public void change() {
                wake.run();
            }

            @Override
            public boolean isOnCall() {
                return duty.isOnCall();
            }

            @Override
            public boolean isListening() {
                return duty.isListening();
            }

            @Override
            public Duration pollInterval() {
                return duty.pollInterval();
            }

            @Override
            public void loaded(Load load) {
                if (duty.loaded(load)) {
                    wake.run();
                }
            }
        };
    }

    /** Listens for this one, too. Before the first run. */
    void add(CapsuleConfig capsule, OnCallDuty duty, Fetcher fetcher) {
        posts.add(new Post(capsule, duty, fetcher));
    }

    /** Does what it is time for. Returns when the next run is due. */
    Duration runOnce() {
        for (Post post : posts) {
            if (post.duty().keep(post.fetcher().load())) {
                post.fetcher().connect();
                post.fetcher().called();
            }
        }
        Duration pause = watch.runOnce();
        for (Post post : posts) {
            post.fetcher().connect();
            Duration untilAsked = post.duty().pause();
            pause = untilAsked.compareTo(pause) < 0 ? untilAsked : pause;
        }
        return pause;
    }

    /** A beat was answered: what is to ring goes by who leads. Thread-safe. */
    void beaten() {
        if (doorbell.isOutdated()) {
            wake.run();
        }
    }

    /** The process takes no more jobs. After the last run. */
    void leave() {
        posts.forEach(post -> post.duty().leave());
    }

    void close() {
        doorbell.close();
    }

    /** The server's {@code maxmemory-policy}, or null as long as it is unknown. Thread-safe. */
    @Nullable String evictionPolicy() {
        return watch.evictionPolicy();
    }

    private Set<String> queuesToRingFor() {
        Set<String> names = new HashSet<>();
        posts.forEach(post -> names.addAll(post.fetcher().queuesToRingFor()));
        return names;
    }

    private Doorbell.Listener listener() {
        return new Doorbell.Listener() {
            @Override
            public void rang(@Nullable String queue) {
                context.guard().run("The doorbell", () -> Notifications.this.rang(queue));
            }

            @Override
            public void recurringChanged() {
                if (context.lease().isLeader()) {
                    timers.recurringChanged();
                }
            }
        };
    }

    private void rang(@Nullable String queue) {
        if (queue != null) {
            posts.forEach(post -> post.fetcher().rang(queue));
        } else if (context.lease().isLeader()) {
            timers.rang(null);
        }
    }

    private void ringAll() {
        for (Post post : posts) {
            post.capsule().queues().forEach(post.fetcher()::rang);
        }
        timers.rang(null);
        timers.recurringChanged();
    }
}
