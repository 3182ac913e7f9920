package dev.jobs.spring.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.r2dbc.h2.H2ConnectionConfiguration;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** What is said where no database can be chosen. */
class JobsDatabaseTests {

    @Test
    void anApplicationThatHasOnlyR2dbcLearnsThatTablesNeedJdbc() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        ConnectionFactory reactive = new H2ConnectionFactory(
                H2ConnectionConfiguration.builder().inMemory("any").build());
        beans.registerSingleton("reactive", reactive);

        assertThat(JobsDatabase.absence(beans).reason())
                .isEqualTo(
                        "there is no DataSource, only R2DBC ([reactive]), and tables of jobs are reached through JDBC");
    }
}
