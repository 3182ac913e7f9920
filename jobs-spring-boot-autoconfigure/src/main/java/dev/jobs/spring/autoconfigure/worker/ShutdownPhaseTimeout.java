package dev.jobs.spring.autoconfigure.worker;

import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.support.DefaultLifecycleProcessor;

/**
 * Extends the timeout of the engine's shutdown phase to the time that the engine may need; the other phases keep the
 * application's timeout. After a shorter timeout Spring would close Redis while the engine still hands back jobs.
 */
final class ShutdownPhaseTimeout implements SmartInitializingSingleton {

    /**
     * Time that the engine may need after the shutdown timeout: to hand back jobs, to interrupt them, to wait for a
     * slow Redis.
     */
    static final Duration MARGIN = Duration.ofSeconds(10);

    private final Duration shutdownTimeout;
    private final ObjectProvider<DefaultLifecycleProcessor> processor;
    private final ObjectProvider<LifecycleProperties> properties;

    ShutdownPhaseTimeout(
            Duration shutdownTimeout,
            ObjectProvider<DefaultLifecycleProcessor> processor,
            ObjectProvider<LifecycleProperties> properties) {
        this.shutdownTimeout = shutdownTimeout;
        this.processor = processor;
        this.properties = properties;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Duration needed = shutdownTimeout.plus(MARGIN);
        LifecycleProperties known = properties.getIfAvailable();
        Duration given = known == null ? Duration.ZERO : known.getTimeoutPerShutdownPhase();
        if (needed.compareTo(given) > 0) {
            processor.ifAvailable(each -> each.setTimeoutForShutdownPhase(JobEngineLifecycle.PHASE, needed.toMillis()));
        }
    }
}
