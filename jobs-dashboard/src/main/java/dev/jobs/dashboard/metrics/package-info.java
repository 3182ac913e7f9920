/** Executions by job and by queue, for charts. */
@NullMarked
package dev.jobs.dashboard.metrics;

import org.jspecify.annotations.NullMarked;
