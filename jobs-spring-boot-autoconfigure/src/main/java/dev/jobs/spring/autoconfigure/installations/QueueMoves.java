package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.JobsException;

/** Moves the jobs of queues from one installation to another, as an endpoint is told. */
@Internal
public interface QueueMoves {

    /** Whether an action is about the move of a queue. */
    boolean isAction(String action);

    /**
     * Begins the move of a queue or goes on with it, looks at it, or ends it. Returns how far it is, as JSON shows it.
     *
     * @param action one that {@link #isAction} knows
     * @param dead whether its dead jobs go as well
     * @throws JobsException if the queue isn't being moved, or not to a single installation
     */
    Object act(String queue, String action, boolean dead);
}
