package dev.jobs.spring.autoconfigure.metrics;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of traces.
 *
 * @param links Which executions begin a trace of their own, with a link to the call that enqueued the job: none, all, or
 *     retries, which are all but the first attempt. The others belong to the trace of that call.
 */
@ConfigurationProperties("jobs.tracing")
record TracingProperties(@DefaultValue("none") Links links) {

    /** Which executions begin a trace. */
    enum Links {
        NONE,
        RETRIES,
        ALL;

        /** @param first whether it is the first attempt */
        boolean apply(boolean first) {
            return this == ALL || this == RETRIES && !first;
        }
    }
}
