package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.web.Arrival;
import org.jspecify.annotations.Nullable;

/** Knows the requests of one kind of server below a reactive application. */
@FunctionalInterface
interface Arrivals {

    /** Null if the request is of another server. */
    @Nullable Arrival of(Object nativeRequest);
}
