package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.lettuce.core.RedisClient;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application with data of its own in one Redis and jobs in another. */
class AnotherRedisIT {

    @AutoClose
    private static final EmbeddedRedis ofTheApplication = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis ofJobs = EmbeddedRedis.start();

    @Test
    void itsOwnDataStaysInItsOwnRedis() {
        JobsContext.on(ofTheApplication)
                .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.timeout=60s")
                .withUserConfiguration(ForJobs.class)
                .run(context -> {
                    context.getBean(StringRedisTemplate.class).opsForValue().set("of-the-application", "1");
                    context.getBean(JobClient.class).enqueue("Mail");

                    assertThat(context.getBean(JobsAdmin.class).queues().all()).hasSize(1);
                    assertThat(keysIn(ofTheApplication)).containsExactly("of-the-application");
                    assertThat(keysIn(ofJobs)).contains("queue:default").doesNotContain("of-the-application");
                });
    }

    private static List<String> keysIn(EmbeddedRedis redis) {
        RedisClient client = RedisClient.create(redis.uri());
        try (var connection = client.connect()) {
            return connection.sync().keys("*");
        } finally {
            client.shutdown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForJobs {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory jobsRedisConnectionFactory() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", ofJobs.port()));
        }
    }
}
