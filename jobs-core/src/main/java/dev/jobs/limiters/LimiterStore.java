package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.limiters.JobLimiters.Answer;
import dev.jobs.store.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What limiters need: Redis, or for tests nothing. Thread-safe. */
@Internal
public interface LimiterStore extends AutoCloseable {

    /** As {@link dev.jobs.limiters.JobLimiters#take}. */
    Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable LimiterSlot slot);

    /** As {@link dev.jobs.limiters.JobLimiters#free}. */
    void free(LimiterRule rule, LimiterSlot slot, Duration held);

    /** The effect that gives back a slot of a job when that is settled. */
    Effect freeing(LimiterRule rule, LimiterSlot slot);

    /** As {@link dev.jobs.limiters.JobLimiters#correct}. */
    void correct(LimiterRule rule, long more);

    @Override
    void close();
}
