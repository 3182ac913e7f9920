package dev.jobs.spring.autoconfigure.redis;

import static dev.jobs.spring.autoconfigure.redis.JobsRedisConfigurationTests.assertRefused;

import dev.jobs.spring.autoconfigure.JobsContext;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/** Lists of nodes that Boot 4 connects to: not on Boot 3. */
class MasterReplicaTests {

    private final ApplicationContextRunner runner = JobsContext.withoutWorker();

    @Test
    void refusesServersOfWhichNoneIsKnownAsPrimary() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=redis.example:1,redis.example:2")
                .run(context ->
                        assertRefused(context, "spring.data.redis.masterreplica.nodes", "spring.data.redis.sentinel"));
    }

    @Test
    void refusesABeanWithServersOfWhichNoneIsKnownAsPrimary() {
        runner.withBean(
                        RedisStaticMasterReplicaConfiguration.class,
                        () -> new RedisStaticMasterReplicaConfiguration("localhost", 6379))
                .run(context -> assertRefused(context, "needs to know the primary", "'jobsRedisConnectionFactory'"));
    }
}
