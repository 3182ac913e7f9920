package dev.jobs.limits;

import dev.jobs.Internal;
import java.util.List;

/**
 * Those queues of a claim that have limits of their own.
 *
 * @param limits each with its number of permits
 * @param most how many jobs to claim at most from all of them together
 */
@Internal
public record LimitedQueues(List<QueueLimit> limits, int most) {

    /** There are none. */
    public static final LimitedQueues NONE = new LimitedQueues(List.of(), 0);
}
