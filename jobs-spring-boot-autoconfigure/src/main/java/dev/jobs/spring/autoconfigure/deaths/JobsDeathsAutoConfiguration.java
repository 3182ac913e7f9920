package dev.jobs.spring.autoconfigure.deaths;

import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.deaths.JobDeaths;
import dev.jobs.deaths.OnDeath;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.client.FeatureExtension;
import dev.jobs.spring.autoconfigure.client.LateHooks;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of what calls {@link OnDeath} methods. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnBean({JobHooks.class, ArgumentMasking.class})
@RegisterReflectionForBinding(LastWordSection.LastWord.class)
public final class JobsDeathsAutoConfiguration {

    /** A job's own word comes before what the application does for all jobs. */
    @Bean
    FeatureExtension<DeathHandler> jobsDeaths(
            JobRegistry jobs, ArgumentMasking masking, ObjectProvider<JobHooks> hooks) {
        return FeatureExtension.before(DeathHandler.class, new JobDeaths(jobs, masking, LateHooks.of(hooks)));
    }

    /** For the endpoint, if the application has it. */
    @Bean
    LastWordSection jobsLastWordSection(JobRegistry jobs) {
        return new LastWordSection(jobs);
    }
}
