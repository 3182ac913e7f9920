package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.Payload;
import java.time.Instant;
import java.util.List;

/**
 * What one feature knows of why a job waits. People read what all features say of one kind, in the order of the
 * features, and then of the next kind.
 */
@Internal
public interface WaitReason {

    /** Why the job ends without being run when a worker takes it. */
    default List<Finding> ending(Payload job, Instant now) {
        return List.of();
    }

    /**
     * Why the job is in the scheduled set.
     *
     * @param stored its bytes there
     */
    default List<Finding> scheduled(Payload job, byte[] stored) {
        return List.of();
    }

    /** Why workers take nothing from a queue at present. */
    default List<Finding> blocked(String queue) {
        return List.of();
    }

    /**
     * What decides when it is the job's turn in its queue.
     *
     * @param index how many jobs are taken before it
     */
    default List<Finding> turn(String queue, Payload job, long index) {
        return List.of();
    }
}
