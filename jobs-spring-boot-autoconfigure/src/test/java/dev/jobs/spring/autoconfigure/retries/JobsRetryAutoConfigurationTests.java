package dev.jobs.spring.autoconfigure.retries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.retries.DeclaredRetry;
import dev.jobs.retries.Retry;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.beans.StartingBeans;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.Order;

class JobsRetryAutoConfigurationTests {

    private final ApplicationContextRunner runner =
            JobsContext.withoutWorker().withConfiguration(AutoConfigurations.of(JobsRetryAutoConfiguration.class));

    /** What is decided about a job at its second failure, by the first policy that decides. */
    private static Decision decide(AssertableApplicationContext context, String name) {
        Payload payload = Payload.parse(("{\"class\":\"" + name + "\",\"args\":[]}").getBytes(UTF_8));
        for (RetryPolicy each : context.getBean(JobHooks.class).all(RetryPolicy.class)) {
            Decision decision = each.decide(payload, 1, new IOException("gone"));
            if (decision != null) {
                return decision;
            }
        }
        return null;
    }

    private static Decision after(int seconds, String who) {
        return Decision.retryAfter(Duration.ofSeconds(seconds)).by(who);
    }

    @Job
    @Retry
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Load {

        @AliasFor(annotation = Job.class, attribute = "value")
        String name();

        @AliasFor(annotation = Retry.class, attribute = "delay")
        String delay() default "1m";

        @AliasFor(annotation = Retry.class, attribute = "maxRetries")
        int maxRetries() default 4;
    }

    static class Prices {

        @Job("Configured")
        @Retry(
                delay = "${prices.delay}",
                multiplier = 2,
                maxDelay = "${prices.longest:1h}",
                jitter = "${prices.jitter:}")
        void configured() {}

        @Load(name = "Composed", delay = "7s")
        void composed() {}

        @Load(name = "Default")
        void byDefault() {}

        @Job("Plain")
        void plain() {}
    }

