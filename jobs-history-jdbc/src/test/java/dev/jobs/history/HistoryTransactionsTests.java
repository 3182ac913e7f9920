package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.databases.Database;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions of the history beside those of the application. */
class HistoryTransactionsTests {

    private Database database;
    private HistoryTables tables;
    private JobHistory history;

    @Entity
    static class Invoice {
        @Id
        int id;
    }

    @BeforeEach
    void open() {
        database = Database.h2();
        database.run("dev/jobs/history/h2/R__jobs_history_001.sql");
        tables = new HistoryTables(database.source());
        history = new JobHistory(tables);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void add(String id) {
        tables.tasks().add(id, "name", Instant.EPOCH);
    }

    @Test
    void aTransactionOfItsOwnLeavesThatOfJpaAlone() {
        EntityManagerFactory factory = entities();
        try {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            rollBack(new JpaTransactionManager(factory), () -> {
                entities.persist(new Invoice());
                entities.flush();
                tables.inTransaction(() -> add("independent"));
                add("in the caller's");
            });
            assertThat(entities.find(Invoice.class, 0)).as("rolled back").isNull();
            assertThat(history.task("independent")).isPresent();
            assertThat(history.task("in the caller's")).isEmpty();
        } finally {
            factory.close();
        }
    }

    /** As some libraries want the DataSource. */
    @Test
    void aTransactionOfItsOwnLeavesThatOfJpaAloneAlsoThroughAProxy() {
        tables = new HistoryTables(new TransactionAwareDataSourceProxy(database.source()));
        aTransactionOfItsOwnLeavesThatOfJpaAlone();
    }

    @Test
    void aTransactionOfJpaIsOneOfItsDatabase() {
        EntityManagerFactory factory = entities();
        try (Database other = Database.h2()) {
            CurrentTransaction current = new CurrentTransaction();
            JpaTransactionManager jpa = new JpaTransactionManager(factory);
            JdbcTransactionManager inner = new JdbcTransactionManager(other.source());
            jpa.addListener(current);
            inner.addListener(current);
            rollBack(jpa, () -> {
                assertThat(current.isOf(database.source())).isTrue();
                rollBack(inner, () -> {
                    assertThat(current.isOf(database.source())).isFalse();
                    assertThat(current.isOf(other.source())).isTrue();
                });
                assertThat(current.isOf(database.source())).isTrue();
                assertThat(current.isOf(other.source())).isFalse();
            });
        } finally {
            factory.close();
        }
    }

    private EntityManagerFactory entities() {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(database.source());
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(PersistenceManagedTypes.of(Invoice.class.getName()));
        factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
        factory.afterPropertiesSet();
        return Objects.requireNonNull(factory.getObject());
    }

    private static void rollBack(PlatformTransactionManager transactions, Runnable work) {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            work.run();
            status.setRollbackOnly();
        });
    }

    @Test
    void aTransactionOfItsOwnLeavesThatOfJdbcAlone() {
        rollBack(new JdbcTransactionManager(database.source()), () -> {
            add("before");
            tables.inTransaction(() -> add("independent"));
            add("after");
        });
        assertThat(history.task("independent")).isPresent();
        assertThat(history.task("before")).isEmpty();
        assertThat(history.task("after")).isEmpty();
    }

    /** Whose connection is bound to the thread all the same. */
    @ParameterizedTest
    @EnumSource(
            value = Propagation.class,
            names = {"SUPPORTS", "NOT_SUPPORTED"})
    void aTransactionOfItsOwnBesideReadsOutsideOfOne(Propagation propagation) {
        TransactionTemplate none = new TransactionTemplate(new JdbcTransactionManager(database.source()));
        none.setPropagationBehavior(propagation.value());
        none.executeWithoutResult(status -> readAndAdd());
        assertThat(history.task("independent")).isPresent();
    }

    @Test
    void aTransactionOfItsOwnBesideReadsInOneOfAnotherDatabase() {
        try (Database other = Database.h2()) {
            rollBack(new JdbcTransactionManager(other.source()), this::readAndAdd);
        }
        assertThat(history.task("independent")).isPresent();
    }

    private void readAndAdd() {
        assertThat(history.task("independent")).isEmpty();
        tables.inTransaction(() -> add("independent"));
        assertThat(history.task("independent")).as("read by the same thread").isPresent();
    }

    @Test
    void readingNeedsOneConnection() {
        add("a");
        DataSource one = new SingleConnectionDataSource(database.url(), true);
        assertThat(new JobHistory(new HistoryTables(one))
                        .tasks(TaskSearch.all(), null, 10)
                        .items())
                .hasSize(1);
    }

    @Test
    void missingTablesAreExplained() {
        database.execute("drop table jobs_task");
        assertThatThrownBy(() -> history.task("a"))
                .isInstanceOf(InvalidDataAccessResourceUsageException.class)
                .hasMessageContaining("jobs.history.initialize-schema");
        assertThatThrownBy(() -> tables.inTransaction(() -> add("a"))).hasMessageContaining("dev/jobs/history");
    }
}
