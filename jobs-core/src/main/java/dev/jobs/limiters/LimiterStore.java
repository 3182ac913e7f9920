package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.store.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What limiters need: Redis, or for tests nothing. Thread-safe. */
@Internal
public interface LimiterStore extends AutoCloseable {

    /**
     * A permit of a concurrent limiter.
     *
     * @param name by which it is taken and given back; that of a job consists of the incarnation that runs it, its token,
     *     and more, with line breaks in between
     * @param hold when it ends by itself; null for that of a job, which is void without its incarnation, and is refused
     *     once that no longer holds the job
     */
    record Permit(String name, @Nullable Duration hold) {}

    /** Whether there was room. */
    enum Room {
        GRANTED,
        /** The caller would wait for longer than until there may be room. */
        ASK_AGAIN,
        REFUSED
    }

    /** @param after how long it takes until there may be room */
    record Answer(Room room, Duration after) {}

    /**
     * Takes room if there is any.
     *
     * @param points how many
     * @param patience how long the caller waits
     * @param comesBack whether the caller is a job, which comes back when it is told to
     * @param permit the permit of a concurrent limiter
     */
    Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable Permit permit);

    /**
     * Gives back a permit.
     *
     * @param held for how long it was held
     */
    void free(LimiterRule rule, Permit permit, Duration held);

    /** The effect that gives back a permit of a job when that is settled. */
    Effect freeing(LimiterRule rule, Permit permit);

    /** Takes more points, or gives some back. */
    void correct(LimiterRule rule, long more);

    @Override
    void close();
}
