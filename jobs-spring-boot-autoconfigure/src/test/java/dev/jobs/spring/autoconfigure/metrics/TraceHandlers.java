package dev.jobs.spring.autoconfigure.metrics;

import io.micrometer.tracing.handler.TracingObservationHandler;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationHandlerGroup;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Of the handlers of traces the first that fits an observation gets it, as with the tracing of Spring Boot. */
final class TraceHandlers {

    private TraceHandlers() {}

    static ApplicationContextRunner grouped(ApplicationContextRunner runner) {
        return runner.withBean(
                ObservationHandlerGroup.class, () -> ObservationHandlerGroup.of(TracingObservationHandler.class));
    }
}
