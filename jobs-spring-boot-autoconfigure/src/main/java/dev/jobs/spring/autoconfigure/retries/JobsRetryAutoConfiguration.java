package dev.jobs.spring.autoconfigure.retries;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.retries.RetryDecisions;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.client.FeatureExtension;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the policy that decides as calls and {@link dev.jobs.retries.Retry} say. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnBean({JobRegistry.class, JobHooks.class})
@RegisterReflectionForBinding(RetrySection.Rule.class)
public final class JobsRetryAutoConfiguration {

    @Bean
    PoliciesByName jobsRetryPolicies(ListableBeanFactory beans) {
        return new PoliciesByName(beans);
    }

    @Bean
    FeatureExtension<RetryPolicy> jobsRetryDecisions(
            JobRegistry registry, PoliciesByName policies, EngineEnvironment environment) {
        return FeatureExtension.before(
                RetryPolicy.class, new RetryDecisions(registry, policies::find, environment.random()));
    }

    /** Reports what is missing at start, not at a job's first failure. */
    @Bean
    static SmartInitializingSingleton jobsRetryPoliciesCheck(
            ObjectProvider<PoliciesByName> policies,
            ObjectProvider<JobRegistry> registry,
            ObjectProvider<JobHooks> hooks) {
        return () -> policies.getObject().check(registry.getObject(), hooks.getObject());
    }

    /** For the endpoint, if the application has it. */
    @Bean
    RetrySection jobsRetrySection(JobRegistry registry) {
        return new RetrySection(registry);
    }
}
