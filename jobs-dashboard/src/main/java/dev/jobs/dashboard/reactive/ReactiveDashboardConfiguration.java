package dev.jobs.dashboard.reactive;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.ReactiveDashboardAccess;
import dev.jobs.dashboard.access.AccessRule;
import dev.jobs.dashboard.access.DashboardServer;
import dev.jobs.dashboard.access.Entrance;
import dev.jobs.dashboard.access.KnownHosts;
import dev.jobs.dashboard.access.LocalAccess;
import dev.jobs.dashboard.access.Origin;
import dev.jobs.dashboard.access.SenderAuthorities;
import dev.jobs.dashboard.access.StartLine;
import dev.jobs.dashboard.server.DashboardHandler;
import dev.jobs.dashboard.servlet.ServletArrival;
import dev.jobs.dashboard.web.DaemonThreads;
import jakarta.servlet.http.HttpServletRequest;
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
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import reactor.netty.http.server.HttpServerRequest;

/** The dashboard in a WebFlux application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@Internal
public class ReactiveDashboardConfiguration {

    private static final String TOKEN = "org.springframework.security.web.server.csrf.CsrfToken";

    @Bean
    NativeRequests jobsDashboardNativeRequests(ObjectProvider<Arrivals> kinds) {
        return new NativeRequests(kinds.stream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    ReactiveDashboardAccess jobsDashboardReactiveAccess(
            DashboardProperties properties,
            ObjectProvider<SenderAuthorities> authorities,
            NativeRequests nativeRequests) {
        SenderAuthorities known = authorities.getIfAvailable();
        return new ReactiveAccess(AccessRule.of(properties, known != null), known, nativeRequests);
    }

    @Bean
    Origin jobsDashboardOrigin(ReactiveDashboardAccess access) {
        return new Origin(rule(access) instanceof LocalAccess);
    }

    @Bean
    Entrance jobsDashboardEntrance(ReactiveDashboardAccess access) {
        return Entrance.of(rule(access));
    }

    @Bean
    StartLine jobsDashboardStartLine(
            DashboardProperties properties, ReactiveDashboardAccess access, ApplicationContext context) {
        return new StartLine(properties, rule(access), context, List.of("spring.webflux.base-path"));
    }

    private static @Nullable AccessRule rule(ReactiveDashboardAccess access) {
        return access instanceof ReactiveAccess ours ? ours.rule() : null;
    }

    @Bean
    ReactiveCalls jobsDashboardCalls() {
        return new ReactiveCalls(new DaemonThreads("jobs-dashboard-call-"));
    }

    @Bean
    ReactiveDashboard jobsDashboardPages(
            DashboardProperties properties,
            DashboardHandler handler,
            ReactiveDashboardAccess access,
            ReactiveSenders senders,
            NativeRequests nativeRequests,
            ReactiveCalls calls) {
        return new ReactiveDashboard(
                handler, new KnownHosts(properties.hosts()), access, senders, nativeRequests, calls);
    }

    @Bean
    @Conditional(DashboardServer.OnApplication.class)
    SimpleUrlHandlerMapping jobsDashboardReactiveMapping(DashboardProperties properties, ReactiveDashboard pages) {
        return mapping(properties, pages);
    }

    static SimpleUrlHandlerMapping mapping(DashboardProperties properties, ReactiveDashboard pages) {
        return new SimpleUrlHandlerMapping(Map.of(properties.path() + "/**", pages), DashboardHandler.ORDER);
    }

    @Bean
    @Conditional(DashboardServer.OnApplication.class)
    ReactiveMappings jobsDashboardObstacles(
            DashboardProperties properties,
            ListableBeanFactory beans,
            @Qualifier("jobsDashboardReactiveMapping") SimpleUrlHandlerMapping ours) {
        return new ReactiveMappings(properties.path(), beans, true, ours);
    }

    /** On Reactor Netty. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HttpServerRequest.class)
    static class OnNetty {

        @Bean
        Arrivals jobsDashboardNettyArrivals() {
            return found -> found instanceof HttpServerRequest request ? new NettyArrival(request) : null;
        }
    }

    /** On a servlet container. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HttpServletRequest.class)
    static class OnServlets {

        @Bean
        Arrivals jobsDashboardServletArrivals() {
            return found -> found instanceof HttpServletRequest request ? new ServletArrival(request) : null;
        }
    }

    /** With Spring Security for WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = TOKEN)
    static class Secured {

        @Bean
        ReactiveSenders jobsDashboardSenders() {
            return new ReactiveSecuredSenders();
        }
    }

    /** Without it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(TOKEN)
    static class Unsecured {

        @Bean
        ReactiveSenders jobsDashboardSenders() {
            return new ReactiveSenders();
        }
    }
}
