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

    private record Place(String incarnation, String queue, String limit, String key) {}

    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final Map<Place, Effect> known = new ConcurrentHashMap<>();

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
            Place place = new Place(incarnation, queue, each.limit(), each.key());
            Effect effect = known.computeIfAbsent(place, this::make);
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
                List.of(Bytes.of(limit.place()), taken, before));
    }

    /** The same for a start that came with the permit of a settled job; null if none came with it. */
    @Nullable public Effect start(String place, @Nullable String start) {
        if (start == null) {
            return null;
        }
        int end = start.indexOf('\n');
        return start(JobLimit.at(place), Bytes.of(start.substring(0, end)), Bytes.of(start.substring(end + 1)));
    }

    private Effect make(Place place) {
        String limited = QueueLimit.queueOf(place.limit());
        return limited == null ? permit(place) : room(place, limited);
    }

    private Effect permit(Place place) {
        List<byte[]> all = List.of(
                limitKeys.permits(place.limit()),
                limitKeys.parked(place.limit()),
                limitKeys.permitted(place.incarnation()),
                limitKeys.limits(),
                limitKeys.wake(),
                keys.queue(place.queue()),
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
                        Bytes.of(place.limit()),
                        Bytes.of(place.key()),
                        Bytes.of(place.incarnation()),
                        Bytes.of(place.queue())));
    }

    private Effect room(Place place, String queue) {
        List<byte[]> all = List.of(
                limitKeys.permits(place.limit()),
                limitKeys.permitted(place.incarnation()),
                limitKeys.limits(),
                limitKeys.bell(queue));
        return new Effect("room", all, "", List.of(Bytes.of(place.limit()), Bytes.of(place.incarnation())));
    }
}
