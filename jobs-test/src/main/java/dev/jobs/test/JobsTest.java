package dev.jobs.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of jobs without the rest of the application. Of the scanned components, the context has those with
 * {@link dev.jobs.Job} methods, or only the {@linkplain #value listed} ones, the middleware, retry policies, listeners,
 * handlers and argument masks of jobs, and the accessors of what they take along. Other beans that they need come from
 * {@code @Import}, {@code @MockitoBean} or {@code @TestConfiguration}.
 *
 * <pre>{@code
 * @JobsTest(Emails.class)
 * class EmailsTests {
 *
 *     @Autowired
 *     TestJobs jobs;
 *
 *     @Test
 *     void aSignUpIsWelcomed(@Autowired SignUp signUp) {
 *         signUp.register("bob@example.com");
 *         assertThat(jobs).enqueued(Emails::welcome, "bob@example.com", 5);
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(JobsTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(JobsTypeExcludeFilter.class)
@AutoConfigureJobs
@ImportAutoConfiguration
public @interface JobsTest {

    /** Properties of the environment, as {@code key=value}. */
    String[] properties() default {};

    /** The components with jobs to include; empty for all. An alias of {@link #jobs}. */
    @AliasFor("jobs")
    Class<?>[] value() default {};

    /** The components with jobs to include; empty for all. */
    @AliasFor("value")
    Class<?>[] jobs() default {};

    /** What happens to enqueued jobs. */
    @AliasFor(annotation = AutoConfigureJobs.class, attribute = "mode")
    JobsMode mode() default JobsMode.RECORDING;

    /** Whether the components named above are included without a filter. */
    boolean useDefaultFilters() default true;

    /** Components to include in addition. */
    Filter[] includeFilters() default {};

    /** Components to leave out. */
    Filter[] excludeFilters() default {};

    /** Auto-configurations to leave out. */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
