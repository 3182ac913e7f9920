package dev.jobs.dashboard.servlet;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardAccess;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.DashboardUsers;
import dev.jobs.dashboard.access.AccessRule;
import dev.jobs.dashboard.access.DashboardServer;
import dev.jobs.dashboard.access.Entrance;
import dev.jobs.dashboard.access.KnownHosts;
import dev.jobs.dashboard.access.LocalAccess;
import dev.jobs.dashboard.access.Origin;
import dev.jobs.dashboard.access.SenderAuthorities;
import dev.jobs.dashboard.access.StartLine;
import dev.jobs.dashboard.server.DashboardHandler;
import dev.jobs.dashboard.web.DaemonThreads;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** The dashboard in a Spring MVC application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@Internal
public class ServletDashboardConfiguration {

    private static final String TOKEN = "org.springframework.security.web.csrf.CsrfToken";

    @Bean
    @ConditionalOnMissingBean
    DashboardAccess jobsDashboardAccess(DashboardProperties properties, ObjectProvider<SenderAuthorities> authorities) {
        SenderAuthorities known = authorities.getIfAvailable();
        return new ServletAccess(AccessRule.of(properties, known != null), known);
    }

    @Bean
    Origin jobsDashboardOrigin(DashboardAccess access) {
        return new Origin(rule(access) instanceof LocalAccess);
    }

    @Bean
    Entrance jobsDashboardEntrance(DashboardAccess access) {
        return Entrance.of(rule(access));
    }

    @Bean
    StartLine jobsDashboardStartLine(
            DashboardProperties properties, DashboardAccess access, ApplicationContext context) {
        return new StartLine(
                properties, rule(access), context, List.of("server.servlet.context-path", "spring.mvc.servlet.path"));
    }

    private static @Nullable AccessRule rule(DashboardAccess access) {
        return access instanceof ServletAccess ours ? ours.rule() : null;
    }

    @Bean
    ServletStreams jobsDashboardStreams(DashboardProperties properties) {
        return new ServletStreams(properties.maxViewers(), new DaemonThreads("jobs-dashboard-viewer-"));
    }

    @Bean
    ServletDashboard jobsDashboardPages(
            DashboardProperties properties,
            DashboardHandler handler,
            DashboardAccess access,
            ServletTokens tokens,
            ObjectProvider<DashboardUsers> users,
            ServletStreams streams) {
        return new ServletDashboard(
                handler,
                new KnownHosts(properties.hosts()),
                access,
                tokens,
                users.getIfUnique(() -> request -> null),
                streams);
    }

    @Bean
    @Conditional(DashboardServer.OnApplication.class)
    SimpleUrlHandlerMapping jobsDashboardMapping(DashboardProperties properties, ServletDashboard pages) {
        return mapping(properties, pages);
    }

    static SimpleUrlHandlerMapping mapping(DashboardProperties properties, ServletDashboard pages) {
        return new SimpleUrlHandlerMapping(Map.of(properties.path() + "/**", pages), DashboardHandler.ORDER);
    }

    @Bean
    @Conditional(DashboardServer.OnApplication.class)
    ServletMappings jobsDashboardObstacles(
            DashboardProperties properties,
            ListableBeanFactory beans,
            @Qualifier("jobsDashboardMapping") SimpleUrlHandlerMapping ours) {
        return new ServletMappings(properties.path(), beans, true, ours);
    }

    /** With Spring Security's tokens. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = TOKEN)
    static class WithTokens {

        @Bean
        ServletTokens jobsDashboardTokens() {
            return CsrfTokens::of;
        }
    }

    /** Without Spring Security's tokens. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(TOKEN)
    static class WithoutTokens {

        @Bean
        ServletTokens jobsDashboardTokens() {
            return request -> null;
        }
    }
}
