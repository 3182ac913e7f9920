package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.assembly.DashboardAutoConfiguration;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class DashboardServerTests {

    private static final AutoConfigurations JOBS = AutoConfigurations.of(
            DataRedisAutoConfiguration.class, JobsAutoConfiguration.class, DashboardAutoConfiguration.class);

    private static final String[] PROPERTIES = {"jobs.worker.enabled=false", "jobs.dashboard.server=management"};

    @Test
    void withoutAnActuatorTheStartSaysWhatToAdd() {
        new WebApplicationContextRunner()
                .withConfiguration(JOBS)
                .withClassLoader(new WithoutActuator())
                .withPropertyValues(PROPERTIES)
                .run(context -> assertRefused(context.getStartupFailure()));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(JOBS)
                .withClassLoader(new WithoutActuator())
                .withPropertyValues(PROPERTIES)
                .run(context -> assertRefused(context.getStartupFailure()));
    }

    private static void assertRefused(Throwable failure) {
        assertThat(failure)
                .rootCause()
                .isInstanceOf(WrongPropertiesException.class)
                .hasMessageContaining("jobs.dashboard.server must be application, or not be set, without "
                        + "spring-boot-starter-actuator but was 'MANAGEMENT'");
    }

    /** Also for the class that asks the actuator for its port. */
    private static final class WithoutActuator extends FilteredClassLoader {

        WithoutActuator() {
            super("org.springframework.boot.actuate");
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(DashboardServer.class.getName()) || findLoadedClass(name) != null) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] code = file.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
