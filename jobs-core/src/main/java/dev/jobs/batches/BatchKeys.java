package dev.jobs.batches;

import dev.jobs.redis.RedisKeys;
import dev.jobs.store.StoreKeys;
import java.util.ArrayList;
import java.util.List;

/** The names of the keys of batches. */
record BatchKeys(RedisKeys keys) {

    /** The counters of a batch and the times of its events. The name ends with the id, which scripts read from it. */
    byte[] batch(String id) {
        return keys.key("jobs:batch:" + id);
    }

    byte[] definition(String id) {
        return keys.key("jobs:batch:" + id + ":d");
    }

    /** @param grown whether of the jobs that its own jobs added */
    byte[] states(String id, boolean grown) {
        return keys.key("jobs:batch:" + id + (grown ? ":g" : ":s"));
    }

    /** Messages, results and progress of its jobs. */
    byte[] texts(String id) {
        return keys.key("jobs:batch:" + id + ":j");
    }

    byte[] children(String id) {
        return keys.key("jobs:batch:" + id + ":k");
    }

    /** The keys of a batch besides its counters and staged jobs, in the order in which scripts want them. */
    List<byte[]> of(String id) {
        return List.of(definition(id), states(id, false), states(id, true), texts(id), children(id));
    }

    /** The keys of a batch's staged jobs, that of scheduled ones first. */
    List<byte[]> allStaged(String id, List<String> queues) {
        List<byte[]> staged = new ArrayList<>(List.of(stagedDue(id)));
        queues.forEach(queue -> staged.add(staged(id, queue)));
        return staged;
    }

    /** Jobs that wait for the batch to open. */
    byte[] staged(String id, String queue) {
        return keys.key("jobs:batch:" + id + ":h:" + queue);
    }

    /** Jobs that will be scheduled once the batch opens. */
    byte[] stagedDue(String id) {
        return keys.key("jobs:batch:" + id + ":z");
    }

    byte[] all() {
        return keys.key("jobs:batches");
    }

    byte[] open() {
        return keys.key("jobs:batches:open");
    }

    /** Ids of batches by the digest of the key that a caller gave. */
    byte[] byKey() {
        return keys.key("jobs:batches:keys");
    }

    /** Batches that want a look, because an event may have come. */
    byte[] resting() {
        return keys.key("jobs:batches:rest");
    }

    /** Those that are cancelled and not over. */
    byte[] cancelled() {
        return new StoreKeys(keys).cancelledBatches();
    }

    /** What Ruby workers did with jobs of batches. */
    byte[] notes() {
        return keys.key("jobs:batches:notes");
    }
}
