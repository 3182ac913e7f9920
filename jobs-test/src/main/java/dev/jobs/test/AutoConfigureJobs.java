package dev.jobs.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Puts the jobs of a test's application into a {@link JobsMode}, and adds the beans {@link TestJobs} and
 * {@link TestClock}. For {@code @SpringBootTest}; {@link JobsTest} includes it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureJobs {

    /** What happens to enqueued jobs. */
    JobsMode mode() default JobsMode.RECORDING;

    /**
     * Whether the jobs of {@link JobsMode#WORKER} are in a Redis started for the test, whatever Redis the application
     * configures. If false, they are in that of the application, such as a container with {@code @ServiceConnection},
     * and the clock can't be advanced.
     */
    boolean ownRedis() default true;
}
