package dev.jobs.admin;

import java.time.Instant;

/**
 * A deployment that was marked.
 *
 * @param at the minute
 * @param label such as a version
 */
public record Deploy(Instant at, String label) {}
