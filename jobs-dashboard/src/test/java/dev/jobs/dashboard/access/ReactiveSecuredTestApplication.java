package dev.jobs.dashboard.access;

import dev.jobs.dashboard.TestApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** A reactive application that knows its users. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReactiveSecuredTestApplication {

    @Bean
    TestApplication.Jobs shopJobs() {
        return new TestApplication.Jobs();
    }

    @Bean
    SecurityWebFilterChain rules(ServerHttpSecurity http) {
        return http.authorizeExchange(exchanges -> exchanges
                        .pathMatchers("/jobs/api/stack", "/jobs/api/session")
                        .permitAll()
                        .anyExchange()
                        .authenticated())
                .anonymous(Customizer.withDefaults())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    ReactiveUserDetailsService users() {
        return new MapReactiveUserDetailsService(SecuredTestApplication.all());
    }

    @Bean
    RoleHierarchy roles() {
        return SecuredTestApplication.hierarchy();
    }
}
