package dev.jobs.engine;

import dev.jobs.Internal;
import java.time.Duration;

/**
 * Whether a capsule is notified of jobs at once, or takes turns polling with others that serve the same queues.
 * Thread-safe.
 */
@Internal
public interface OnCall {

    /** The load of a capsule. */
    enum Load {
        /** It runs no job. */
        FREE,
        /** It runs jobs and has room for more. */
        BUSY,
        FULL,
        /** It takes no more jobs. */
        GONE
    }

    /** Whether it is on call: only then does a claim stand or the doorbell ring. */
    boolean isOnCall();

    /** Whether it is on call and, if others could be on call instead, has had room lately. */
    boolean isListening();

    /** How often to poll on average while it isn't on call. */
    Duration pollInterval();

    /** Notes the capsule's load, and reports it at once if others should know. */
    void loaded(Load load);

    /** Whether the doorbell rings for a queue. */
    boolean ringsFor(String queue);

    /** The capsule needs rings for other queues than before. */
    void ringsChanged();
}
