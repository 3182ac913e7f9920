package dev.jobs.spring.autoconfigure.metrics;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Boot 3 groups the handlers of traces as soon as it knows the class of a tracer. */
final class TraceHandlers {

    private TraceHandlers() {}

    static ApplicationContextRunner grouped(ApplicationContextRunner runner) {
        return runner;
    }
}
