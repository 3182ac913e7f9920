package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.limiters.JobLimiters.Answer;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limiters in Redis, over a connection of their own, which the first use opens. Thread-safe. */
@Internal
public final class RedisLimiterStore implements LimiterStore {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final JobLimiters limiters;

    public RedisLimiterStore(RedisConnections redis) {
        this.connection = redis.open("jobs-limiters");
        this.keys = redis.keys();
        this.limiters = new JobLimiters(connection, keys);
    }

    @Override
    public Answer take(
            LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable LimiterSlot slot) {
        return limiters.take(rule, points, patience, comesBack, slot);
    }

    @Override
    public void free(LimiterRule rule, LimiterSlot slot, Duration held) {
        limiters.free(rule, slot, held);
    }

    @Override
    public Effect freeing(LimiterRule rule, LimiterSlot slot) {
        return JobLimiters.freeing(keys, rule, slot);
    }

    @Override
    public void correct(LimiterRule rule, long more) {
        limiters.correct(rule, more);
    }

    @Override
    public void close() {
        connection.close();
    }
}
