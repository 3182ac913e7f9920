package dev.jobs.test;

import java.time.Duration;

/** What a {@link JobsMode} does with stored jobs. */
interface TestEngine extends TestClock.Timeline {

    /** Runs all jobs that are due, and those that they enqueue, or waits until a worker has. */
    void drain(Duration atMost);

    /** Forgets all jobs. */
    void reset();
}
