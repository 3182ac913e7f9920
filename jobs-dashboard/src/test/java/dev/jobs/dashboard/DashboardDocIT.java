package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ArgumentMask;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.Requires;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** Applications made of the snippets of the page about the dashboard start, and its commands act on them. */
@Tag("system")
@Requires(check = "command -v curl", install = "curl")
class DashboardDocIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @TempDir
    private Path directory;

    @BeforeEach
    void compile() throws IOException {
        assertThat(DashboardDocTests.compile(directory)).isEmpty();
    }

    @Test
    void theRulesAndTheCommandForThemWork() throws Exception {
        try (URLClassLoader loader = loader();
                RunningDashboard dashboard = RunningDashboard.start(
                        redis,
                        "/jobs",
                        List.of(Users.class, loader.loadClass("shown.DashboardSecurity")),
                        "jobs.worker.enabled=false")) {
            assertThat(dashboard.get("/").status()).isEqualTo(401);

            assertThat(run(DashboardDocTests.blocks("shell").get(1), dashboard)).contains("\"changed\":true");

            assertMailIsPaused(dashboard);
        }
    }

    @Test
    void theRulesForWebFluxAndTheCommandForThemWork() throws Exception {
        try (URLClassLoader loader = loader();
                RunningDashboard dashboard = RunningDashboard.start(
                        Kind.REACTIVE,
                        redis,
                        "/jobs",
                        List.of(ReactiveUsers.class, loader.loadClass("shown.ReactiveDashboardSecurity")),
                        "jobs.worker.enabled=false")) {
            assertThat(dashboard.get("/").status()).isIn(302, 401);

            assertThat(run(DashboardDocTests.blocks("shell").get(1), dashboard)).contains("\"changed\":true");

            assertMailIsPaused(dashboard);
        }
    }

    @Test
    void theMasksAndTheCommandWithoutRulesWork() throws Exception {
        try (URLClassLoader loader = loader();
                RunningDashboard dashboard = RunningDashboard.start(
                        redis,
                        "/jobs",
                        List.of(
                                TestApplication.class,
                                loader.loadClass("shown.Payments"),
                                loader.loadClass("shown.RubySecrets")),
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local")) {
            assertThat(dashboard.bean(JobRegistry.class).definitions())
                    .anyMatch(job -> job.name().equals("Payments.charge"));
            assertThat(dashboard.bean(ArgumentMask.class).shown("LegacyCharge", 1, "4111"))
                    .isNotEqualTo("4111");

            assertThat(run(DashboardDocTests.blocks("shell").get(0), dashboard)).contains("\"changed\":true");

            assertMailIsPaused(dashboard);
        }
    }

    private URLClassLoader loader() throws IOException {
        return new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader());
    }

    private String run(String command, RunningDashboard dashboard) throws IOException, InterruptedException {
        Path errors = directory.resolve("errors.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        "sh", "-c", command.replace("localhost:8080", "localhost:" + dashboard.port()))
                .directory(directory.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("TOKEN", RunningDashboard.TOKEN);
        Process shell = builder.start();
        String said = new String(shell.getInputStream().readAllBytes(), UTF_8);
        assertThat(shell.waitFor()).as(said + Files.readString(errors)).isZero();
        return said;
    }

    private static void assertMailIsPaused(RunningDashboard dashboard) {
        assertThat(dashboard.redis().opsForSet().members("paused")).containsExactly("mail");
        assertThat(dashboard.bean(JobsAdmin.class).queues().resume("mail")).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Users {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("olga")
                    .password("{noop}secret")
                    .roles("JOBS_OPERATOR")
                    .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveUsers {

        @Bean
        ReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(User.withUsername("olga")
                    .password("{noop}secret")
                    .roles("JOBS_OPERATOR")
                    .build());
        }
    }
}
