package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import java.util.Set;
import reactor.core.publisher.Mono;

/** Knows the authorities of the sender of a request: none if the sender is not authenticated. */
@Internal
public interface SenderAuthorities {

    /** Those of the request that this thread answers. */
    Set<String> ofThread();

    /** Those of the request that the subscriber answers. */
    Mono<Set<String>> ofSubscriber();
}
