package dev.jobs.faults;

import dev.jobs.Job;
import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Jobs that use a client, over the connections of their worker. */
final class ClientJobs {

    /** The one ordered queue of all scenarios. */
    static final String IN_TURN = "in-turn";

    private final String uri;
    private final Duration commandTimeout;
    private @Nullable RedisJobClient client;

    ClientJobs(WorkerSettings settings) {
        this.uri = settings.uri();
        this.commandTimeout = settings.commandTimeout();
    }

    /** Enqueues a job to the ordered queue. */
    @Job("PushInTurn")
    void pushInTurn() {
        client().queue(IN_TURN).key("key").enqueue("Work", 10);
    }

    /** Cancels a job. */
    @Job("Cancel")
    void cancel(String jid) {
        client().cancel(jid);
    }

    /** Its threads and connection exist only in the few scenarios that need them. */
    private synchronized RedisJobClient client() {
        if (client == null) {
            client = new Producer(uri, commandTimeout).another();
        }
        return client;
    }
}
