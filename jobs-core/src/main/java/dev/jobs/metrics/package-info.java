/** How often and how long jobs ran, counted in Redis: {@link dev.jobs.metrics.MetricsAdmin}. */
@NullMarked
package dev.jobs.metrics;

import org.jspecify.annotations.NullMarked;
