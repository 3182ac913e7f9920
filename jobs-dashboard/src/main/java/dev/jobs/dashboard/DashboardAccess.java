package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Decides what the sender of a request may do. A bean of this type replaces {@code jobs.dashboard.access}, for
 * applications that don't know their users through Spring Security. Called by many threads concurrently, once per
 * request.
 */
@FunctionalInterface
public interface DashboardAccess {

    /** The role of the sender of a request; {@link DashboardRole#NONE} refuses it. */
    DashboardRole roleOf(HttpServletRequest request);
}
