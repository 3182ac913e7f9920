package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Says what the sender of a request may do. A bean of this type replaces what {@code jobs.dashboard.access} says; it is for applications
 * that know their users in another way than through Spring Security. Called by many threads at once, once for each request.
 */
@FunctionalInterface
public interface DashboardAccess {

    /** The role of the sender of a request; {@link DashboardRole#NONE} refuses it. */
    DashboardRole roleOf(HttpServletRequest request);
}
