package dev.jobs.sample;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobClient;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Jobs alone, with doubles for what they use: no Redis, no web server. */
@JobsTest(
        value = Mails.class,
        mode = JobsMode.INLINE,
        excludeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = FailedCharges.class))
class MailsTests {

    @TestConfiguration
    static class Doubles {

        @Bean
        Gateway gateway() {
            return new Gateway();
        }

        @Bean
        Orders orders() {
            return new Orders(new StringRedisTemplate(), null);
        }
    }

    static final class Gateway extends MailGateway {

        private final List<String> sent = new ArrayList<>();
        private boolean down;

        Gateway() {
            super(null);
        }

        @Override
        void send(String key, String to, String subject) {
            if (down) {
                throw new IllegalStateException("no connection");
            }
            sent.add(to + ": " + subject);
        }
    }

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private TestClock clock;

    @Autowired
    private Gateway gateway;

    @BeforeEach
    void reset() {
        gateway.sent.clear();
        gateway.down = false;
    }

    @Test
    void aNewCustomerIsWelcomed() {
        client.enqueue(Mails::welcome, "ada@example.com");

        assertThat(gateway.sent).containsExactly("ada@example.com: Welcome to our shop");
    }

    @Test
    void aMailIsSentWhenTheProviderIsBack() {
        gateway.down = true;
        assertThatThrownBy(() -> client.enqueue(Mails::welcome, "ada@example.com"))
                .hasMessageContaining("no connection");
        clock.advance(Duration.ofMinutes(5));
        gateway.down = false;

        clock.advance(Duration.ofDays(1));

        assertThat(gateway.sent).hasSize(1);
        assertThat(jobs).enqueued(Mails::welcome, "ada@example.com").isDone();
    }

    @Test
    void aMailIsGivenUpAfterEightRetries() {
        gateway.down = true;
        assertThatThrownBy(() -> client.enqueue(Mails::welcome, "ada@example.com"))
                .hasMessageContaining("no connection");

        clock.advance(Duration.ofDays(2));

        assertThat(jobs).enqueued(Mails::welcome, "ada@example.com").isDead().hasRun(9);
    }
}
