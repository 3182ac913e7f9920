package dev.jobs.dashboard;

import java.util.Map;

/**
 * An answer, complete but for its length.
 *
 * @param body empty if the answer has none
 */
record Answer(int status, Map<String, String> headers, byte[] body) implements DashboardHandler.Next {}
