package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.redis.JobsRedisClient;
import io.lettuce.core.ClientOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

class ShardConnectionsTests {

    private final ApplicationContextRunner runner = ShardsContext.withoutWorker();

    @Test
    void aShardThatHasOnlyAUrlHasTheSocketOptionsOfTheApplicationsRedis() {
        runner.withPropertyValues(
                        "spring.data.redis.connect-timeout=2s",
                        "jobs.shards.east.url=redis://redis.example:6380",
                        "jobs.shards.east.queues=mail")
                .run(context -> {
                    AtomicReference<ClientOptions> given = new AtomicReference<>();
                    JobsRedisClient home = context.getBean(JobsRedisClient.class);
                    ShardConnections shards = new ShardConnections(
                            context.getBean(ShardConnections.class).layout(),
                            context.getBean(ShardsProperties.class),
                            new ShardConnections.Home(
                                    context.getBean(RedisConnections.class),
                                    home::client,
                                    home.address(),
                                    home.server()),
                            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                                    .getBeanFactory(),
                            (address, model, options, timeout, names) -> {
                                JobsRedisClient east = home.beside(address, model, options, timeout, names);
                                given.set(east.settings().getClientOptions().orElseThrow());
                                return ShardConnections.running(east);
                            });
                    shards.destroy();
                    assertThat(given.get().getSocketOptions().getConnectTimeout())
                            .isEqualTo(Duration.ofSeconds(2));
                });
    }
}
