package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.test.AutoConfigureJobs;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(properties = "jobs.transactions=outbox")
@AutoConfigureJobs
class OutboxTests extends TransactionsContract {

    /** A row would stay, or a relay would look for a Redis. */
    @Test
    void noRowIsWritten() {
        transaction.executeWithoutResult(status -> orders.place("bob"));

        assertThat(jobs).hasSize(1);
        assertThat(rows()).isZero();
    }

    @Test
    void whatTheOutboxRefusesIsRefused(@Autowired @Qualifier("archive") DataSource archive) {
        TransactionTemplate other = new TransactionTemplate(new JdbcTransactionManager(archive));

        assertThatThrownBy(() -> other.executeWithoutResult(status -> orders.place("bob")))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("not one of the outbox's DataSource");
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> orders.remindOnce("bob")))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("the outbox");
        assertThat(jobs).none();
    }
}
