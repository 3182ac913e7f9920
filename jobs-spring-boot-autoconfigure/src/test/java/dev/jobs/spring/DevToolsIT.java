package dev.jobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import io.lettuce.core.RedisClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restart by DevTools: in the same JVM, with a new class loader for the application and the old one for Jobs. */
class DevToolsIT {

    /** Put there by the build, since on the class path it would take hold of all applications in tests. */
    private static final Path DEV_TOOLS =
            Path.of(System.getProperty("basedir", ""), "target", "devtools", "spring-boot-devtools.jar");

    private static final Pattern REGISTERED = Pattern.compile("This process is registered as (\\S+)");

    private static final String APPLICATION = """
            package shop;

            import dev.jobs.*;
            import java.util.*;
            import org.springframework.boot.*;
            import org.springframework.boot.autoconfigure.*;
            import org.springframework.context.annotation.*;

            @SpringBootApplication
            public class Shop {

                public static void main(String[] arguments) {
                    SpringApplication.run(Shop.class, arguments);
                }

                @Bean
                ApplicationRunner opening(JobClient jobs) {
                    return arguments -> {
                        jobs.enqueue(Work::greet, List.of(new Greeting("ada")));
                        if (VERSION == 1) {
                            jobs.enqueue(Work::hold, new Greeting("bob"));
                        }
                    };
                }

                @Bean
                Work work() {
                    return new Work();
                }

                record Greeting(String to) {}

                static class Work {

                    @Job
                    void greet(List<Greeting> greetings) {
                        System.out.println("Version VERSION greets " + greetings.get(0).to());
                        System.out.println("Version VERSION finds " + foreignThreads() + " threads of another one");
                    }

                    @Job
                    void hold(Greeting greeting) throws InterruptedException {
                        System.out.println("Version VERSION holds " + greeting.to());
                        if (VERSION == 1) {
                            Thread.sleep(600_000);
                        }
                    }

                    private long foreignThreads() {
                        return Thread.getAllStackTraces().keySet().stream()
                                .filter(each -> each.getName().startsWith("jobs-"))
                                .filter(each -> each.getContextClassLoader() != Work.class.getClassLoader())
                                .count();
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    private Path classes;
    private Path log;

    @LongTest
    @Test
    void theNewContextRunsTheNewCodeAndTheOldProcessIsGone() throws Exception {
        classes = Files.createDirectory(directory.resolve("classes"));
        log = directory.resolve("log");
        compile("1");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Process jvm = start(redis.port());
            try {
                awaitLog("Version 1 greets ada", "Version 1 finds 0 threads", "Version 1 holds bob");

                compile("2");

                awaitLog("Version 2 greets ada", "Version 2 finds 0 threads", "Version 2 holds bob");
                List<String> identities = REGISTERED
                        .matcher(Files.readString(log))
                        .results()
                        .map(match -> match.group(1))
                        .toList();
                assertThat(identities).hasSize(2).doesNotHaveDuplicates();
                await().atMost(Duration.ofSeconds(60)) // its heartbeat shows a process after it was registered
                        .untilAsserted(() -> assertThat(processes(redis)).containsExactly(identities.get(1)));
            } finally {
                jvm.destroyForcibly().onExit().join();
            }
        }
    }

    private void compile(String version) throws IOException {
        Path source = directory.resolve("Shop.java");
        Files.writeString(source, APPLICATION.replace("VERSION", version));
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-parameters",
                        "-d",
                        classes.toString(),
                        "-classpath",
                        System.getProperty("java.class.path"),
                        source.toString());
        assertThat(result).isZero();
    }

    private Process start(int port) throws IOException {
        Path settings = Files.createDirectories(directory.resolve("settings/META-INF"));
        // An application has Jobs in jars, which DevTools leaves to the JVM's own class loader.
        Files.writeString(settings.resolve("spring-devtools.properties"), "restart.exclude.jobs=/target/");
        assertThat(DEV_TOOLS).as("made by process-test-resources").exists();
        String classPath = String.join(
                File.pathSeparator,
                classes.toString(),
                settings.getParent().toString(),
                DEV_TOOLS.toAbsolutePath().toString(),
                System.getProperty("java.class.path"));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dspring.devtools.restart.poll-interval=200ms",
                        "-Dspring.devtools.restart.quiet-period=100ms",
                        "-classpath",
                        classPath,
                        "shop.Shop",
                        "--spring.data.redis.port=" + port,
                        "--spring.main.web-application-type=none",
                        "--jobs.shutdown-timeout=0s")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private void awaitLog(String... parts) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Files.readString(log)).contains(parts));
    }

    private static Set<String> processes(EmbeddedRedis redis) {
        try (RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port())) {
            return client.connect().sync().smembers("processes");
        }
    }
}
