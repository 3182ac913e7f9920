package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** What tests see of jobs in transactions, with and without an outbox. */
abstract class TransactionsContract {

    @Autowired
    Orders orders;

    @Autowired
    JobClient client;

    @Autowired
    TestJobs jobs;

    @Autowired
    JdbcTemplate database;

    TransactionTemplate transaction;

    @BeforeEach
    void begin(@Autowired PlatformTransactionManager manager) {
        transaction = new TransactionTemplate(manager);
        orders.confirmed.clear();
    }

    long rows() {
        return database.queryForObject("select count(*) from jobs_outbox", Long.class);
    }

    @Test
    void aJobIsEnqueuedOnceItsTransactionHasCommitted() {
        transaction.executeWithoutResult(status -> {
            orders.place("bob");

            assertThat(jobs).none();
        });

        assertThat(jobs).enqueued(Orders::confirm, "bob").inQueue("default").times(1);
    }

    @Test
    void aRollbackLeavesNone() {
        transaction.executeWithoutResult(status -> {
            orders.place("bob");
            status.setRollbackOnly();
        });

        assertThat(jobs).none();
        assertThat(rows()).isZero();
    }

    @Test
    void drainRunsWhatIsCommittedAndWhatThatEnqueues() {
        transaction.executeWithoutResult(status -> orders.place("bob!"));

        jobs.drain();

        assertThat(jobs).enqueued(Orders::confirm, "bob!").isDone().hasRun(1);
        assertThat(jobs).enqueued(Orders::confirm, "bob").isDone().hasRun(1);
        assertThat(orders.confirmed).containsExactly("bob!", "bob");
        assertThat(rows()).isZero();
    }

    @Test
    @Transactional
    void aTestWhoseTransactionIsRolledBackSeesWhatWaitsForTheCommit() {
        orders.place("bob");

        assertThat(jobs).waitingForCommit().enqueued(Orders::confirm, "bob").times(1);
        assertThat(jobs).waitingForCommit().hasSize(1);
        assertThat(jobs).none();
        assertThat(jobs.waitingForCommit()).singleElement().satisfies(job -> assertThat(job.arguments())
                .containsExactly("bob"));
    }

    @Test
    @Transactional
    void whatWaitedIsEnqueuedWhenTheTestEndsItsTransaction() {
        orders.place("bob");
        client.now().enqueue(Orders::confirm, "eve");
        assertThat(jobs).hasSize(1).notEnqueued(JobCall.of(Orders::confirm, "bob"));
        TestTransaction.flagForCommit();

        TestTransaction.end();

        assertThat(jobs).enqueuedInOrder(JobCall.of(Orders::confirm, "eve"), JobCall.of(Orders::confirm, "bob"));
        assertThat(jobs).waitingForCommit().none();
    }

    @Test
    @Transactional
    void aTransactionOfItsOwnDoesNotWaitForThatOfTheTest() {
        transaction.setPropagationBehavior(Propagation.REQUIRES_NEW.value());
        orders.place("bob");

        transaction.executeWithoutResult(status -> {
            orders.place("eve");
            assertThat(jobs).waitingForCommit().hasSize(1).enqueued(Orders::confirm, "eve");
        });

        assertThat(jobs).hasSize(1).enqueued(Orders::confirm, "eve");
        assertThat(jobs).waitingForCommit().hasSize(1).enqueued(Orders::confirm, "bob");
    }

    @Test
    @Transactional
    void aFailureSaysThatJobsWaitForTheCommit() {
        orders.place("bob");

        assertThatThrownBy(() -> assertThat(jobs).enqueued(Orders::confirm, "bob"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no job was enqueued")
                .hasMessageContaining("These wait for the commit of the current transaction")
                .hasMessageContaining("Orders.confirm(\"bob\") in queue default")
                .hasMessageContaining("waitingForCommit()");
        assertThatThrownBy(() -> assertThat(jobs).waitingForCommit().enqueued(Orders::confirm, "eve"))
                .hasMessageContaining("Expected a job waiting for the commit")
                .hasMessageContaining("Orders.confirm(\"bob\") in queue default");
    }

    @Test
    void nothingWaitsOutsideATransaction() {
        orders.place("bob");

        assertThat(jobs).hasSize(1).waitingForCommit().none();
    }
}
