package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.Job;
import dev.jobs.JobContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A worker in its own JVM, which begins a job and is killed. */
record KilledWorker(Process process) implements AutoCloseable {

    /** The list in Redis to which the worker adds the jid of each job that it begins. */
    static final String BEGUN = "begun";

    static KilledWorker start(int port, String queue) throws IOException {
        return new KilledWorker(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        "--spring.data.redis.port=" + port,
                        "--spring.main.web-application-type=none",
                        "--jobs.queues=" + queue,
                        "--jobs.lease=2s")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Kills it without any warning. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        public static void main(String[] arguments) throws InterruptedException {
            SpringApplication.run(Application.class, arguments);
            new CountDownLatch(1).await();
        }

        @Bean
        Shipping shipping(StringRedisTemplate texts) {
            return new Shipping(texts);
        }
    }

    record Shipping(StringRedisTemplate texts) {

        @Job("Orders.ship")
        void ship(JobContext job) throws InterruptedException {
            texts.opsForList().rightPush(BEGUN, job.jid());
            new CountDownLatch(1).await();
        }
    }
}
