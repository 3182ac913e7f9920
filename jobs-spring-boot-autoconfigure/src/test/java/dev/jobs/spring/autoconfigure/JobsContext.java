package dev.jobs.spring.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.EngineEnvironment;
import java.util.random.RandomGenerator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.DefaultLifecycleProcessor;

/** Contexts with the beans that Jobs needs and nothing else. */
public final class JobsContext {

    private JobsContext() {}

    /** Knows jobs but runs none; nothing listens at the address of Redis. */
    public static ApplicationContextRunner withoutWorker() {
        return withoutRedis().withPropertyValues("jobs.worker.enabled=false");
    }

    /** Has a worker that is not started. */
    public static ApplicationContextRunner withoutStart() {
        return jobs().withBean(
                        "lifecycleProcessor", DefaultLifecycleProcessor.class, () -> new DefaultLifecycleProcessor() {
                            @Override
                            public void onRefresh() {}
                        });
    }

    /** Has a running worker. */
    public static ApplicationContextRunner on(EmbeddedRedis redis) {
        return jobs().withPropertyValues("spring.data.redis.port=" + redis.port());
    }

    /** Has a worker that can't reach Redis. */
    public static ApplicationContextRunner withoutRedis() {
        return jobs().withPropertyValues("jobs.shutdown-timeout=0s");
    }

    /**
     * Has a worker that retries each job when its policy says, a second later at the earliest, to which others add up to
     * ten seconds for a first retry.
     */
    public static ApplicationContextRunner withSoonRetries(EmbeddedRedis redis) {
        EngineEnvironment system = EngineEnvironment.system();
        RandomGenerator withoutJitter = new RandomGenerator() {
            @Override
            public long nextLong() {
                return system.random().nextLong();
            }

            @Override
            public long nextLong(long bound) {
                return 0;
            }
        };
        return on(redis)
                .withPropertyValues("jobs.poll-interval=100ms")
                .withBean(
                        EngineEnvironment.class,
                        () -> new EngineEnvironment(
                                system.clock(),
                                system.nanoTime(),
                                withoutJitter,
                                system.processorThreads(),
                                system.outOfMemory()));
    }

    private static ApplicationContextRunner jobs() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        LifecycleAutoConfiguration.class,
                        JobsAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=1");
    }
}
