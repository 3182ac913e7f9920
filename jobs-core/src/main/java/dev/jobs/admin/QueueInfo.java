package dev.jobs.admin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue at one moment.
 *
 * @param size jobs in it
 * @param latency how long the job that is taken next has waited; zero if the queue is empty or the job doesn't contain
 *     the time. In an ordered queue, others may have waited longer
 * @param paused whether workers take no jobs from it
 * @param broken whether its key in Redis holds another type than a list: nothing can be enqueued or taken until it is
 *     cleared
 * @param orderedBy what orders it, as this application knows it; null if nothing does
 */
public record QueueInfo(
        String name,
        long size,
        Duration latency,
        boolean paused,
        boolean broken,
        @Nullable OrderedBy orderedBy) {

    /** What orders an ordered queue. */
    public enum OrderedBy {
        /** The keys of jobs take turns. */
        FAIR,
        /** The priorities of jobs. */
        PRIORITY,
        /** It is no longer ordered, and has only to be emptied. */
        NONE
    }

    /** A queue that isn't ordered. */
    public QueueInfo(String name, long size, Duration latency, boolean paused, boolean broken) {
        this(name, size, latency, paused, broken, null);
    }
}
