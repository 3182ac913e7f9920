package dev.jobs.limits;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a whole queue.
 *
 * @param most how many of its jobs may run at once, as far as this process knows; null if it doesn't
 */
@Internal
public record QueueLimit(String queue, @Nullable Integer most) {

    /** The name of the limit of a queue. */
    public static String nameOf(String queue) {
        return LimitRule.OF_QUEUE + queue;
    }

    /** The queue whose limit has that name; null if it is a limit of jobs. */
    static @Nullable String queueOf(String limit) {
        return limit.startsWith(LimitRule.OF_QUEUE) ? limit.substring(LimitRule.OF_QUEUE.length()) : null;
    }
}
