package dev.jobs.limits;

import dev.jobs.Internal;
import java.util.List;

/**
 * Queues from which a claim takes no more jobs because of their limits.
 *
 * @param full as many of their jobs run as the limit allows
 * @param broken a key of their limit holds another type
 */
@Internal
public record FullQueues(List<String> full, List<String> broken) {}
