package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Provides the token that the application requires with every request that changes something. */
@FunctionalInterface
interface DashboardTokens {

    /**
     * A token of the application.
     *
     * @param header the name of the header that carries it
     */
    record Token(String header, String token) {}

    /** The token for the sender of a request, or null if there is none. */
    @Nullable Token of(HttpServletRequest request);
}
