package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobCall;
import dev.jobs.Payload;
import dev.jobs.client.Enqueuer;
import dev.jobs.transactions.CommittedJobs;

/** The client that makes the jobs of batches. Thread-safe. */
@Internal
public interface BatchClient {

    /** The payload of a call, as this client would enqueue it now, before middleware and rules. */
    Payload draft(JobCall call);

    Enqueuer enqueuer();

    /** How its jobs wait for the caller's transaction. */
    CommittedJobs committed();
}
