package dev.jobs.spring.autoconfigure;

import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.support.DefaultLifecycleProcessor;

/**
 * Gives the engine's phase of the shutdown the time that the engine may need; the other phases keep the time that the application gave them.
 * After it Spring would go on and close Redis while jobs are still handed back.
 */
final class ShutdownPhaseTimeout implements SmartInitializingSingleton {

    /** What the engine may take after the shutdown timeout: to hand back, to interrupt, to let a slow Redis answer. */
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
