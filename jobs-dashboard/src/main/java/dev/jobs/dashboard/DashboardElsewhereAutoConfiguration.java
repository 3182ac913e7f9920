package dev.jobs.dashboard;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** Auto-configuration that logs a message in a WebFlux application, which can't serve the dashboard. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnBooleanProperty(name = "jobs.dashboard.enabled", matchIfMissing = true)
public final class DashboardElsewhereAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(DashboardElsewhereAutoConfiguration.class);

    @Bean
    SmartInitializingSingleton jobsDashboardNotHere() {
        return () -> log.warn(
                "The dashboard is on the class path but is not served: it needs Spring MVC, and this application uses "
                        + "WebFlux. Serve it from a small Spring MVC application on the same Redis, with jobs.worker.enabled=false, and set "
                        + "jobs.dashboard.enabled=false here. That application knows none of these jobs: what @Masked hides here is "
                        + "shown there, unless a bean of type ArgumentMask hides it");
    }
}
