package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.web.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Provides the token that the application requires with every request that changes something. */
@FunctionalInterface
interface ServletTokens {

    /** The token for the sender of a request, or null if there is none. */
    WebRequest.@Nullable Token of(HttpServletRequest request);
}