    @Test
    void textsMayHavePlaceholdersAndTheAnnotationMayBePartOfAnother() {
        runner.withBean(Prices.class).withPropertyValues("prices.delay=10s").run(context -> {
            assertThat(decide(context, "Configured")).isEqualTo(after(20, "@Retry"));
            assertThat(decide(context, "Composed")).isEqualTo(after(7, "@Retry"));
            assertThat(decide(context, "Default")).isEqualTo(after(60, "@Retry"));
            assertThat(decide(context, "Plain")).isNull();
            assertThat(context.getBean(JobRegistry.class)
                            .find("Composed")
                            .orElseThrow()
                            .options())
                    .containsEntry("retry", 4);
        });
        runner.withBean(Prices.class).withPropertyValues("prices.delay=soon").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("its @Retry(delay) is 'soon'"));
        runner.withBean(Prices.class).run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("the placeholder in its @Retry(delay), '${prices.delay}', can't be resolved"));
    }

    @Configuration(proxyBeanMethods = false)
    static class ForAll {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        RetryPolicy forAll() {
            return (payload, count, failure) -> Decision.discard();
        }
    }

    @Test
    void theJobsOwnRuleIsAskedBeforeEveryPolicyForAllJobs() {
        runner.withBean(Prices.class)
                .withUserConfiguration(ForAll.class)
                .withPropertyValues("prices.delay=10s")
                .run(context -> {
                    assertThat(decide(context, "Configured")).isEqualTo(after(20, "@Retry"));
                    assertThat(decide(context, "Plain")).isEqualTo(Decision.discard());
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Single {

        @Bean
        String askedByTheApplication(RetryPolicy single) {
            return single.toString();
        }
    }

    /** An application may have one policy, inject it, or have one unless there is another. */
    @Test
    void whatDecidesForUsIsNoPolicyOfTheApplication() {
        runner.withUserConfiguration(ForAll.class, Single.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(RetryPolicy.class);
            assertThat(context.getBean(JobHooks.class).all(RetryPolicy.class)).hasSize(2);
        });
        runner.run(context -> {
            assertThat(context).doesNotHaveBean(RetryPolicy.class);
            assertThat(context.getBean(JobHooks.class).all(RetryPolicy.class)).hasSize(1);
        });
    }

    static final class Patient implements RetryPolicy {

        private final int seconds;

        Patient(int seconds) {
            this.seconds = seconds;
        }

        @Override
        public Decision decide(Payload payload, int count, Throwable failure) {
            return Decision.retryAfter(Duration.ofSeconds(seconds));
        }
    }

    static class ByName {

        @Job("ByName")
        @Retry(policyName = "${policy:patient}")
        void byName() {}

        @Job("Plain")
        void plain() {}
    }

    static class ByType {

        @Job("ByType")
        @Retry(policy = Patient.class)
        void byType() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Named {

        @Bean(defaultCandidate = false)
        RetryPolicy patient() {
            return (payload, count, failure) -> Decision.retryAfter(Duration.ofSeconds(5));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Typed {

        @Bean(defaultCandidate = false)
        Patient ofItsType() {
            return new Patient(6);
        }
    }

    @Test
    void aPolicyOfOneJobIsFoundByItsNameOrItsType() {
        runner.withBean(ByName.class)
                .withBean(ByType.class)
                .withUserConfiguration(Named.class, Typed.class)
                .run(context -> {
                    assertThat(decide(context, "ByName")).isEqualTo(after(5, "policy patient"));
                    assertThat(decide(context, "ByType")).isEqualTo(after(6, "policy Patient"));
                    assertThat(decide(context, "Plain")).isNull();
                });
    }

    @Test
    void aPolicyThatIsMissingEndsTheStart() {
        assertFails(
                runner.withBean(ByName.class)
                        .withPropertyValues("policy=impatient")
                        .withUserConfiguration(Named.class, Typed.class),
                "The @Job method " + ByName.class.getName()
                        + ".byName can't be used: its @Retry names a policy by the name 'impatient', and no bean has it",
                "Declare it with @Bean(defaultCandidate = false), or name one of patient, ofItsType.");
        assertFails(
                runner.withBean(ByType.class),
                "The @Job method " + ByType.class.getName()
                        + ".byType can't be used: its @Retry names a policy by the type " + Patient.class.getName()
                        + ", and no bean has it",
                "Declare it with @Bean(defaultCandidate = false), or name one of the RetryPolicy beans, of which there is none yet.");
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {

        @Bean(defaultCandidate = false)
        Patient one() {
            return new Patient(1);
        }

        @Bean(defaultCandidate = false)
        Patient other() {
            return new Patient(2);
        }
    }

    @Test
    void aTypeOfSeveralBeansEndsTheStart() {
        assertFails(
                runner.withBean(ByType.class).withUserConfiguration(Two.class),
                "names a policy by the type " + Patient.class.getName() + ", which the beans one, other have",
                "Name one of them with policyName.");
    }

    @Configuration(proxyBeanMethods = false)
    static class AlsoForAll {

        @Bean
        Patient patient() {
            return new Patient(1);
        }
    }

    @Test
    void aPolicyOfOneJobThatWouldDecideAboutAllEndsTheStart() {
        String action =
                "Declare it with @Bean(defaultCandidate = false), so that it decides only about jobs that name it; or"
                        + " leave it out of @Retry.";
        assertFails(
                runner.withBean(ByType.class).withUserConfiguration(AlsoForAll.class),
                "The @Job method " + ByType.class.getName()
                        + ".byType can't be used: the policy that its @Retry names, " + Patient.class.getName()
                        + ", decides about all other jobs, too",
                action);
        assertFails(
                runner.withBean(ByName.class)
                        .withUserConfiguration(AlsoForAll.class)
                        .withInitializer(context ->
                                context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor())),
                "decides about all other jobs, too",
                action);
    }

    private static void assertFails(ApplicationContextRunner runner, String message, String action) {
        runner.run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOfSatisfying(JobDefinitionException.class, e -> assertThat(e.action())
                            .isEqualTo(action))
                    .hasMessageContaining(message);
        });
    }

    @Test
    void aThreadThatCreatesABeanDoesNotWaitForOneThatLooksUpAPolicy() throws Exception {
        StartingBeans beans = new StartingBeans();
        beans.registerBeanDefinition(
                "patient", new RootBeanDefinition(RetryPolicy.class, () -> (job, retries, failure) -> null));
        PoliciesByName policies = new PoliciesByName(beans);
        DeclaredRetry retry = new DeclaredRetry(List.of(), List.of(), null, null, "patient");

        beans.askFromTwoThreads(() -> policies.find(retry));
    }
}
