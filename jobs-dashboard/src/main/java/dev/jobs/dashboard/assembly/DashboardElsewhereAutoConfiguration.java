package dev.jobs.dashboard.assembly;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration that logs a message in an application that can't serve the dashboard. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.dashboard.enabled"},
        matchIfMissing = true)
public final class DashboardElsewhereAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(DashboardElsewhereAutoConfiguration.class);

    private static SmartInitializingSingleton warning(String text) {
        return () -> log.warn(
                "The dashboard is on the class path but is not served: it needs Spring MVC or WebFlux, and {}", text);
    }

    /** No web server. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnNotWebApplication
    static class NoServer {

        @Bean
        SmartInitializingSingleton jobsDashboardNotHere() {
            return warning("this application is no web application. Add spring-boot-starter-webmvc or "
                    + "spring-boot-starter-webflux (and remove spring.main.web-application-type=none, if it is set), or set "
                    + "jobs.dashboard.enabled=false");
        }
    }

    /** A servlet container with another framework. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnMissingClass("org.springframework.web.servlet.DispatcherServlet")
    static class OtherFramework {

        @Bean
        SmartInitializingSingleton jobsDashboardNotHere() {
            return warning("this application has neither. Add spring-boot-starter-webmvc, or set "
                    + "jobs.dashboard.enabled=false");
        }
    }

    /** A reactive server with another framework. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnMissingClass("org.springframework.web.reactive.DispatcherHandler")
    static class OtherReactiveFramework {

        @Bean
        SmartInitializingSingleton jobsDashboardNotHere() {
            return warning("this application has neither. Add spring-boot-starter-webflux, or set "
                    + "jobs.dashboard.enabled=false");
        }
    }
}
