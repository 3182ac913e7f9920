package dev.jobs.spring.autoconfigure.beans;

import dev.jobs.Internal;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Runs threads beside the application, from its start to its stop. They end with the bean as well: where something fails
 * behind the start, Spring 6 destroys the beans of the context, and stops none of them before.
 */
@Internal
public interface BackgroundLifecycle extends SmartLifecycle, DisposableBean {

    @Override
    default void destroy() {
        if (isRunning()) {
            stop();
        }
    }
}
