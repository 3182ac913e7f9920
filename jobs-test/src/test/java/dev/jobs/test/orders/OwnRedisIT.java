package dev.jobs.test.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.test.AutoConfigureJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application that has something in Redis itself. */
@SpringBootTest
@AutoConfigureJobs
class OwnRedisIT {

    @Test
    void theRedisOfTheApplicationIsStartedOnceItIsUsed(
            @Autowired StringRedisTemplate redis, @Autowired EmbeddedRedis server) {
        redis.opsForValue().set("key", "value");

        assertThat(redis.opsForValue().get("key")).isEqualTo("value");
        assertThat(server.uri()).matches("redis://:\\w+@127\\.0\\.0\\.1:\\d+");
    }
}
