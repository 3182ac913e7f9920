package dev.jobs.dashboard.history;

import dev.jobs.Job;
import dev.jobs.JobFailedException;
import dev.jobs.Masked;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.databases.Database;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application with a history in a database. */
@Configuration(proxyBeanMethods = false)
@Import(TestApplication.class)
public class HistoryApplication {

    static final String[] PROPERTIES = {
        "jobs.dashboard.access=local", "jobs.history.enabled=true", "jobs.history.interval=50ms"
    };

    @Bean
    Database database() {
        return Database.h2();
    }

    @Bean
    DataSource dataSource(Database database) {
        return database.source();
    }

    @Bean
    Shop shop() {
        return new Shop();
    }

    static class Shop {

        @Job
        public String enroll(int product, @Masked String token) {
            if (product % 2 == 1) {
                throw new JobFailedException("Product " + product + " is not qualified");
            }
            return "enrolled";
        }
    }
}
