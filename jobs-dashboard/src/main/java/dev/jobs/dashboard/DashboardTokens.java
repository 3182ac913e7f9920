package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Knows what the application wants to be sent along with everything that changes something. */
@FunctionalInterface
interface DashboardTokens {

    /**
     * A token of the application's.
     *
     * @param header the name of the header to send it in
     */
    record Token(String header, String token) {}

    /** The token for the sender of a request, or null if there is none. */
    @Nullable Token of(HttpServletRequest request);
}
