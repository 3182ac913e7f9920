package dev.jobs.dashboard;

/** What a user may do with the dashboard; each role includes the preceding one. */
public enum DashboardRole {
    /** Nothing: the request is refused. */
    NONE,
    /** View everything, change nothing. */
    VIEWER,
    /** Change jobs, queues and processes. */
    OPERATOR
}
