package dev.jobs.test.twenty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.test.JobsAssertions;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** How long the tests of an application take by a worker. */
@JobsTest(mode = JobsMode.WORKER)
class TwentyJobsIT {

    @Test
    void twentyJobsRun(@Autowired JobClient client, @Autowired TestJobs jobs, @Autowired TwentyJobs.Jobs ran) {
        TwentyJobs.enqueueAll(client);

        jobs.drain();

        assertThat(ran.runs).hasValue(20);
        for (int job = 1; job <= 20; job++) {
            JobsAssertions.assertThat(jobs).enqueuedNamed("Jobs.job" + job).isDone();
        }
    }
}
