package dev.jobs.faults;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a job.
 *
 * @param jid the job's id
 * @param attempt the number of the execution under the retry policy, from 1; an unwanted repetition has the number of
 *     the execution it repeats
 * @param worker the number of the process that ran it
 * @param ended when it ended, or null if it did not
 * @param finished whether it ended without an exception
 */
record Execution(
        String jid,
        int attempt,
        int worker,
        Instant started,
        @Nullable Instant ended,
        boolean finished) {

    Execution end(Instant time, boolean well) {
        return new Execution(jid, attempt, worker, started, time, well);
    }
}
