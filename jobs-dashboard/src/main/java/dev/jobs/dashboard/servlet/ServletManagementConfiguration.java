package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.DashboardProperties;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.HttpRequestHandlerAdapter;

/** The dashboard at the server of the actuator, which has a context of its own below that of the application. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(name = "jobs.dashboard.server", havingValue = "management")
@ConditionalOnBean(ServletDashboard.class)
class ServletManagementConfiguration {

    @Bean
    SimpleUrlHandlerMapping jobsDashboardMapping(DashboardProperties properties, ServletDashboard pages) {
        return ServletDashboardConfiguration.mapping(properties, pages);
    }

    /** Endpoints need none. */
    @Bean
    HttpRequestHandlerAdapter jobsDashboardAdapter() {
        return new HttpRequestHandlerAdapter();
    }

    /** Looks at what this server has itself, such as endpoints. */
    @Bean
    ServletMappings jobsDashboardObstacles(
            DashboardProperties properties,
            ListableBeanFactory beans,
            @Qualifier("jobsDashboardMapping") SimpleUrlHandlerMapping ours) {
        return new ServletMappings(properties.path(), beans, false, ours);
    }
}
