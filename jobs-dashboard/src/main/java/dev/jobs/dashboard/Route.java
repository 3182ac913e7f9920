package dev.jobs.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * One operation of the API.
 *
 * @param role the least role that may call it
 */
record Route(DashboardRole role, Endpoint endpoint) {

    /** Answers a call; what it returns is written as JSON. */
    @FunctionalInterface
    interface Endpoint {
        /**
         * @throws Problem if the call can't be fulfilled
         * @throws dev.jobs.JobsException as {@link dev.jobs.admin.JobsAdmin} does
         */
        @Nullable Object answer(Call call);
    }

    static Route look(Endpoint endpoint) {
        return new Route(DashboardRole.VIEWER, endpoint);
    }

    static Route act(Endpoint endpoint) {
        return new Route(DashboardRole.OPERATOR, endpoint);
    }
}
