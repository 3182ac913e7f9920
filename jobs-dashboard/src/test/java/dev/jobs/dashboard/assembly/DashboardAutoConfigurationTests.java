package dev.jobs.dashboard.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.DashboardAccess;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.ReactiveDashboardAccess;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

@ExtendWith(OutputCaptureExtension.class)
class DashboardAutoConfigurationTests {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            DataRedisAutoConfiguration.class,
            JobsAutoConfiguration.class,
            DashboardAutoConfiguration.class,
            DashboardElsewhereAutoConfiguration.class);

    private final WebApplicationContextRunner web =
            new WebApplicationContextRunner().withConfiguration(ALL).withPropertyValues("jobs.worker.enabled=false");

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(ALL)
            .withPropertyValues("jobs.worker.enabled=false");

    /** The kind of the dashboard's own rule. */
    private static Object rule(Object access) {
        return ReflectionTestUtils.getField(access, "rule").getClass().getSimpleName();
    }

    private static Object rule(AssertableReactiveWebApplicationContext context) {
        return rule(context.getBean(ReactiveDashboardAccess.class));
    }

    private static Object rule(AssertableWebApplicationContext context) {
        return rule(context.getBean(DashboardAccess.class));
    }

    @Test
    void servesThisMachineOnlyWithoutSecurityAndSaysHowToOpenIt(CapturedOutput output) {
        web.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> assertThat(rule(context)).isEqualTo("LocalAccess"));

        assertThat(output)
                .containsPattern("The dashboard is at /jobs/\\?token=[A-Za-z0-9_-]{32} for browsers on this machine")
                .contains("jobs.dashboard.access");
    }

    @Test
    void needsNoHistory() {
        web.withClassLoader(new FilteredClassLoader("dev.jobs.history", "org.springframework.dao"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Feature.class));
    }

    @Test
    void goesByAuthoritiesWithSecurity() {
        web.run(context -> assertThat(rule(context)).isEqualTo("AuthorityAccess"));
    }

    @Test
    void warnsWhereEverybodyMayAct(CapturedOutput output) {
        web.withPropertyValues("jobs.dashboard.access=anyone")
                .run(context -> assertThat(rule(context)).isEqualTo("AnyoneAccess"));

        assertThat(output)
                .contains("WARN")
                .contains("everybody who can reach it may act")
                .contains("jobs.dashboard.hosts");
    }

    @Test
    void doesNotAskForNamesWhereItHasSome(CapturedOutput output) {
        web.withPropertyValues("jobs.dashboard.access=anyone", "jobs.dashboard.hosts=shop.example.org")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("everybody who can reach it may act").doesNotContain("jobs.dashboard.hosts");
    }

    @Test
    void authoritiesNeedSecurity() {
        web.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .withPropertyValues("jobs.dashboard.access=authorities")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Spring Security is not on the class path"));
    }

    @Test
    void theApplicationMayDecideItself() {
        DashboardAccess own = request -> DashboardRole.VIEWER;

        web.withBean(DashboardAccess.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(DashboardAccess.class).isSameAs(own));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs", "/", "/jobs/", "/a b", "/jobs/**", "/{x}", "/..", "//a"})
    void refusesAnInvalidPath(String path) {
        web.withPropertyValues("jobs.dashboard.path=" + path)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("jobs.dashboard"));
    }

    @Test
    void goesByTheSameRulesUnderWebFlux(CapturedOutput output) {
        reactive.run(context -> assertThat(rule(context)).isEqualTo("AuthorityAccess"));
        reactive.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> assertThat(rule(context)).isEqualTo("LocalAccess"));
        reactive.withPropertyValues("jobs.dashboard.access=anyone")
                .run(context -> assertThat(rule(context)).isEqualTo("AnyoneAccess"));

        assertThat(output)
                .contains("The dashboard is at /jobs; [ROLE_JOBS_VIEWER] may look, [ROLE_JOBS_OPERATOR] may act")
                .containsPattern("The dashboard is at /jobs/\\?token=[A-Za-z0-9_-]{32} for browsers on this machine")
                .contains("everybody who can reach it may act");
    }

    @Test
    void authoritiesNeedSecurityUnderWebFluxToo() {
        reactive.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .withPropertyValues("jobs.dashboard.access=authorities")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Spring Security is not on the class path"));
    }

    @Test
    void saysOnAnotherReactiveFrameworkWhatToAdd(CapturedOutput output) {
        reactive.withClassLoader(new FilteredClassLoader(DispatcherHandler.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveDashboardAccess.class));

        assertThat(output)
                .containsOnlyOnce("it needs Spring MVC or WebFlux, and this application has neither")
                .contains("Add spring-boot-starter-webflux");
    }

    @Test
    void saysWithoutAWebServerWhatToAdd(CapturedOutput output) {
        ApplicationContextRunner batch =
                new ApplicationContextRunner().withConfiguration(ALL).withPropertyValues("jobs.worker.enabled=false");
        batch.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DashboardAccess.class));

        assertThat(output)
                .contains("WARN")
                .containsOnlyOnce("it needs Spring MVC or WebFlux, and this application is no web application")
                .contains("Add spring-boot-starter-webmvc or spring-boot-starter-webflux")
                .contains("jobs.dashboard.enabled=false");
    }

    @Test
    void saysWithoutSpringMvcWhatToAdd(CapturedOutput output) {
        web.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DashboardAccess.class));

        assertThat(output).containsOnlyOnce("it needs Spring MVC or WebFlux, and this application has neither");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs.enabled=false", "jobs.dashboard.enabled=false"})
    void saysNothingWhereItIsOff(String off, CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(off, "jobs.worker.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        web.withPropertyValues(off)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DashboardAccess.class));

        assertThat(output).doesNotContain("The dashboard");
    }
}
