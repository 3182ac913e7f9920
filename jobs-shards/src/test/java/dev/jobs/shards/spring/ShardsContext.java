package dev.jobs.shards.spring;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The contexts of {@link JobsContext}, for applications that have this module. */
public final class ShardsContext {

    private ShardsContext() {}

    public static ApplicationContextRunner withoutWorker() {
        return withShards(JobsContext.withoutWorker());
    }

    public static ApplicationContextRunner withoutStart() {
        return withShards(JobsContext.withoutStart());
    }

    public static ApplicationContextRunner withoutRedis() {
        return withShards(JobsContext.withoutRedis());
    }

    public static ApplicationContextRunner on(EmbeddedRedis redis) {
        return withShards(JobsContext.on(redis));
    }

    private static ApplicationContextRunner withShards(ApplicationContextRunner jobs) {
        return jobs.withConfiguration(AutoConfigurations.of(JobsShardsAutoConfiguration.class));
    }
}
