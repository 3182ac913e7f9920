package dev.jobs.test;

/** The entry point of assertions about jobs, for a static import beside those of AssertJ. */
public final class JobsAssertions {

    private JobsAssertions() {}

    /** Begins an assertion about the jobs that a test enqueued. */
    public static JobsAssert assertThat(TestJobs jobs) {
        return new JobsAssert(jobs, jobs.enqueued(), "");
    }
}
