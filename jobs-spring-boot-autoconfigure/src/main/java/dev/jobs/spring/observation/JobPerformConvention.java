package dev.jobs.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names executions of jobs, and their keys. A bean of this type replaces {@link DefaultJobPerformConvention}. */
public interface JobPerformConvention extends ObservationConvention<JobPerformContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof JobPerformContext;
    }
}
