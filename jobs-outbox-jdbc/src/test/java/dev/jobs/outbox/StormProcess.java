package dev.jobs.outbox;

import dev.jobs.JobClient;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.util.Map;
import java.util.Random;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A process that enqueues jobs in transactions, some of which it rolls back, and relays the outbox, until it is killed.
 * Each committed job has a row of the application with its jid.
 */
final class StormProcess {

    /** The line that the process writes after each transaction. */
    static final String DONE = "done";

    private static final int MOST_JOBS = 5;

    private StormProcess() {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class,
        JobsOutboxAutoConfiguration.class
    })
    static class App {

        @Bean
        DataSource dataSource(@Value("${storm.database}") String url) {
            return new DriverManagerDataSource(url);
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Starts the application, which relays what is in the outbox. */
    static ConfigurableApplicationContext start(String database, String redisPort) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "storm",
                        Map.of(
                                "storm.database", database,
                                "spring.data.redis.port", redisPort,
                                "jobs.worker.enabled", "false",
                                "jobs.transactions", "outbox",
                                "jobs.outbox.poll-interval", "20ms")));
        context.register(App.class);
        context.refresh();
        return context;
    }

    public static void main(String[] arguments) {
        ConfigurableApplicationContext context = start(arguments[0], arguments[1]);
        JobClient jobs = context.getBean(JobClient.class);
        JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        Random random = new Random(Long.parseLong(arguments[2]));
        while (true) {
            transaction.executeWithoutResult(status -> {
                for (int job = random.nextInt(MOST_JOBS); job >= 0; job--) {
                    String jid =
                            jobs.queue(random.nextBoolean() ? "default" : "low").enqueue("Confirm", job);
                    database.update("insert into orders values (?)", jid);
                }
                if (random.nextInt(4) == 0) {
                    status.setRollbackOnly();
                }
            });
            System.out.println(DONE);
        }
    }
}
