package dev.jobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An application with data of its own in one Redis and jobs in another, both of which it configures. */
@SpringBootTest
@AutoConfigureJobs(mode = JobsMode.WORKER, ownRedis = false)
@DirtiesContext
class AnotherRedisIT {

    @AutoClose
    private static final EmbeddedRedis ofTheApplication = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis ofJobs = EmbeddedRedis.start();

    @DynamicPropertySource
    static void address(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.url", ofTheApplication::uri);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Mails.class)
    static class Application {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", ofJobs.port()));
        }
    }

    static class Mails {

        @Job
        void send() {}
    }

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Test
    void whatTheApplicationKeepsStays(@Autowired StringRedisTemplate redis) {
        redis.opsForList().leftPush("queue:of-the-application", "1");
        redis.opsForValue().set("unique:of-the-application", "1");

        jobs.reset();

        assertThat(redis.keys("*")).contains("queue:of-the-application", "unique:of-the-application");
    }

    @Test
    void drainFindsTheJobs() {
        client.queue("unserved").enqueue(Mails::send);

        assertThatThrownBy(() -> jobs.drain(Duration.ofMillis(100)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 in queue unserved");
    }

    @Test
    void theJobsOfEarlierTestsAreRemoved(@Autowired JobsAdmin admin) {
        client.in(Duration.ofHours(1)).enqueue(Mails::send);
        assertThat(admin.stats().scheduled()).isEqualTo(1);

        jobs.reset();

        assertThat(admin.stats().scheduled()).isZero();
    }
}
