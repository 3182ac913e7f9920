package dev.jobs.spring.autoconfigure;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The engines of this worker: one for each shard that has jobs of its queues. All run their jobs in the same places.
 *
 * @param byShard in the order of the shards; at least one
 */
@Internal
public record ShardEngines(Map<String, JobEngine> byShard) {

    public ShardEngines {
        byShard = Collections.unmodifiableMap(new LinkedHashMap<>(byShard));
    }

    /** Whether there are several. */
    public boolean areSeveral() {
        return byShard.size() > 1;
    }
}
