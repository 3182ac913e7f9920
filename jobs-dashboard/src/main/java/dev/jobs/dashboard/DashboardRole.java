package dev.jobs.dashboard;

/** What somebody may do with the dashboard; each role may do what the one before it may. */
public enum DashboardRole {
    /** Nothing: the request is refused. */
    NONE,
    /** Look at everything, change nothing. */
    VIEWER,
    /** Change jobs, queues and processes. */
    OPERATOR
}
