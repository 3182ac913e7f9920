package dev.jobs.client;

import dev.jobs.redis.Effect;
import dev.jobs.redis.JobLimiters.Answer;
import dev.jobs.redis.LimiterRule;
import dev.jobs.redis.LimiterSlot;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What limiters need: Redis, or for tests nothing. Thread-safe. */
public interface LimiterStore extends AutoCloseable {

    /** As {@link dev.jobs.redis.JobLimiters#take}. */
    Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable LimiterSlot slot);

    /** As {@link dev.jobs.redis.JobLimiters#free}. */
    void free(LimiterRule rule, LimiterSlot slot, Duration held);

    /** The effect that gives back a slot of a job when that is settled. */
    Effect freeing(LimiterRule rule, LimiterSlot slot);

    /** As {@link dev.jobs.redis.JobLimiters#correct}. */
    void correct(LimiterRule rule, long more);

    @Override
    void close();
}
