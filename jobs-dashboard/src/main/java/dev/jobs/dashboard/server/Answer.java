package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import java.util.Map;

/**
 * An answer, complete but for its length.
 *
 * @param body empty if the answer has none
 */
@Internal
public record Answer(int status, Map<String, String> headers, byte[] body) implements DashboardHandler.Next {}
