package dev.jobs.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * One thing that can be asked of the API.
 *
 * @param role who may ask, at least
 */
record Route(DashboardRole role, Endpoint endpoint) {

    /** Answers a call; what it returns is written as JSON. */
    @FunctionalInterface
    interface Endpoint {
        /**
         * @throws Problem if the call can't be answered as it was meant
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
