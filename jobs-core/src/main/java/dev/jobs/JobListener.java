package dev.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what client and engine do: the seam for metrics and events. Called on the thread that did it, also on hot paths, so it must be
 * quick; whatever it throws is logged and ignored, but an {@link OutOfMemoryError}, which ends a worker.
 */
public interface JobListener {

    /** How an execution ended. */
    enum Ending {
        DONE,
        RETRIED,
        DEAD,
        DISCARDED,
        /** The job stopped itself with {@link JobInterruptedException} and is in its queue again. */
        INTERRUPTED,
        /** The worker stopped: the job is in its queue again. */
        HANDED_BACK,
        /** The worker's lease had run out: the job runs elsewhere, and this execution counts for nothing. */
        LOST
    }

    /** What the engine does as a whole. */
    enum EngineState {
        STARTED,
        QUIET,
        STOPPED
    }

    /** Jobs were stored, all of one name and queue; {@code scheduled} if they wait for their time. */
    default void enqueued(String name, String queue, int count, boolean scheduled) {}

    default void started(JobContext job) {}

    /**
     * An execution ended. Also told, without {@link #started} before it, of what was claimed but is no job, or none that could run; where it
     * is not even a JSON object, {@link JobContext#payload()} throws and name and jid are empty.
     *
     * @param failure what the job threw, if it did
     */
    default void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {}

    /** A job from the scheduled or retry set went to its queue, so much later than its time. */
    default void promoted(String name, String queue, Duration lateness) {}

    /** Jobs of dead workers were put back into their queues; {@code poisoned} others were buried. */
    default void recovered(int requeued, int poisoned) {}

    /** One call to Redis that settled and claimed jobs; not one that stood there until there was a job, however long that was. */
    default void exchanged(int settled, int claimed, Duration took) {}

    /** A settlement came too late: the job had been taken away from this worker. */
    default void settlementRefused(int count) {}

    default void engineChanged(EngineState state) {}
}
