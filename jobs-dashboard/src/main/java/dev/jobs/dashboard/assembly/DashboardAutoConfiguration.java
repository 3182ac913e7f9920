package dev.jobs.dashboard.assembly;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.admin.RedisFindings;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.client.ClientConfig;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.access.Entrance;
import dev.jobs.dashboard.access.Origin;
import dev.jobs.dashboard.access.SecurityContexts;
import dev.jobs.dashboard.access.SenderAuthorities;
import dev.jobs.dashboard.actions.TargetQueues;
import dev.jobs.dashboard.history.HistoryApi;
import dev.jobs.dashboard.installations.OtherInstallations;
import dev.jobs.dashboard.installations.Systems;
import dev.jobs.dashboard.installations.Systems.Divided;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.reactive.ReactiveDashboardConfiguration;
import dev.jobs.dashboard.server.Assets;
import dev.jobs.dashboard.server.DashboardHandler;
import dev.jobs.dashboard.server.DashboardHints;
import dev.jobs.dashboard.server.Installation;
import dev.jobs.dashboard.server.Installations;
import dev.jobs.dashboard.server.LiveLifecycle;
import dev.jobs.dashboard.servlet.ServletDashboardConfiguration;
import dev.jobs.dashboard.web.DaemonThreads;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.FeaturePages;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.history.JobHistory;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;

/** Auto-configuration of the dashboard. */
@AutoConfiguration(after = JobsAutoConfiguration.class, afterName = "dev.jobs.history.JobsHistoryAutoConfiguration")
@Conditional(DashboardAutoConfiguration.OnWebApplication.class)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.dashboard.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(DashboardProperties.class)
@Import({ServletDashboardConfiguration.class, ReactiveDashboardConfiguration.class})
@ImportRuntimeHints(DashboardHints.class)
public final class DashboardAutoConfiguration {

    private static final String HISTORY = "dev.jobs.history.JobHistory";
    private static final String SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

    @Bean
    LiveStream jobsDashboardStream(DashboardProperties properties) {
        return new LiveStream(properties.maxViewers());
    }

    @Bean
    Sampler jobsDashboardSampler(JobsAdmin admin, EngineEnvironment environment, LiveStream stream) {
        return new Sampler(admin, environment.clock(), stream);
    }

    @Bean
    LiveLifecycle jobsDashboardLifecycle(Installations installations) {
        return new LiveLifecycle(installations, new DaemonThreads("jobs-dashboard-"));
    }

    @Bean
    Assembly jobsDashboardAssembly(
            DashboardProperties properties,
            JobRegistry registry,
            JobHooks hooks,
            ArgumentMasking masking,
            EngineEnvironment engine,
            Environment environment,
            ObjectProvider<FeaturePages> further,
            ObjectProvider<Divisions> divisions) {
        Divisions several = divisions.getIfAvailable();
        List<String> names = names(several, properties);
        List<FeaturePages> features = further.orderedStream().toList();
        Segments.check(properties.installations().keySet(), several, names, Segments.pages(features));
        Systems systems = Systems.of(properties, environment.getProperty("spring.application.name"))
                .with(several == null || names.isEmpty() ? null : Divided.of(several.view(), several.pages(), names));
        return new Assembly(systems, registry, hooks, masking, engine.clock(), features);
    }

    @Bean
    OtherInstallations jobsDashboardOthers(
            DashboardProperties properties,
            ConfigurableListableBeanFactory beans,
            JobRegistry registry,
            ClientConfig config,
            EngineEnvironment engine,
            ObjectProvider<RedisFindings> findings) {
        return new OtherInstallations(properties, beans, registry, config, engine, findings);
    }

    @Bean
    Installations jobsDashboardInstallations(
            Assembly assembly,
            OtherInstallations others,
            JobsAdmin admin,
            ObjectProvider<JobClient> client,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<Feature> more,
            ObjectProvider<Divisions> divisions,
            DashboardProperties properties,
            Sampler sampler,
            LiveStream stream) {
        Divisions several = divisions.getIfAvailable();
        boolean isDivided = !names(several, properties).isEmpty();
        Assembly.Means own = several != null && isDivided
                ? several.home()
                : new Assembly.Means(
                        admin, client.getIfUnique(), recurring.getIfUnique(), batches.getIfUnique(), TargetQueues.ALL);
        Stream<Installation> ofDivisions =
                several != null && isDivided ? several.installations(assembly, sampler, stream).stream() : Stream.of();
        Stream<Installation> further =
                others.byName().entrySet().stream().map(each -> assembly.other(each.getKey(), each.getValue(), stream));
        return new Installations(
                assembly.own(own, sampler, stream, more.stream().toList()),
                Stream.concat(ofDivisions, further).toList());
    }

    private static List<String> names(@Nullable Divisions several, DashboardProperties properties) {
        return several == null
                ? List.of()
                : several.names(properties.installations().keySet());
    }

    @Bean
    DashboardHandler jobsDashboardHandler(
            DashboardProperties properties, Entrance entrance, Origin origin, Installations installations) {
        Assets assets = new Assets(DashboardAutoConfiguration.class.getClassLoader());
        return new DashboardHandler(entrance, origin, assets, installations, properties.readOnly());
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
        SenderAuthorities jobsDashboardAuthorities(ObjectProvider<RoleHierarchy> hierarchy) {
            return new SecurityContexts(hierarchy.getIfAvailable());
        }
    }

    /** Matches the kinds of web applications that the dashboard knows. */
    static final class OnWebApplication extends AnyNestedCondition {

        OnWebApplication() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        /** Spring MVC. */
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        @ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
        static class SpringMvc {}

        /** WebFlux. */
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        @ConditionalOnClass(name = "org.springframework.web.reactive.DispatcherHandler")
        static class WebFlux {}
    }
}
