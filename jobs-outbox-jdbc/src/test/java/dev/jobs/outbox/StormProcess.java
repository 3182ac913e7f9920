package dev.jobs.outbox;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.Batches;
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
 * A process that enqueues jobs and creates batches in transactions, some of which it rolls back, and relays the outbox,
 * until it is killed. Each committed job has a row of the application with its jid.
 */
final class StormProcess {

    /** The lines that the process writes, one after each transaction. */
    static final String COMMITTED = "committed";

    static final String ROLLED_BACK = "rolled back";

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

    /** Whatever ends this thread ends the process, whose relay has another. */
    public static void main(String[] arguments) {
        try {
            enqueue(start(arguments[0], arguments[1]), new Random(Long.parseLong(arguments[2])));
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void enqueue(ConfigurableApplicationContext context, Random random) {
        JobClient jobs = context.getBean(JobClient.class);
        Batches batches = context.getBean(Batches.class);
        JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        while (true) {
            try {
                Boolean rolledBack = transaction.execute(status -> {
                    for (int job = random.nextInt(MOST_JOBS); job >= 0; job--) {
                        String jid = jobs.queue(random.nextBoolean() ? "default" : "low")
                                .enqueue("Confirm", job);
                        database.update("insert into orders values (?)", jid);
                    }
                    if (random.nextInt(8) == 0) {
                        String batch = batches.create("storm", some -> some.add(JobCall.named("Confirm", 0))
                                .add(JobCall.named("Confirm", 1)));
                        database.update("insert into orders values (?)", new BatchJobId(batch, 0).jid());
                        database.update("insert into orders values (?)", new BatchJobId(batch, 1).jid());
                    }
                    if (random.nextInt(4) == 0) {
                        status.setRollbackOnly();
                    }
                    return status.isRollbackOnly();
                });
                System.out.println(Boolean.TRUE.equals(rolledBack) ? ROLLED_BACK : COMMITTED);
            } catch (JobStoreException e) { // a batch needs Redis, which may be slow to answer when all is busy
                System.out.println(ROLLED_BACK);
            }
        }
    }
}
