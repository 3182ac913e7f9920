package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import dev.jobs.test.orders.InlineTransactionsTests.Books;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Jobs run on the thread of a transaction that has committed, and have none but their own. */
@SpringBootTest
@AutoConfigureJobs(mode = JobsMode.INLINE)
@Import(Books.class)
class InlineTransactionsTests {

    static class Books {

        private final JobClient jobs;
        private final JdbcTemplate database;
        private final TransactionTemplate transaction;

        Books(JobClient jobs, JdbcTemplate database, PlatformTransactionManager manager) {
            this.jobs = jobs;
            this.database = database;
            this.transaction = new TransactionTemplate(manager);
        }

        @Job
        void book(String customer) {
            transaction.executeWithoutResult(status -> {
                database.update("insert into bookings values (?)", customer);
                jobs.enqueue(Orders::confirm, customer);
                if (customer.equals("nobody")) {
                    throw new IllegalArgumentException("no such customer");
                }
            });
        }
    }

    @Autowired
    Orders orders;

    @Autowired
    JobClient client;

    @Autowired
    TestJobs jobs;

    @Autowired
    JdbcTemplate database;

    private TransactionTemplate transaction;

    @BeforeEach
    void begin(@Autowired PlatformTransactionManager manager) {
        transaction = new TransactionTemplate(manager);
        orders.confirmed.clear();
        database.execute("create table if not exists bookings (customer varchar(50))");
        database.execute("delete from bookings");
    }

    private List<String> bookings() {
        return database.queryForList("select customer from bookings", String.class);
    }

    @Test
    void jobsRunAfterTheCommit() {
        transaction.executeWithoutResult(status -> {
            orders.place("bob");
            assertThat(orders.confirmed).isEmpty();
        });

        assertThat(orders.confirmed).containsExactly("bob");
        assertThat(jobs).enqueued(Orders::confirm, "bob").isDone();
    }

    @Test
    void theTransactionOfAJobCommits() {
        transaction.executeWithoutResult(status -> client.enqueue(Books::book, "bob"));

        assertThat(bookings()).containsExactly("bob");
        assertThat(orders.confirmed).containsExactly("bob");
    }

    @Test
    void theTransactionOfAFailedJobIsRolledBack() {
        transaction.executeWithoutResult(status -> client.enqueue(Books::book, "nobody"));

        assertThat(jobs).enqueued(Books::book, "nobody").isWaitingForRetry();
        assertThat(bookings()).isEmpty();
        assertThat(jobs).hasSize(1);
    }

    @Test
    void aRecurringJobWaitsForNoTransaction(@Autowired RecurringJobs recurring, @Autowired TestClock clock) {
        recurring.save("hourly", Recurrence.every(Duration.ofHours(1)), JobCall.of(Orders::confirm, "bob"));

        transaction.executeWithoutResult(status -> {
            assertThat(recurring.runNow("hourly")).isNotNull();
            clock.advance(Duration.ofHours(1));

            assertThat(orders.confirmed).containsExactly("bob", "bob");
            status.setRollbackOnly();
        });
        assertThat(jobs).hasSize(2);
    }

    @Test
    void soItIsWhereACallbackOfTheCommitEnqueuesTheJob() {
        List<String> called = new ArrayList<>();
        transaction.executeWithoutResult(status -> {
            orders.place("eve");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    assertThatThrownBy(() -> client.enqueue(Books::book, "nobody"))
                            .hasMessageContaining("no such customer");
                    called.add("commit");
                }

                @Override
                public void afterCompletion(int status) {
                    assertThatThrownBy(() -> client.enqueue(Books::book, "nobody"))
                            .hasMessageContaining("no such customer");
                    called.add("completion");
                }
            });
        });

        assertThat(called).containsExactly("commit", "completion");
        assertThat(bookings()).isEmpty();
        assertThat(jobs).hasSize(3).enqueued(Orders::confirm, "eve").isDone();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }
}
