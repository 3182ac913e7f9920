package dev.jobs.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names calls that enqueue jobs, and their keys. A bean of this type replaces {@link DefaultJobEnqueueConvention}. */
public interface JobEnqueueConvention extends ObservationConvention<JobEnqueueContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof JobEnqueueContext;
    }
}
