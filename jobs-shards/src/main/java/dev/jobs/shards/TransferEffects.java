package dev.jobs.shards;

import dev.jobs.redis.RedisKeys;
import dev.jobs.results.ResultEffects;
import dev.jobs.shards.TransferSlice.Entry;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.store.Effect;
import dev.jobs.unique.LockEffects;
import java.util.List;
import java.util.stream.Stream;

/** What else changes in a shard in the step in which a transferred job leaves it or comes to it. Thread-safe. */
final class TransferEffects {

    private final LockEffects locks;
    private final ResultEffects results;

    TransferEffects(RedisKeys keys) {
        this.locks = new LockEffects(keys);
        this.results = new ResultEffects(keys);
    }

    /** The lock of a dead job ended with it. */
    List<Effect> leaving(Place place, byte[] payload) {
        return both(place == Place.DEAD ? List.of() : locks.of(payload), results.leaving(payload));
    }

    /** Also of one that comes back, since its transfer was abandoned. */
    List<Effect> arriving(Entry job) {
        return switch (job.place()) {
            case QUEUE, ORDER, SCHEDULE -> locks.arriving(job.payload());
            case RETRY -> both(locks.arriving(job.payload()), results.arriving(job.payload(), "retried"));
            case DEAD -> results.arriving(job.payload(), "dead");
        };
    }

    /** Whether a job may have a lock. */
    boolean mayLock(byte[] payload) {
        return !locks.of(payload).isEmpty();
    }

    private static List<Effect> both(List<Effect> some, List<Effect> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }
}
