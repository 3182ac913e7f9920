package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.DashboardProperties.Server;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;

/**
 * The dashboard at the server of the actuator, which has a context of its own below that of the application. A dispatcher
 * there finds the mappings of the application too, unless it has one of the same name; so there is one in any case, and
 * the dashboard is at one server only.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(ReactiveDashboard.class)
class ReactiveManagementConfiguration {

    @Bean
    SimpleUrlHandlerMapping jobsDashboardReactiveMapping(DashboardProperties properties, ReactiveDashboard pages) {
        return properties.server() == Server.MANAGEMENT
                ? ReactiveDashboardConfiguration.mapping(properties, pages)
                : new SimpleUrlHandlerMapping();
    }

    /** Looks at what this server has itself, such as endpoints. */
    @Bean
    @ConditionalOnProperty(name = "jobs.dashboard.server", havingValue = "management")
    ReactiveMappings jobsDashboardObstacles(
            DashboardProperties properties,
            ListableBeanFactory beans,
            @Qualifier("jobsDashboardReactiveMapping") SimpleUrlHandlerMapping ours) {
        return new ReactiveMappings(properties.path(), beans, false, ours);
    }
}
