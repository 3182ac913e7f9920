package dev.jobs.redis;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.UniqueRule;
import java.util.List;

/** Makes the effects by which the locks of unique jobs end with them. Thread-safe. */
public final class LockEffects implements EffectSource {

    private static final Mark MARK = new Mark(UniqueRule.LOCK);

    private final RedisKeys keys;

    public LockEffects(RedisKeys keys) {
        this.keys = keys;
    }

    @Override
    public List<Effect> of(byte[] stored) {
        if (!MARK.isIn(stored)) {
            return List.of();
        }
        try {
            return of(Payload.parse(stored));
        } catch (InvalidPayloadException e) {
            return List.of();
        }
    }

    /** The effects for a job whose payload is known. */
    public List<Effect> of(Payload payload) {
        JobLock lock = JobLock.of(payload);
        return lock == null ? List.of() : lock.effects(keys);
    }

    @Override
    public boolean hasAny(RedisConnection connection) {
        return connection.<Long>run(commands -> commands.exists(keys.locksUsed())) > 0;
    }
}
