package dev.jobs.spring.autoconfigure.worker;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that makes its engine itself, without the worker that properties configure. It is watched as well. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(JobEngine.class)
@ConditionalOnMissingBean(OwnEngines.class)
@Internal
public final class JobsOwnEngineConfiguration {

    @Bean
    OwnEngines jobsOwnEngine(JobEngine engine, OwnInstallations installations) {
        return new OwnEngines(Map.of(installations.home(), engine));
    }
}
