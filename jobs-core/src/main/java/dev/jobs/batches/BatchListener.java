package dev.jobs.batches;

import dev.jobs.JobListener;
import java.util.Set;

/** A listener that is also told of the events of batches. With Spring, every bean of this type is called. */
public interface BatchListener extends JobListener {

    /**
     * Events of a batch came, and the callbacks for them are enqueued. Called in the process that noticed, so a process
     * that dies may keep it from being called: use a callback for what must not be missed.
     */
    void batchChanged(BatchStatus batch, Set<BatchEvent> events);
}
