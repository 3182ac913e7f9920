package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.RedisConnection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Supplies the effects for jobs that move without a processor: deleted, also with their whole queue, restored, or left
 * behind by a process that died. Called for each such job, on any thread; must not throw.
 */
@FunctionalInterface
@Internal
public interface EffectSource {

    /** No effects, for any job: a queue is then cleared without reading it. */
    EffectSource NONE = new EffectSource() {
        @Override
        public List<Effect> of(byte[] stored) {
            return List.of();
        }

        @Override
        public boolean hasAny(RedisConnection connection) {
            return false;
        }
    };

    /**
     * The effects for one job. Each names the outcome that it is for, since only Redis decides on the outcome.
     *
     * @param stored the bytes of the job, which may be no JSON at all
     */
    List<Effect> of(byte[] stored);

    /** Whether any job that is stored now may have effects. May ask Redis. */
    default boolean hasAny(RedisConnection connection) {
        return true;
    }

    /** The effects of this source and then those of another. */
    default EffectSource and(EffectSource other) {
        EffectSource first = this;
        if (first == NONE || other == NONE) {
            return first == NONE ? other : first;
        }
        return new EffectSource() {
            @Override
            public List<Effect> of(byte[] stored) {
                List<Effect> effects = first.of(stored);
                List<Effect> more = other.of(stored);
                if (effects.isEmpty() || more.isEmpty()) {
                    return effects.isEmpty() ? more : effects;
                }
                return Stream.concat(effects.stream(), more.stream()).toList();
            }

            @Override
            public boolean hasAny(RedisConnection connection) {
                return first.hasAny(connection) || other.hasAny(connection);
            }
        };
    }
}
