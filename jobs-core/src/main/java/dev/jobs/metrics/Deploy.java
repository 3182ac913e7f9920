package dev.jobs.metrics;

import java.time.Instant;

/**
 * A marked deployment.
 *
 * @param at the minute
 * @param label such as a version
 */
public record Deploy(Instant at, String label) {}
