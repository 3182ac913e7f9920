package dev.jobs.redis;

import java.util.ArrayList;
import java.util.List;

/** Makes the effects by which a job gives its permits back in the step in which it ends or moves. Thread-safe. */
public final class PermitEffects {

    private final RedisKeys keys;
    private final LimitKeys limitKeys;

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
    public List<Effect> of(String incarnation, String token, String queue, List<JobLimit> limits) {
        List<Effect> effects = new ArrayList<>(limits.size());
        for (JobLimit each : limits) {
            List<byte[]> all = List.of(
                    limitKeys.permits(each.limit()),
                    limitKeys.parked(each.limit()),
                    limitKeys.permitted(incarnation),
                    limitKeys.limits(),
                    limitKeys.wake(),
                    keys.queue(queue),
                    keys.queues(),
                    keys.paused());
            effects.add(new Effect(
                    "permit",
                    all,
                    "",
                    List.of(
                            Bytes.of(each.limit()),
                            Bytes.of(each.key()),
                            Bytes.of(incarnation),
                            Bytes.of(token),
                            Bytes.of(queue))));
        }
        return effects;
    }
}
