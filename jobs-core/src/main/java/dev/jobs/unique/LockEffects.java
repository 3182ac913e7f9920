package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.Outcome;
import dev.jobs.lists.MoveEffects;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.PayloadMark;
import dev.jobs.unique.Unique.Until;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the effects by which the locks of unique jobs end with them, and debounced jobs are forgotten. Thread-safe. */
@Internal
public final class LockEffects implements EffectSource, MoveEffects, JobEffects.Part {

    private static final PayloadMark LOCK = PayloadMark.ofMember(UniqueRule.LOCK);
    private static final PayloadMark DEBOUNCE = PayloadMark.ofMember(Debounce.KEY);

    private final LockKeys keys;

    public LockEffects(RedisKeys keys) {
        this.keys = new LockKeys(keys);
    }

    @Override
    public List<Effect> of(byte[] stored) {
        if (!LOCK.isIn(stored) && !DEBOUNCE.isIn(stored)) {
            return List.of();
        }
        try {
            return of(Payload.parse(stored));
        } catch (InvalidPayloadException e) {
            return List.of();
        }
    }

    @Override
    public void ended(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        if (job.isParsed()) {
            all.addAll(of(job.payload()));
        }
    }

    /** The effects for a job whose payload is known. */
    public List<Effect> of(Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock != null) {
            return lock.effects(keys);
        }
        Debounce debounce = Debounce.of(payload);
        return debounce == null ? List.of() : debounce.effects(keys);
    }

    /**
     * The effects for a job that comes from another shard. Unlike one that moves, it also takes a lock that ends when
     * it starts, if it has not started yet.
     */
    public List<Effect> arriving(byte[] stored) {
        List<Effect> effects = of(stored);
        if (effects.isEmpty()) {
            return effects;
        }
        Payload payload = Payload.parse(stored);
        JobLock lock = JobLock.of(payload);
        if (lock == null || lock.until() != Until.START || lock.isReplaceable() || payload.has("retry_count")) {
            return effects;
        }
        return List.of(lock.taking(keys));
    }

    @Override
    public List<Effect> rewritten(Payload payload, byte[] stored) {
        JobLock lock = JobLock.of(payload);
        if (lock != null) {
            return lock.rewritten(keys, stored);
        }
        Debounce debounce = Debounce.of(payload);
        return debounce == null ? List.of() : debounce.rewritten(keys, stored);
    }

    @Override
    public boolean hasAny(RedisConnection connection) {
        return connection.<Long>run(commands -> commands.exists(keys.used())) > 0;
    }
}
