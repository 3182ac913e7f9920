package dev.jobs.dashboard;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
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
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/jobs/api/stack")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("olga")
                        .password("{noop}o")
                        .roles("JOBS_OPERATOR")
                        .build(),
                User.withUsername("victor")
                        .password("{noop}v")
                        .roles("JOBS_VIEWER")
                        .build(),
                User.withUsername("nobody").password("{noop}n").roles("USER").build());
    }
}
