package dev.jobs.dashboard.access;

import dev.jobs.dashboard.TestApplication;
import java.util.List;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.access.hierarchicalroles.RoleHierarchyImpl;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** An application that knows its users. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class SecuredTestApplication {

    @Bean
    TestApplication.Jobs shopJobs() {
        return new TestApplication.Jobs();
    }

    @Bean
    SecurityFilterChain rules(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/jobs/api/stack", "/jobs/api/session")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(all());
    }

    @Bean
    RoleHierarchy roles() {
        return hierarchy();
    }

    static List<UserDetails> all() {
        return List.of(
                user("olga", "JOBS_OPERATOR"),
                user("victor", "JOBS_VIEWER"),
                user("ada", "ADMIN"),
                user("nobody", "USER"));
    }

    private static UserDetails user(String name, String role) {
        return User.withUsername(name)
                .password("{noop}" + name.charAt(0))
                .roles(role)
                .build();
    }

    static RoleHierarchy hierarchy() {
        return RoleHierarchyImpl.withDefaultRolePrefix()
                .role("ADMIN")
                .implies("JOBS_OPERATOR")
                .build();
    }
}
