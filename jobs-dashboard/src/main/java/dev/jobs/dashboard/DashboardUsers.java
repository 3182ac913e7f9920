package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Knows the names of the people who use the dashboard. A bean of this type gives the names that its pages and the lines
 * of the audit have; without one they have the name of the principal or the address, as in a WebFlux application.
 */
@FunctionalInterface
public interface DashboardUsers {

    /**
     * The name of the sender of a request for people, such as "Ann Smith"; null if it is not known. Called for each
     * request of the pages for data, so it must be quick.
     */
    @Nullable String nameOf(HttpServletRequest request);
}
