package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks through all parked jobs, in small steps, for those that must not be run, which would wait for their turn only to
 * end: they go to their queues, where workers end them. Confined to one thread.
 */
@Internal
public final class ParkedSweep {

    private static final int FEW = 20;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final ParkedJobs parked;

    private final Deque<String> left = new ArrayDeque<>();

    /** Those of jobs that were found at this limit: most have the same ones. */
    private final Set<String> queues = new LinkedHashSet<>();

    private long index;

    public ParkedSweep(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.parked = new ParkedJobs(connection, keys);
    }

    /** Begins anew, unless it is still under way. */
    public void begin() {
        if (!isUnderWay()) {
            left.addAll(parked.inUse());
        }
    }

    /** Whether some parked jobs are still to be looked at. */
    public boolean isUnderWay() {
        return !left.isEmpty();
    }

    /** Looks at some jobs, if it is under way: as many as one call may read. */
    public void step() {
        if (left.isEmpty()) {
            return;
        }
        List<Object> answer = sweep(left.element());
        while (queues.addAll(Bytes.list(answer.get(2)).stream().map(Bytes::text).toList())) {
            answer = sweep(left.element());
        }
        index = Bytes.number(answer.get(0));
        if (index < 0) {
            index = 0;
            left.remove();
        }
        if (index == 0 || queues.size() > FEW) {
            queues.clear();
        }
    }

    private List<Object> sweep(String limit) {
        List<byte[]> all = new ArrayList<>(List.of(
                limitKeys.parked(limit),
                keys.queues(),
                keys.paused(),
                limitKeys.cancelled(),
                limitKeys.cancelledBatches()));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(index),
                Bytes.of(CallBounds.JOBS),
                Bytes.of(connection.bounds().bytes())));
        for (String queue : queues) {
            all.add(keys.queue(queue));
            arguments.add(Bytes.of(queue));
        }
        return connection.call(LimitScripts.PARKED_SWEEP, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }
}
