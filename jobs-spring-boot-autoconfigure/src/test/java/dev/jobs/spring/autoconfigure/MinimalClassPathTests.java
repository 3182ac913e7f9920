package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobEngine;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application without any optional dependency, in its own JVM, where no class can be found by accident. */
class MinimalClassPathTests {

    private static final List<String> OPTIONAL = List.of(
            "spring-boot-health",
            "spring-boot-actuator",
            "spring-boot-starter-actuator",
            "spring-boot-micrometer",
            "spring-boot-webmvc",
            "micrometer",
            "context-propagation",
            "tomcat",
            "spring-web",
            "jobs-embedded-redis");

    @Test
    void startsWithoutAnythingOptional() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> OPTIONAL.stream().noneMatch(name -> entry.contains("/" + name)))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        Application.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("jobs known: 1, worker: RUNNING").doesNotContain("ERROR");
        assertThat(process.exitValue()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {

        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext context = SpringApplication.run(
                    Application.class, "--spring.data.redis.port=1", "--jobs.shutdown-timeout=0s")) {
                System.out.println("jobs known: "
                        + context.getBean(JobRegistry.class).definitions().size()
                        + ", worker: "
                        + context.getBean(JobEngine.class).health().state());
            }
        }
    }

    static class Shop {

        @Job
        void sell() {}
    }
}
