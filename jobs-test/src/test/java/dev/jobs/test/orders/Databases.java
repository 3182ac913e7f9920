package dev.jobs.test.orders;

import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Two, of which the first has the outbox. */
@Configuration(proxyBeanMethods = false)
class Databases {

    @Bean
    @Primary
    DataSource database() {
        return new EmbeddedDatabaseBuilder()
                .generateUniqueName(true)
                .setType(EmbeddedDatabaseType.H2)
                .addScript("classpath:dev/jobs/outbox/h2/R__jobs_outbox_001.sql")
                .build();
    }

    @Bean
    @Primary
    JdbcTransactionManager transactions(DataSource database) {
        return new JdbcTransactionManager(database);
    }

    @Bean
    JdbcTemplate jdbc(DataSource database) {
        return new JdbcTemplate(database);
    }

    @Bean(defaultCandidate = false)
    DataSource archive() {
        return new EmbeddedDatabaseBuilder()
                .generateUniqueName(true)
                .setType(EmbeddedDatabaseType.H2)
                .build();
    }
}
