package dev.jobs.test.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.test.AutoConfigureJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application without an address of Redis, for which one would be started. */
@SpringBootTest
@AutoConfigureJobs
class NoRedisTests {

    @Test
    void noRedisIsStartedForRecordedJobs(@Autowired ConfigurableApplicationContext context) {
        assertThat(context.getBeansOfType(StringRedisTemplate.class)).hasSize(1);
        assertThat(context.getBeanFactory().containsBeanDefinition("jobsEmbeddedRedis"))
                .isTrue();
        assertThat(context.getBeanFactory().containsSingleton("jobsEmbeddedRedis"))
                .isFalse();
    }
}
