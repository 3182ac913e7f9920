package dev.jobs.test;

import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimiterRule;
import dev.jobs.limiters.LimiterStore;
import dev.jobs.limiters.LimiterStore.Answer;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.LimiterStore.Room;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limiters that always have room, since the clock of a test stands still. Thread-safe. */
final class RoomForAll implements LimiterStore {

    private static final Answer GRANTED = new Answer(Room.GRANTED, Duration.ZERO);

    private final RedisKeys keys = new RedisKeys("");

    @Override
    public Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable Permit permit) {
        return GRANTED;
    }

    @Override
    public void free(LimiterRule rule, Permit permit, Duration held) {}

    @Override
    public Effect freeing(LimiterRule rule, Permit permit) {
        return JobLimiters.freeing(keys, rule, permit);
    }

    @Override
    public void correct(LimiterRule rule, long more) {}

    @Override
    public void close() {}
}
