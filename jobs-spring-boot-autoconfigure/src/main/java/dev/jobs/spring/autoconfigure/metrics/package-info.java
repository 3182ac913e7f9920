/** Meters of jobs, queues and worker, and observations of jobs, if Micrometer is present. */
@NullMarked
package dev.jobs.spring.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
