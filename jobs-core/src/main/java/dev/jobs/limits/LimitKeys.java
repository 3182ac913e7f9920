package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.handover.HandoverKeys;
import dev.jobs.processes.ProcessKeys;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.StoreKeys;

/** The names of the keys of limits on jobs. */
@Internal
public record LimitKeys(RedisKeys keys) {

    /** Who holds permits of a limit. */
    byte[] permits(String limit) {
        return keys.key("jobs:permits:" + limit);
    }

    /** The jobs that wait for a permit of a limit. */
    public byte[] parked(String limit) {
        return keys.key("jobs:parked:" + limit);
    }

    /** The limits of the jobs that a process runs, by token. */
    byte[] permitted(String incarnation) {
        return keys.key("jobs:permitted:" + incarnation);
    }

    /** When the next job with a key may start by the rate of its limit. */
    byte[] rates() {
        return keys.key("jobs:rate");
    }

    /** How many permits limits have, and their rates. */
    public byte[] limits() {
        return new ProcessKeys(keys).limits();
    }

    /** When jobs were cancelled, by jid: these get no permits. */
    byte[] cancelled() {
        return new StoreKeys(keys).cancelled();
    }

    /** The cancelled batches, for the same. */
    byte[] cancelledBatches() {
        return new StoreKeys(keys).cancelledBatches();
    }

    /** Keys of limits that the leader is to look at, by time. */
    public byte[] wake() {
        return keys.wake();
    }

    /** Rings when a queue that was full because of its limit has room again. */
    public byte[] bell(String queue) {
        return new HandoverKeys(keys).bell(queue);
    }
}
