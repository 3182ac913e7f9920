package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.Payload;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the payloads of a call that enqueues jobs of one kind. */
@FunctionalInterface
@Internal
public interface Drafts {

    /**
     * The payload of one job, before middleware and rules.
     *
     * @param options of the call, or of this job
     * @throws dev.jobs.InvalidJobException if there is no list of arguments, as an element of a bulk call may have none
     */
    Payload of(@Nullable List<? extends @Nullable Object> arguments, Options options, Instant now);
}
