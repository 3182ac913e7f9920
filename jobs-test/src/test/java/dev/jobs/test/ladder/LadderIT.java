package dev.jobs.test.ladder;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The same by a worker on Redis, whose clock goes on by itself, too. */
@JobsTest(mode = JobsMode.WORKER)
class LadderIT {

    @Test
    void theDelaysOfTheAnnotationPassByTheClock(
            @Autowired JobClient client,
            @Autowired TestJobs jobs,
            @Autowired TestClock clock,
            @Autowired Prices prices) {
        client.enqueue(Prices::load, 7L);
        jobs.drain();
        assertThat(prices.attempts).hasSize(1);

        clock.advance(Duration.ofSeconds(10));
        assertThat(prices.attempts).hasSize(2);
        clock.advance(Duration.ofSeconds(30));
        assertThat(prices.attempts).hasSize(3);
        clock.advance(Duration.ofMinutes(10));

        assertThat(prices.attempts).hasSize(5);
        assertThat(jobs).enqueued(Prices::load, 7L).isDead();
    }
}
