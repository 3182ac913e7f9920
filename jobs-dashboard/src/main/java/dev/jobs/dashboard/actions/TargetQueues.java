package dev.jobs.dashboard.actions;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.dashboard.web.Problem;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which queues an installation may get jobs in, and which jobs: all, unless it is one of several of this application. */
@Internal
public interface TargetQueues {

    /** All queues, as of a single one. */
    TargetQueues ALL = new TargetQueues() {};

    /** @throws Problem if the queue lives in others */
    default void require(String queue) {}

    /**
     * An id with which a job of a queue that lives here belongs here.
     *
     * @param ids new ones
     */
    default String id(String queue, Supplier<String> ids) {
        return ids.get();
    }

    /**
     * Checks a new job of a queue that lives here, as the application's client would.
     *
     * @param definition null if this application doesn't know the job
     * @throws Problem if its key belongs in another one, or if it has a lock or a limit, which hold in one only
     */
    default void require(Payload job, @Nullable JobDefinition definition) {}
}
