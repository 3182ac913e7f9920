package dev.jobs.history;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.batches.Batches;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A process that creates batches, rolls some of them back, runs jobs and writes the history, until it is killed. */
final class StormProcess {

    /** The line that the process writes once it works. */
    static final String WORKS = "works";

    private StormProcess() {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class,
        JobsHistoryAutoConfiguration.class
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

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        RetryPolicy soon() {
            return (payload, count, failure) -> Decision.retryIn(Duration.ofSeconds(1));
        }
    }

    /** Jobs with every kind of end. */
    static final class Work {

        private static final int KINDS = 20;

        @Job(retry = 1)
        String run(long number, JobContext job) {
            switch ((int) (number % KINDS)) {
                case 0 -> throw new JobFailedException("Number " + number + " is refused");
                case 1 -> throw new IllegalStateException("Number " + number + " fails each time");
                case 2 -> {
                    if (job.attempt() == 1) {
                        job.message("a first try of " + number);
                        throw new IllegalStateException("Number " + number + " fails once");
                    }
                }
                case 3 -> job.message("number " + number + " has something to say");
                default -> {
                    // silent
                }
            }
            return "result of " + number;
        }
    }

    /** Starts the application. */
    static ConfigurableApplicationContext start(String database, String redisPort) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(
                        "storm.database=" + database,
                        "spring.data.redis.port=" + redisPort,
                        "jobs.lease=2s",
                        "jobs.history.interval=100ms")
                .applyTo(context);
        context.register(App.class);
        context.refresh();
        return context;
    }

    /** Creates a batch in a transaction, or open, or in a transaction that is rolled back. */
    static void create(ConfigurableApplicationContext context, Random random, int jobs) {
        Batches batches = context.getBean(Batches.class);
        switch (random.nextInt(4)) {
            case 0 ->
                new TransactionTemplate(context.getBean(JdbcTransactionManager.class)).executeWithoutResult(status -> {
                    batches.create("rolled back", batch -> batch.addAll(calls(jobs)));
                    status.setRollbackOnly();
                });
            case 1 ->
                new TransactionTemplate(context.getBean(JdbcTransactionManager.class))
                        .executeWithoutResult(status -> batches.create(
                                "storm", batch -> batch.keepResults().addAll(calls(jobs))));
            case 2 -> {
                try (var batch = batches.open("storm", options -> options.tags("open"))) {
                    calls(jobs).forEach(batch::add);
                    batch.commit();
                }
            }
            default -> batches.create("storm", batch -> batch.tags("plain").addAll(calls(jobs)));
        }
    }

    private static java.util.stream.Stream<JobCall> calls(int jobs) {
        return LongStream.range(0, jobs).mapToObj(number -> JobCall.of(Work::run, number));
    }

    /** Arguments: URL of the database, port of Redis, seed, number of batches to create, number of jobs of each. */
    public static void main(String[] arguments) throws InterruptedException {
        ConfigurableApplicationContext context = start(arguments[0], arguments[1]);
        System.out.println(WORKS);
        Random random = new Random(Long.parseLong(arguments[2]));
        for (int left = Integer.parseInt(arguments[3]); left > 0; left--) {
            create(context, random, Integer.parseInt(arguments[4]));
        }
        Thread.currentThread().join();
    }
}
