package dev.jobs.slices;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.jdbc.Sql;
import org.springframework.test.context.transaction.TestTransaction;

/** Each test method is a transaction. */
@JdbcTest(properties = "jobs.transactions=outbox")
@AutoConfigureJobs
@Sql("/dev/jobs/outbox/h2/R__jobs_outbox_001.sql")
@Import(Mails.class)
class JdbcSliceTests {

    @Test
    void jobsWaitForTheCommitAndNoRowIsWritten(
            @Autowired JobClient client, @Autowired JdbcClient database, @Autowired TestJobs jobs) {
        client.enqueue(Mails::welcome, "bob");

        assertThat(jobs).none().waitingForCommit().enqueued(Mails::welcome, "bob");
        TestTransaction.flagForCommit();
        TestTransaction.end();

        assertThat(jobs).hasSize(1).enqueued(Mails::welcome, "bob");
        assertThat(database.sql("select count(*) from jobs_outbox")
                        .query(Long.class)
                        .single())
                .isZero();
    }
}
