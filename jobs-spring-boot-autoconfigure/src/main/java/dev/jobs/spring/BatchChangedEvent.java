package dev.jobs.spring;

import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStatus;
import java.util.Set;

/**
 * Events of a batch came, and the callbacks for them are enqueued.
 *
 * <p>Published in one process only, the leading worker, which may die before it publishes: use a callback for what must
 * not be missed. Listeners run on the thread that looks after all batches, so a slow one delays other callbacks; a
 * listener's failure is logged and otherwise ignored.
 *
 * @param batch the batch right after the events
 * @param events the events that came now; each comes once in the life of a batch
 */
public record BatchChangedEvent(BatchStatus batch, Set<BatchEvent> events) {

    public BatchChangedEvent {
        events = Set.copyOf(events);
    }
}
