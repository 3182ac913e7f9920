package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the effects by which jobs give their permits back in the step in which they end or move. Jobs of the same
 * process, queue, limit and key have the same effect, which then takes little room in a call. Thread-safe.
 */
@Internal
public final class PermitEffects {

    private static final int MOST = 1_000;

    private record Held(String incarnation, String queue, String limit, String key) {}

    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final Map<Held, Effect> known = new ConcurrentHashMap<>();

    public PermitEffects(RedisKeys keys) {
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
    }

    /**
     * One effect for each limit, for whatever outcome. Without effect for permits that the job doesn't hold.
     *
     * @param incarnation the process that holds the job, or held it
     * @param queue the queue from which it was claimed
     */
    public List<Effect> of(String incarnation, String queue, List<JobLimit> limits) {
        List<Effect> effects = new ArrayList<>(limits.size());
        for (JobLimit each : limits) {
            if (known.size() >= MOST) {
                known.clear();
            }
            Held held = new Held(incarnation, queue, each.limit(), each.key());
            Effect effect = known.computeIfAbsent(held, this::make);
            if (!effects.contains(effect)) { // a job may name a limit twice
                effects.add(effect);
            }
        }
        return effects;
    }

    /**
     * Gives back a start by a rate, if the job goes back or ends without having begun.
     *
     * @param taken what Redis stores since it was taken
     * @param before what it stored before
     */
    public Effect start(JobLimit limit, byte[] taken, byte[] before) {
        return new Effect(
                "start",
                List.of(limitKeys.rates(), limitKeys.wake()),
                "",
                List.of(Bytes.of(limit.id()), taken, before));
    }

    /** The same for a start that came with the permit of a settled job; null if none came with it. */
    @Nullable public Effect start(String limitId, @Nullable String start) {
        if (start == null) {
            return null;
        }
        int end = start.indexOf('\n');
        return start(JobLimit.at(limitId), Bytes.of(start.substring(0, end)), Bytes.of(start.substring(end + 1)));
    }

    private Effect make(Held held) {
        String limited = QueueLimit.queueOf(held.limit());
        return limited == null ? permit(held) : room(held, limited);
    }

    private Effect permit(Held held) {
        List<byte[]> all = List.of(
                limitKeys.permits(held.limit()),
                limitKeys.parked(held.limit()),
                limitKeys.permitted(held.incarnation()),
                limitKeys.limits(),
                limitKeys.wake(),
                keys.queue(held.queue()),
                keys.queues(),
                keys.paused(),
                limitKeys.rates(),
                limitKeys.cancelled(),
                limitKeys.cancelledBatches());
        return new Effect(
                "permit",
                all,
                "",
                List.of(
                        Bytes.of(held.limit()),
                        Bytes.of(held.key()),
                        Bytes.of(held.incarnation()),
                        Bytes.of(held.queue())));
    }

    private Effect room(Held held, String queue) {
        List<byte[]> all = List.of(
                limitKeys.permits(held.limit()),
                limitKeys.permitted(held.incarnation()),
                limitKeys.limits(),
                limitKeys.bell(queue));
        return new Effect("room", all, "", List.of(Bytes.of(held.limit()), Bytes.of(held.incarnation())));
    }
}
