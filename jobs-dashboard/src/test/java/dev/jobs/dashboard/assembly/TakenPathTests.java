package dev.jobs.dashboard.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.endpoint.JobsEndpointAutoConfiguration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Pages of the application that the dashboard would answer instead: the start says which, and what to do. */
class TakenPathTests {

    private static final AutoConfigurations JOBS = AutoConfigurations.of(
            DataRedisAutoConfiguration.class, JobsAutoConfiguration.class, DashboardAutoConfiguration.class);

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
            .withConfiguration(JOBS)
            .withPropertyValues("jobs.worker.enabled=false");

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WebFluxAutoConfiguration.class))
            .withConfiguration(JOBS)
            .withPropertyValues("jobs.worker.enabled=false");

    @RestController
    static class Postings {

        @GetMapping("/jobs")
        String all() {
            return "all";
        }

        @PostMapping("/jobs/{id}")
        String change() {
            return "changed";
        }
    }

    /** Those that the dashboard, more specific, has always been before. */
    @RestController
    static class Elsewhere {

        @GetMapping({"/{page}", "/**", "/jobsite", "/api/jobs/{id}", "/{tenant}/jobs"})
        String page() {
            return "page";
        }
    }

    @Test
    void aControllerThereEndsTheStart() {
        web.withBean(Postings.class).run(context -> assertRefused(context.getStartupFailure()));
        reactive.withBean(Postings.class).run(context -> assertRefused(context.getStartupFailure()));
    }

    private static void assertRefused(Throwable failure) {
        FailureAnalysis analysis = analysis(failure);
        assertThat(analysis.getDescription())
                .contains("GET /jobs: " + Postings.class.getName() + "#all")
                .contains("POST /jobs/{id}: " + Postings.class.getName() + "#change");
        assertThat(analysis.getAction()).contains("jobs.dashboard.path=/").contains("jobs.dashboard.enabled=false");
    }

    private static FailureAnalysis analysis(Throwable failure) {
        assertThat(failure).isNotNull();
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, problem) -> {})
                .stream()
                .filter(each -> each.getClass().getName().startsWith("dev.jobs."))
                .map(each -> each.analyze(failure))
                .filter(each -> each != null)
                .findFirst()
                .orElseThrow(() -> new AssertionError(failure));
    }

    @Test
    void theDashboardMayMoveOrStayAway() {
        for (String property : List.of("jobs.dashboard.path=/admin/jobs", "jobs.dashboard.enabled=false")) {
            web.withBean(Postings.class).withPropertyValues(property).run(context -> assertThat(context)
                    .hasNotFailed());
            reactive.withBean(Postings.class).withPropertyValues(property).run(context -> assertThat(context)
                    .hasNotFailed());
        }
    }

    @Test
    void catchAllsAreNotInTheWay() {
        web.withBean(Elsewhere.class).run(context -> assertThat(context).hasNotFailed());
        reactive.withBean(Elsewhere.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void functionalRoutesAreAsked() {
        web.withUserConfiguration(Routes.class)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("/jobs/{id}: bean 'postings'")
                        .contains("/jobs: bean 'single'")
                        .doesNotContain("'others'"));
        reactive.withUserConfiguration(ReactiveRoutes.class)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("/jobs/{id}: bean 'postings'")
                        .contains("/jobs: bean 'single'")
                        .doesNotContain("'others'"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Routes {

        @Bean
        org.springframework.web.servlet.function.RouterFunction<?> postings() {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .path("/jobs", nested -> nested.GET("/{id}", request -> answer()))
                    .build();
        }

        @Bean
        org.springframework.web.servlet.function.RouterFunction<?> single() {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .GET(
                            "/jobs",
                            org.springframework.web.servlet.function.RequestPredicates.accept(MediaType.TEXT_HTML),
                            request -> answer())
                    .build();
        }

        @Bean
        org.springframework.web.servlet.function.RouterFunction<?> others() {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .GET("/{page}", request -> answer())
                    .route(
                            org.springframework.web.servlet.function.RequestPredicates.path("/jobs")
                                    .negate(),
                            request -> answer())
                    .build();
        }

        private static org.springframework.web.servlet.function.ServerResponse answer() {
            return org.springframework.web.servlet.function.ServerResponse.ok().build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveRoutes {

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<?> postings() {
            return org.springframework.web.reactive.function.server.RouterFunctions.route()
                    .path("/jobs", nested -> nested.GET("/{id}", request -> answer()))
                    .build();
        }

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<?> single() {
            return org.springframework.web.reactive.function.server.RouterFunctions.route()
                    .GET(
                            "/jobs",
                            org.springframework.web.reactive.function.server.RequestPredicates.accept(
                                    MediaType.TEXT_HTML),
                            request -> answer())
                    .build();
        }

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<?> others() {
            return org.springframework.web.reactive.function.server.RouterFunctions.route()
                    .GET("/{page}", request -> answer())
                    .route(
                            org.springframework.web.reactive.function.server.RequestPredicates.path("/jobs")
                                    .negate(),
                            request -> answer())
                    .build();
        }

        private static reactor.core.publisher.Mono<org.springframework.web.reactive.function.server.ServerResponse>
                answer() {
            return org.springframework.web.reactive.function.server.ServerResponse.ok()
                    .build();
        }
    }

    @Test
    void viewsAndFilesAreFound() {
        web.withBean(ViewsAndFiles.class)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("/jobs: ")
                        .contains("ParameterizableViewController")
                        .contains("/jobs/files/**: ")
                        .contains("ResourceHttpRequestHandler")
                        .doesNotContain("    /**"));
        reactive.withBean(ReactiveFiles.class)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("/jobs/files/**: ")
                        .contains("ResourceWebHandler"));
    }

    static class ViewsAndFiles implements WebMvcConfigurer {

        @Override
        public void addViewControllers(ViewControllerRegistry registry) {
            registry.addViewController("/jobs").setViewName("jobs");
        }

        @Override
        public void addResourceHandlers(ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/jobs/files/**").addResourceLocations("classpath:/files/");
        }
    }

    static class ReactiveFiles implements WebFluxConfigurer {

        @Override
        public void addResourceHandlers(org.springframework.web.reactive.config.ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/jobs/files/**").addResourceLocations("classpath:/files/");
        }
    }

    /** At the base path {@code /}, its endpoint {@code jobs} is where the dashboard would be. */
    @Test
    void endpointsOfTheActuatorAreFound() {
        AutoConfigurations actuator = AutoConfigurations.of(
                EndpointAutoConfiguration.class,
                WebEndpointAutoConfiguration.class,
                ManagementContextAutoConfiguration.class,
                JobsEndpointAutoConfiguration.class);
        String exposed = "management.endpoints.web.exposure.include=jobs";
        String root = "management.endpoints.web.base-path=/";

        web.withConfiguration(actuator)
                .withPropertyValues(exposed, root)
                .run(context -> assertEndpoints(context.getStartupFailure()));
        reactive.withConfiguration(actuator)
                .withPropertyValues(exposed, root)
                .run(context -> assertEndpoints(context.getStartupFailure()));
        web.withConfiguration(actuator).withPropertyValues(exposed).run(context -> assertThat(context)
                .hasNotFailed());
        reactive.withConfiguration(actuator).withPropertyValues(exposed).run(context -> assertThat(context)
                .hasNotFailed());
    }

    private static void assertEndpoints(Throwable failure) {
        assertThat(analysis(failure).getDescription())
                .contains("    GET /jobs: Actuator web endpoint 'jobs'")
                .contains("    GET /jobs/{section}: Actuator web endpoint 'jobs-section'");
    }

    @Test
    void aPrefixOfTheApplicationsCounts() {
        web.withBean(Postings.class)
                .withBean("prefix", WebMvcConfigurer.class, () -> new WebMvcConfigurer() {
                    @Override
                    public void configurePathMatch(
                            org.springframework.web.servlet.config.annotation.PathMatchConfigurer paths) {
                        paths.addPathPrefix("/api", type -> true);
                    }
                })
                .run(context -> assertThat(context).hasNotFailed());
        web.withBean("plain", org.springframework.web.servlet.handler.SimpleUrlHandlerMapping.class, () -> {
                    var mapping = new org.springframework.web.servlet.handler.SimpleUrlHandlerMapping();
                    mapping.setUrlMap(Map.of("/admin/jobs/*", new Object()));
                    return mapping;
                })
                .withPropertyValues("jobs.dashboard.path=/admin/jobs")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("/admin/jobs/*: java.lang.Object"));
    }
}
