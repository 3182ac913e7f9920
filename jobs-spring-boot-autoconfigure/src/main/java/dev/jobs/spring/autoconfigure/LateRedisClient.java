package dev.jobs.spring.autoconfigure;

import io.lettuce.core.AbstractRedisClient;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;

/** A client that its first use creates, so that an application that never uses it needs no Redis. Thread-safe. */
final class LateRedisClient implements DisposableBean {

    private final Supplier<JobsRedisClient> factory;
    private @Nullable JobsRedisClient created;

    LateRedisClient(Supplier<JobsRedisClient> factory) {
        this.factory = factory;
    }

    /** @throws RuntimeException if it can't be created; the next call tries again */
    synchronized AbstractRedisClient client() {
        if (created == null) {
            JobsRedisClient fresh = factory.get();
            fresh.afterPropertiesSet();
            created = fresh;
        }
        return created.client();
    }

    @Override
    public synchronized void destroy() {
        if (created != null) {
            created.stop();
            created.destroy();
        }
    }
}
