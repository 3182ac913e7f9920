package dev.jobs.ends;

import dev.jobs.Internal;
import java.util.List;
import java.util.Set;

/** Knows jobs that have not ended wherever they are, such as those of batches. Thread-safe. */
@Internal
public interface PendingJobs {

    /**
     * Those of some jobs that are known and have not ended.
     *
     * @param jids at most a hundred
     */
    Set<String> pending(List<String> jids);
}
