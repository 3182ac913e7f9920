package dev.jobs.test;

import java.time.Duration;
import java.util.List;

/** What a {@link JobsMode} does with stored jobs. */
interface TestEngine extends TestClock.Timeline {

    /** Runs all jobs that are due, and those that they enqueue, or waits until a worker has. */
    void drain(Duration atMost);

    /** The lines that a job has logged, the oldest first. */
    List<String> log(String jid);

    /** Forgets all jobs. */
    void reset();
}
