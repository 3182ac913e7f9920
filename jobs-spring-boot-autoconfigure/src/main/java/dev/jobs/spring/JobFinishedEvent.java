package dev.jobs.spring;

import dev.jobs.JobListener;
import dev.jobs.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An execution of a job ended on this worker, successfully or not.
 *
 * <p>Published on the thread that ran the job, before the outcome is in Redis. A slow listener delays the worker; a
 * listener's failure is logged and otherwise ignored. If no listener wants the event, none is published.
 *
 * @param payload the job as it was taken from its queue
 * @param queue the queue it was taken from
 * @param attempt the number of this execution under the retry policy, from 1
 * @param ending what becomes of the job
 * @param took how long the execution took
 * @param failure what the job threw, or null if it threw nothing
 */
public record JobFinishedEvent(
        Payload payload,
        String queue,
        int attempt,
        JobListener.Ending ending,
        Duration took,
        @Nullable Throwable failure) {

    /** The job's id. */
    public @Nullable String jid() {
        return payload.jid();
    }

    /** The job's wire name. */
    public @Nullable String name() {
        return payload.name();
    }
}
