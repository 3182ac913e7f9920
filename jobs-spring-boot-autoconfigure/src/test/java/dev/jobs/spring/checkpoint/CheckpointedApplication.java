package dev.jobs.spring.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.crac.Core;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Runs a job, goes through a checkpoint, and runs another one. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class CheckpointedApplication {

    /** A system property: the port of Redis. */
    static final String PORT = "redis.port";

    /** How lines for the test begin. */
    static final String SAYS = "> ";

    public static void main(String[] arguments) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(
                CheckpointedApplication.class,
                "--spring.main.web-application-type=none",
                "--spring.data.redis.port=" + System.getProperty(PORT))) {
            runJob(context);
            say("identity " + identity(context) + ", push ids " + pushIds(context));

            Core.checkpointRestore();

            runJob(context);
            say("identity " + identity(context) + ", push ids " + pushIds(context));
        } finally {
            System.exit(0); // even if something goes on
        }
    }

    private static void runJob(ConfigurableApplicationContext context) throws InterruptedException {
        context.getBean(JobClient.class).enqueue(Work::run);
        say("ran " + context.getBean(Work.class).ran.poll(60, TimeUnit.SECONDS));
    }

    private static String identity(ConfigurableApplicationContext context) {
        return context.getBean(JobEngine.class).health().identity();
    }

    private static int pushIds(ConfigurableApplicationContext context) {
        return context.getBean(StringRedisTemplate.class).keys("jobs:pushes:*").size();
    }

    /** What a JVM would refuse to store, or store in vain. */
    static void lookAround() {
        List<String> threads = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(each -> each.startsWith("jobs-"))
                .toList();
        say("checkpoint with threads " + threads + ", connections " + connections());
    }

    /** Asks by a connection of its own, which is the one listed. */
    private static long connections() {
        try (Socket socket = new Socket("127.0.0.1", Integer.getInteger(PORT))) {
            socket.getOutputStream().write("CLIENT LIST\r\nQUIT\r\n".getBytes(UTF_8));
            try (InputStream in = socket.getInputStream()) {
                return new String(in.readAllBytes(), UTF_8)
                                .lines()
                                .filter(each -> each.contains(" addr="))
                                .count()
                        - 1;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void say(String line) {
        System.out.println(SAYS + line);
    }

    @Bean
    Work work() {
        return new Work();
    }

    static class Work {

        final BlockingQueue<String> ran = new LinkedBlockingQueue<>();

        @Job
        void run() {
            ran.add("a job");
        }
    }
}
