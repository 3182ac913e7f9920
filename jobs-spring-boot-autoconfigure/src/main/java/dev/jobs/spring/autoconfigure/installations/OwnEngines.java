package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The engines of this worker: one for each installation that has jobs of its queues. All run their jobs in the same
 * threads.
 *
 * @param byInstallation in the order of {@link OwnInstallations}; at least one
 */
@Internal
public record OwnEngines(Map<String, JobEngine> byInstallation) {

    public OwnEngines {
        byInstallation = Collections.unmodifiableMap(new LinkedHashMap<>(byInstallation));
    }

    /** The bean. */
    public JobEngine first() {
        return byInstallation.values().iterator().next();
    }
}
