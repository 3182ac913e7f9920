package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import io.lettuce.core.AbstractRedisClient;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;

/** A client that its first use creates, so that an application that never uses it needs no Redis. Thread-safe. */
@Internal
public final class LateRedisClient implements DisposableBean {

    private final Supplier<JobsRedisClient> factory;
    private @Nullable JobsRedisClient created;
    private boolean destroyed;

    /** @param factory may be called several times at once; one of its clients is kept, and others are destroyed */
    public LateRedisClient(Supplier<JobsRedisClient> factory) {
        this.factory = factory;
    }

    /** @throws RuntimeException if it can't be created; the next call tries again */
    public AbstractRedisClient client() {
        return own().client();
    }

    /** @throws RuntimeException as {@link #client} */
    public JobsRedisClient own() {
        synchronized (this) {
            if (destroyed) {
                throw new IllegalStateException("The application has closed its connections");
            }
            if (created != null) {
                return created;
            }
        }
        JobsRedisClient fresh = factory.get(); // holds no lock, since it looks up beans; see LateValue
        synchronized (this) {
            if (created == null && !destroyed) {
                fresh.afterPropertiesSet();
                created = fresh;
                return fresh;
            }
        }
        fresh.destroy();
        return own();
    }

    /** Closes the client, if there is one; the next use creates another. */
    public synchronized void stop() {
        if (created != null) {
            created.stop();
            created.destroy();
            created = null;
        }
    }

    /** Closes the client for good. */
    @Override
    public synchronized void destroy() {
        destroyed = true;
        stop();
    }
}
