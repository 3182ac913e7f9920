package dev.jobs.dashboard;

import dev.jobs.Job;
import dev.jobs.Masked;
import dev.jobs.deaths.OnDeath;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a few jobs and without security. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        exclude = {
            SecurityAutoConfiguration.class,
            UserDetailsServiceAutoConfiguration.class,
            ServletWebSecurityAutoConfiguration.class,
            SecurityFilterAutoConfiguration.class,
            ReactiveUserDetailsServiceAutoConfiguration.class,
            ReactiveWebSecurityAutoConfiguration.class
        },
        excludeName = { // beside an actuator
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration"
        })
public class TestApplication {

    @Bean
    Jobs shopJobs() {
        return new Jobs();
    }

    public static class Jobs {

        public final CountDownLatch entered = new CountDownLatch(1);
        public final CountDownLatch held = new CountDownLatch(1);

        @Job
        public void sell(String book) {
            if (book.startsWith("fail")) {
                throw new IllegalStateException("No " + book + " left");
            }
        }

        @OnDeath("sell")
        public void unsold(String book) {}

        @Job
        public void charge(String customer, @Masked String card) {
            throw new IllegalArgumentException("The card " + card + " of " + customer + " is void");
        }

        @Job(interruptible = true)
        public void hold() throws InterruptedException {
            entered.countDown();
            held.await(1, TimeUnit.MINUTES);
        }
    }
}
