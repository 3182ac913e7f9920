package dev.jobs.dashboard;

import dev.jobs.ArgumentMasking;
import dev.jobs.Batches;
import dev.jobs.JobRegistry;
import dev.jobs.RecurringJobs;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.dashboard.DashboardProperties.Access;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.history.JobHistory;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Auto-configuration of the dashboard in a Spring MVC application. */
@AutoConfiguration(after = JobsAutoConfiguration.class, afterName = "dev.jobs.history.JobsHistoryAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.dashboard.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(DashboardProperties.class)
@ImportRuntimeHints(DashboardHints.class)
public final class DashboardAutoConfiguration {

    private static final String HISTORY = "dev.jobs.history.JobHistory";
    private static final String SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

    /** Before the application's own mappings, which may include one for all paths. */
    private static final int ORDER = -100;

    @Bean
    LiveStream jobsDashboardStream(DashboardProperties properties) {
        return new LiveStream(properties.maxViewers(), daemons("jobs-dashboard-viewer-"));
    }

    @Bean
    Sampler jobsDashboardSampler(JobsAdmin admin, EngineEnvironment environment, LiveStream stream) {
        return new Sampler(admin, environment.clock(), stream);
    }

    @Bean
    LiveLifecycle jobsDashboardLifecycle(LiveStream stream, Sampler sampler) {
        return new LiveLifecycle(stream, sampler, daemons("jobs-dashboard-"));
    }

    private static CustomizableThreadFactory daemons(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    @Bean
    SimpleUrlHandlerMapping jobsDashboardMapping(
            DashboardProperties properties,
            DashboardAccess access,
            DashboardTokens tokens,
            JobsAdmin admin,
            JobRegistry registry,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<Feature> more,
            ArgumentMasking masking,
            Sampler sampler,
            EngineEnvironment engine,
            Environment environment) {
        Views views = new Views(masking);
        Finder finder = new Finder(admin, views);
        TrashApi trash = new TrashApi(admin, views);
        List<Feature> features = Stream.concat(
                        recurring.stream().map(each -> new RecurringApi(each, registry, masking)), more.stream())
                .toList();
        String application = environment.getProperty("spring.application.name");
        Stream<Map<String, Route>> always = Stream.of(
                new SessionApi(tokens, application, features, engine.clock()).routes(),
                new OverviewApi(admin, sampler).routes(),
                new QueuesApi(admin, trash).routes(),
                new JobsApi(admin, views).routes(),
                new JobApi(admin, registry, views, finder, sampler).routes(),
                new ProgressApi(admin).routes(),
                new ActionsApi(admin, views, finder, trash).routes(),
                new MetricsApi(admin).routes(),
                new BatchesApi(admin, batches.getIfUnique(), views, engine.clock()).routes(),
                new LimitsApi(admin, views).routes(),
                new LimitersApi(admin).routes(),
                new LocksApi(admin).routes(),
                trash.routes(),
                new BusyApi(admin, views, engine.clock()).routes());
        Map<String, Route> routes =
                Route.merge(Stream.concat(always, features.stream().map(Feature::routes)));
        Assets assets = new Assets(DashboardAutoConfiguration.class.getClassLoader());
        DashboardHandler handler = new DashboardHandler(
                properties.hosts().isEmpty() ? access : new KnownHosts(properties.hosts(), access),
                new Origin(access instanceof LocalAccess),
                assets,
                routes,
                sampler,
                properties.readOnly());
        return new SimpleUrlHandlerMapping(Map.of(properties.path() + "/**", handler), ORDER);
    }

    @Bean
    StartLine jobsDashboardStartLine(DashboardProperties properties, DashboardAccess access) {
        return new StartLine(properties, access);
    }

    /** With a history of batches and jobs. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = HISTORY)
    @ConditionalOnBean(type = HISTORY)
    static class WithHistory {

        @Bean
        HistoryApi jobsDashboardHistory(JobHistory history, JobsAdmin admin) {
            return new HistoryApi(history, admin);
        }
    }

    /** With Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = SECURITY)
    static class Secured {

        @Bean
        @ConditionalOnMissingBean
        DashboardAccess jobsDashboardAccess(DashboardProperties properties, ObjectProvider<RoleHierarchy> hierarchy) {
            return switch (properties.access()) {
                case AUTO, AUTHORITIES ->
                    new AuthorityAccess(properties.viewers(), properties.operators(), hierarchy.getIfAvailable());
                case LOCAL -> new LocalAccess();
                case ANYONE -> new AnyoneAccess();
            };
        }
    }

    /** Without Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(SECURITY)
    static class Unsecured {

        @Bean
        @ConditionalOnMissingBean
        DashboardAccess jobsDashboardAccess(DashboardProperties properties) {
            if (properties.access() == Access.AUTHORITIES) {
                throw new IllegalStateException(
                        "jobs.dashboard.access is 'authorities', but Spring Security is not on the class path: add "
                                + "spring-boot-starter-security, or set it to 'local' or 'anyone'");
            }
            return properties.access() == Access.ANYONE ? new AnyoneAccess() : new LocalAccess();
        }
    }

    /** With Spring Security's tokens. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.security.web.csrf.CsrfToken")
    static class WithTokens {

        @Bean
        DashboardTokens jobsDashboardTokens() {
            return CsrfTokens::of;
        }
    }

    /** Without Spring Security's tokens. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.security.web.csrf.CsrfToken")
    static class WithoutTokens {

        @Bean
        DashboardTokens jobsDashboardTokens() {
            return request -> null;
        }
    }
}
